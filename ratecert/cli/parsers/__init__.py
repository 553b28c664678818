"""What the commands take: one module for each family of commands, each with `add`."""
