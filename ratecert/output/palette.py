"""The colours of all figures. Readers who cannot tell red from green can tell these apart (Okabe and Ito, 2008).

Text and ground have colours of their own that nothing else has: a page puts its own in their place.
"""

INK = "#1d1d1f"  # text, axes, and the last colour of the list
GROUND = "#fefefe"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", INK)
