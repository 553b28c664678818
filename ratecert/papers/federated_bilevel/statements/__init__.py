"""H. Gao, On the Convergence of Momentum-Based Algorithms for Federated Bilevel Optimization Problems.

One file per group of numbered statements, to the letter of the print, mistakes included; `errata.py` says what to
read instead, and why.
"""
