"""A theorem in a dozen lines: known letters, a step as a function, and the records that are built of them."""
