"""What the site shows and what this repository stores of its runs; not installed.

pages     the tables of docs/, made when the site is built: of papers (papers), of runs (runs), in Markdown (markdown)
records   what is stored of a run of `ratecert verify`
course    the notebooks with their outputs
visited   how many files a command runs through
"""
