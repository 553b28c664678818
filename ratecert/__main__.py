from ratecert.command_line import main

raise SystemExit(main())
