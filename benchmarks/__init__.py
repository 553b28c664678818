"""Speed, measured as ratios within one run: `python -m benchmarks`, or `make bench`.

A part (`PARTS` of sampling.py and exact.py) measures one row of cells after another. Cells that are texts or whole
numbers say what was run, the others are measured; one with a slash in its name is a ratio, which means something on
another machine, too. Tables, ratios and targets (shown.py) are made of the rows.
"""
