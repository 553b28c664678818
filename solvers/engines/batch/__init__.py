"""Exact expectations of many settings at once: one algorithm and one shape of world, arrays for everything else.

The same mathematics as in moments/, written once for arrays with an axis of settings in front, on numpy, torch or JAX
(the array API standard). Bottom up:

    arrays          arrays that are written like one: a world's own code runs on them
    congruences     X -> A X A' on packed symmetric matrices, and what is led or noise over many equal steps
    signs           an estimate as parts, one for each set of signs: mean and covariance; loops of fresh samples
    pairs           pairs of doubles, for what cancels
    truth           what is true of a world
    reading         a method, read once on letters: rows of its step in words and letters
    numbers         a reading with its numbers: increments of the mean, and where samples enter
    frame           coordinates around where the mean rests
    population      devices that differ, as one state
    many            records of one kind, with arrays in the place of numbers
    functional      what is measured, as forms of the coordinates
    drive           a run: the first step, steps, rounds, by doubling; or iteration by iteration
    settings        what a call has asked for
    expect_many     all of it for one call
"""
