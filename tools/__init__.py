"""What writes the pages and records of this repository from results; not installed."""
