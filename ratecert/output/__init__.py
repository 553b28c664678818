"""What people see and keep: text, figures, files that are written whole."""
