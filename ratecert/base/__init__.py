"""What every room may use: errors, words of verdicts, files, exact numbers, the terminal, figures."""
