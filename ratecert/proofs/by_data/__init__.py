"""Proofs of theorems that are bound to runs by data: no paper has to write any of its own.

directions  a world along its axes: where a run starts, and the samples that it meets there
method      the one definition of a method, written down in letters
measured    a measure as weights of squares
script      lines of the proof, run as they are written
formulas    letters, conditions and bounds of the statement, as such lines
theorem     all of it for one instance
nearby      instances in simpler numbers, where those of the witness do not do
"""
