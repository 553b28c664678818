"""Papers as data: symbols with units, statements, errata, and how they are typeset."""
