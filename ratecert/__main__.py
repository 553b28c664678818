from ratecert.cli.main import main

raise SystemExit(main())
