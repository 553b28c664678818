"""What it takes every method to reach eps, on the same world and with the same counting."""
