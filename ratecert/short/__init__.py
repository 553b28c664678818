"""A theorem in a dozen lines: letters that are known, a step as a function, and what is built of them (Paper, Binding)."""
