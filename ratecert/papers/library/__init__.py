"""The library: published theorems as they are printed, one file for each source, through the door of any paper.

A file has the source's letters, its statements to the letter, and what binds them to a run; verdicts follow from that.
`ratecert library` lists them with their verdicts, `ratecert verify library` computes these again.
"""
