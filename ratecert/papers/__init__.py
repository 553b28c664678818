"""The papers of this package, a folder or a file each, and the library, whose papers are files like those of users.

An id without a paper means a statement of the first one. `ratecert verify` means all but the library.
"""

FIRST = "federated_bilevel"
LIBRARY = "library"
