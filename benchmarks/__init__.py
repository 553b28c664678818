"""Speed, measured as ratios within one run: `python -m benchmarks`, or `make bench`.

A file that measures has `settings()`, what it goes through, and `measure(setting)`, which returns one row of numbers as
they were measured. Ratios and targets are made of the rows afterwards (tables.py, targets.py).
"""
