"""The verdicts on the library, kept: what `ratecert verify library` came to, one record for each statement.

record    from results.json to records, written and read
table     records for a terminal
details   all that is kept of a few
filter    those that are asked for
letters   a witness in the letters of its statement
"""
