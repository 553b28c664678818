"""A theorem bound to something that runs: the method, the measure, the worlds, and where its letters come from."""
