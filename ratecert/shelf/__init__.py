"""The verdicts on the library, kept: what `ratecert verify library` came to, one record for each statement.

record    from results.json to records, written and read
table     records for a terminal
"""
