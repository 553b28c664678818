"""One figure per world: what is special about it."""
