"""The explorer: a page on this machine where sliders move a method, a world and a theorem, and exact numbers follow.

    controls    a number with its range, read from text
    calls       worlds and methods as calls, made here and written as Python
    subjects    what can be shown: methods on kinds of worlds, theorems on families of them; each has its file
    bounds      the right side of a theorem at a point, and at all shorter runs
    state       what is shown, from a link and back to it
    answer      the numbers of a state
    windows     where the corollaries of a theorem speak
    presets     counterexamples, theorems and corollaries to begin with
    export      the point as Python, and as a figure
    certifying  enclosures of the point
    server      127.0.0.1 only; what is asked is read as names out of lists and numbers with ranges, never executed

The page is plain HTML, CSS and JavaScript in `page/`: it needs no package and no network.
"""
