"""The constants of the assumptions, in closed form."""
