"""The papers of this package, a folder or a file each, and the library, whose papers are files like those of users.

An id without a paper means a statement of federated_bilevel. `ratecert verify` means all but the library. Nothing
imports them: ratecert/catalogue finds them by the names of their files.
"""
