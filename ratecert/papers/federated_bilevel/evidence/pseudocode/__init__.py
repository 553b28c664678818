"""The solvers against the printed pseudocode of Algorithms 1 and 2: expectations, counts, and the verdict on both."""
