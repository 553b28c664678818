"""Speed, measured as ratios within one run: `python -m benchmarks`, or `make bench`.

A part (`PARTS` of sampling.py and exact.py) has the settings that it goes through and a function that measures one of
them and returns a row of numbers. Tables, ratios and targets are made of the rows afterwards.
"""
