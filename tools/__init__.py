"""What the site shows and what this repository keeps of its runs; not installed.

pages     the tables of docs/, made when the site is built; errata, library, searches and verdicts make them
records   what is kept of a run of `ratecert verify`
course    the notebooks with their outputs
visited   how many files a command runs through
"""
