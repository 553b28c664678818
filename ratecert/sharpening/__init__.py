"""How much better a theorem could be: every world is a lower bound on the constants of all theorems of its form.

exploring   worlds that matter, and what was measured there
least       the smallest factor that a term may have, with the world that needs it
smallest    the bound of the same form that no world exceeds and that is smallest in the geometric mean
conditions  how much further a step may go before the bound breaks
exponents   which powers the worst case needs
sharpening  all of it for one statement
shown       tables, files and a figure of that
"""
