"""Linear algebra of the worlds: signed sums, random matrices of given spectra, minimisers, sizes without overflow."""
