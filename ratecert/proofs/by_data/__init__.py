"""Proofs of theorems that are bound to runs by data: no paper has to write any of its own.

directions     a world along its axes: where a run starts, and the samples that it meets there
method         the one definition of a method, written down in letters
changing       numbers of its steps that change with t
measured       a measure as weights of squares
forms          one that mixes fields, as a quadratic form in letters
script         lines of the proof, run as they are written
formulas       letters, conditions and bounds of the statement, as such lines
known          numbers that are followed in letters
own_functions  those of a paper, called with such numbers
theorem        all of it for one instance
nearby         instances in simpler numbers, where those of the witness do not do
"""
