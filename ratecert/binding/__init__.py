"""A theorem bound to something that runs: the method, the measure, the worlds, and where its letters come from.

    setting       a world with devices, iterations and a start, and what theorems call its numbers
    search_space  numbers over many decades
    families      worlds by such numbers
    binding    the binding of one theorem
    letters       the letters that are left, chosen inside the theorem's conditions

What is tried of it is in search/theorem_case.py.
"""
