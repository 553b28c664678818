"""The commands of `ratecert`."""
