"""The kernel: iterations of all devices of 64 replicates, serial, without the interpreter's lock.

Panels are rows of one array A with 64 lanes, one for each replicate, and are worked on WIDTH lanes at a time
(lanes.py). A word of signs has one bit for each lane.
"""

import zlib
from pathlib import Path

import numpy as np
from numba import njit

from ratecert.solvers.engines.compiled.instructions import (
    ADD,
    COMBINE,
    COS,
    NEXT_TERM,
    NOISE,
    PLUS_PRODUCTS,
    PRODUCTS,
    SET,
    SHIFT,
    SIN,
    TIMES,
    ZERO,
)
from ratecert.solvers.engines.compiled.lanes import WIDTH, all_lanes, load, store, with_sign
from ratecert.solvers.engines.compiled.lanes import __file__ as lanes_file
from ratecert.solvers.engines.compiled.program import (
    COLUMNS,
    CONSTANTS,
    COUNT,
    DRIFTS,
    DST,
    DST_OWN,
    LIST,
    MATRICES,
    NONE,
    OP,
    PLACE,
    ROWS,
    SIGN,
    SIZE,
    SRC,
    SRC_2,
    SRC_2_OWN,
    SRC_OWN,
)
from ratecert.solvers.engines.monte_carlo.noise import FIRST, SECOND, WORD

READ_ONLY = -1  # in the place of a stage: after the last iteration
MULTIPLY, MULTIPLY_AGAIN = np.uint64(FIRST), np.uint64(SECOND)
SOURCE_OF_LANES = zlib.crc32(Path(lanes_file).read_bytes())
THIRTY, TWENTY_SEVEN, THIRTY_ONE = np.uint64(30), np.uint64(27), np.uint64(31)

# Nothing is allocated here, so that arrays need no reference counts; at d = 2 these took as long as the work.
compiled = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"}, _nrt=False)
inlined = njit(
    nogil=True, cache=True, error_model="numpy", fastmath={"contract"}, _nrt=False, forceinline=True
)


@compiled
def built_with():  # type: ignore[no-untyped-def]
    """What of other files the compiled code holds: numba's cache looks at the date of this file only."""
    operations = SET, ADD, COMBINE, SHIFT, NOISE, ZERO, PRODUCTS, PLUS_PRODUCTS, NEXT_TERM, SIN, COS, TIMES
    panels = OP, ROWS, DST, DST_OWN, SRC, SRC_OWN, SRC_2, SRC_2_OWN
    tables = SIGN, CONSTANTS, MATRICES, COLUMNS, COUNT, LIST, NONE
    forms = DRIFTS, PLACE, SIZE
    return operations, panels, tables, forms, WORD, WIDTH, MULTIPLY, MULTIPLY_AGAIN, SOURCE_OF_LANES


@inlined
def finalise(z):  # type: ignore[no-untyped-def]
    """The finaliser of solvers/engines/monte_carlo/noise.py, on one word."""
    z ^= z >> THIRTY
    z *= MULTIPLY
    z ^= z >> TWENTY_SEVEN
    z *= MULTIPLY_AGAIN
    return z ^ (z >> THIRTY_ONE)


@inlined
def set_rows(A, dst, src, rows, c):  # type: ignore[no-untyped-def]
    for i in range(rows):
        for l in range(0, WORD, WIDTH):
            store(A, dst + i, l, c * load(A, src + i, l))


@inlined
def add_rows(A, dst, src, rows, c):  # type: ignore[no-untyped-def]
    for i in range(rows):
        for l in range(0, WORD, WIDTH):
            store(A, dst + i, l, load(A, dst + i, l) + c * load(A, src + i, l))


@inlined
def combine(A, dst, src, src_2, rows, c, c_2):  # type: ignore[no-untyped-def]
    for i in range(rows):
        for l in range(0, WORD, WIDTH):
            store(A, dst + i, l, c * load(A, src + i, l) + c_2 * load(A, src_2 + i, l))


@inlined
def shift(A, dst, src, rows, c, c_2, constants, at):  # type: ignore[no-untyped-def]
    for i in range(rows):
        constant = all_lanes(c_2 * constants[at + i])
        for l in range(0, WORD, WIDTH):
            store(A, dst + i, l, c * load(A, src + i, l) + constant)


@inlined
def noise(A, dst, rows, c, words, slot, c_2, constants, at):  # type: ignore[no-untyped-def]
    for i in range(rows):
        constant = all_lanes(c_2 * constants[at + i] if at != NONE else 0.0)
        size = all_lanes(c if slot != NONE else 0.0)
        word = words[slot + i if slot != NONE else 0]
        for l in range(0, WORD, WIDTH):
            value = constant + with_sign(size, word >> np.uint64(l))
            store(A, dst + i, l, load(A, dst + i, l) + value)


@inlined
def put(A, dst, l, value, op, total):  # type: ignore[no-untyped-def]
    """The value of a product goes where `op` says."""
    if op == PLUS_PRODUCTS:
        store(A, dst, l, load(A, dst, l) + value)
    else:
        store(A, dst, l, value)
    if op == NEXT_TERM:
        store(A, total, l, load(A, total, l) + value)


@inlined
def mean_and_noise(A, dst, src, rows, M, at, columns, word, op, total):  # type: ignore[no-untyped-def]
    """(M + e E) r: two rows and twice WIDTH lanes at a time, so that eight sums stay in registers."""
    size = rows * columns
    for i in range(0, rows - 1, 2):
        m, n = at + i * columns, at + (i + 1) * columns
        for l in range(0, WORD, 2 * WIDTH):
            a = b = c = d = e = f = g = h = all_lanes(0.0)
            for j in range(columns):
                r, q = load(A, src + j, l), load(A, src + j, l + WIDTH)
                a, b = a + M[m + j] * r, b + M[m + j] * q
                c, d = c + M[n + j] * r, d + M[n + j] * q
                e, f = e + M[m + size + j] * r, f + M[m + size + j] * q
                g, h = g + M[n + size + j] * r, h + M[n + size + j] * q
            near, far = word >> np.uint64(l), word >> np.uint64(l + WIDTH)
            put(A, dst + i, l, a + with_sign(e, near), op, total + i)
            put(A, dst + i, l + WIDTH, b + with_sign(f, far), op, total + i)
            put(A, dst + i + 1, l, c + with_sign(g, near), op, total + i + 1)
            put(A, dst + i + 1, l + WIDTH, d + with_sign(h, far), op, total + i + 1)
    if rows % 2 == 1:
        m = at + (rows - 1) * columns
        for l in range(0, WORD, WIDTH):
            a = e = all_lanes(0.0)
            for j in range(columns):
                r = load(A, src + j, l)
                a, e = a + M[m + j] * r, e + M[m + size + j] * r
            put(A, dst + rows - 1, l, a + with_sign(e, word >> np.uint64(l)), op, total + rows - 1)


@inlined
def one_matrix(A, dst, src, rows, M, at, columns, word, op, total):  # type: ignore[no-untyped-def]
    """e M r: four rows and twice WIDTH lanes at a time."""
    for i in range(0, rows - 3, 4):
        m = at + i * columns
        for l in range(0, WORD, 2 * WIDTH):
            a = b = c = d = e = f = g = h = all_lanes(0.0)
            for j in range(columns):
                r, q = load(A, src + j, l), load(A, src + j, l + WIDTH)
                a, b = a + M[m + j] * r, b + M[m + j] * q
                c, d = c + M[m + columns + j] * r, d + M[m + columns + j] * q
                e, f = e + M[m + 2 * columns + j] * r, f + M[m + 2 * columns + j] * q
                g, h = g + M[m + 3 * columns + j] * r, h + M[m + 3 * columns + j] * q
            near, far = word >> np.uint64(l), word >> np.uint64(l + WIDTH)
            put(A, dst + i, l, with_sign(a, near), op, total + i)
            put(A, dst + i, l + WIDTH, with_sign(b, far), op, total + i)
            put(A, dst + i + 1, l, with_sign(c, near), op, total + i + 1)
            put(A, dst + i + 1, l + WIDTH, with_sign(d, far), op, total + i + 1)
            put(A, dst + i + 2, l, with_sign(e, near), op, total + i + 2)
            put(A, dst + i + 2, l + WIDTH, with_sign(f, far), op, total + i + 2)
            put(A, dst + i + 3, l, with_sign(g, near), op, total + i + 3)
            put(A, dst + i + 3, l + WIDTH, with_sign(h, far), op, total + i + 3)
    for i in range(rows - rows % 4, rows):
        m = at + i * columns
        for l in range(0, WORD, WIDTH):
            a = all_lanes(0.0)
            for j in range(columns):
                a = a + M[m + j] * load(A, src + j, l)
            put(A, dst + i, l, with_sign(a, word >> np.uint64(l)), op, total + i)


@inlined
def products(A, dst, src, rows, M, at, columns, count, listed, first, words, op, total):  # type: ignore[no-untyped-def]
    """sum_i e_i M_i src, for the instructions of that name: in one pass if the sum is M + e E or M alone."""
    pair = count >= 2 and listed[first] == NONE and listed[first + 1] != NONE
    at_once = 2 if pair else 1
    how = op if count == at_once or op == PLUS_PRODUCTS else PRODUCTS
    if pair:
        mean_and_noise(A, dst, src, rows, M, at, columns, words[listed[first + 1]], how, total)
    for i in range(2 if pair else 0, count):
        slot = listed[first + i]
        word = words[slot] if slot != NONE else np.uint64(0)
        one_matrix(
            A,
            dst,
            src,
            rows,
            M,
            at + i * rows * columns,
            columns,
            word,
            how if i == 0 else PLUS_PRODUCTS,
            total,
        )
    if op == NEXT_TERM and how != NEXT_TERM:
        add_rows(A, total, dst, rows, 1.0)


@compiled
def entry_by_entry(A, dst, src, src_2, rows, op):  # type: ignore[no-untyped-def]
    for i in range(rows):
        for l in range(WORD):
            if op == TIMES:
                A[dst + i, l] = A[src + i, l] * A[src_2 + i, l]
            elif op == SIN:
                A[dst + i, l] = np.sin(A[src + i, l])
            elif op == COS:
                A[dst + i, l] = np.cos(A[src + i, l])


@compiled
def run_program(A, program, c, words, own):  # type: ignore[no-untyped-def]
    """One step of one device, whose rows begin at `own`. An instruction has the coefficients c[n, 0] and c[n, 1]."""
    table, M, constants, listed = program
    for n in range(len(table)):
        op, rows = table[n, OP], table[n, ROWS]
        dst = table[n, DST] + own * table[n, DST_OWN]
        src = table[n, SRC] + own * table[n, SRC_OWN]
        src_2 = table[n, SRC_2] + own * table[n, SRC_2_OWN]
        if op in (PRODUCTS, PLUS_PRODUCTS, NEXT_TERM):
            at, columns, count, first = table[n, MATRICES], table[n, COLUMNS], table[n, COUNT], table[n, LIST]
            products(A, dst, src, rows, M, at, columns, count, listed, first, words, op, src_2)
        elif op == ADD:
            add_rows(A, dst, src, rows, c[n, 0])
        elif op == COMBINE:
            combine(A, dst, src, src_2, rows, c[n, 0], c[n, 1])
        elif op == NOISE:
            noise(A, dst, rows, c[n, 0], words, table[n, SIGN], c[n, 1], constants, table[n, CONSTANTS])
        elif op == SHIFT:
            shift(A, dst, src, rows, c[n, 0], c[n, 1], constants, table[n, CONSTANTS])
        elif op == SET:
            set_rows(A, dst, src, rows, c[n, 0])
        elif op == ZERO:
            set_rows(A, dst, dst, rows, 0.0)
        else:
            entry_by_entry(A, dst, src, src_2, rows, op)


@inlined
def mean_rows(A, dst, src, rows, step, K):  # type: ignore[no-untyped-def]
    """The mean over devices of rows of device 0 and the same rows of the others."""
    for i in range(rows):
        for l in range(0, WORD, WIDTH):
            total = load(A, src + i, l)
            for k in range(1, K):
                total = total + load(A, src + i + k * step, l)
            store(A, dst + i, l, (1.0 / K) * total)


@inlined
def clear(measured):  # type: ignore[no-untyped-def]
    for m in range(len(measured)):
        for l in range(0, WORD, WIDTH):
            store(measured, m, l, all_lanes(0.0))


@inlined
def add_squares(measured, m, A, first, rows):  # type: ignore[no-untyped-def]
    """Sums of squares of rows, to the measure m."""
    for i in range(rows):
        for l in range(0, WORD, WIDTH):
            value = load(A, first + i, l)
            store(measured, m, l, load(measured, m, l) + value * value)


@inlined
def add_drift(measured, m, A, mean, first, rows, step, K):  # type: ignore[no-untyped-def]
    """The mean over devices of the squared distance from the mean, to the measure m."""
    for i in range(rows):
        for l in range(0, WORD, WIDTH):
            centre, total = load(A, mean + i, l), all_lanes(0.0)
            for k in range(K):
                away = load(A, first + i + k * step, l) - centre
                total = total + away * away
            store(measured, m, l, load(measured, m, l) + (1.0 / K) * total)


@inlined
def measure(A, measured, forms, K, mean, first, step):  # type: ignore[no-untyped-def]
    """The measures of truth.py; the truth at the mean is already in its rows."""
    clear(measured)
    for m in range(len(forms)):
        at, rows = forms[m, PLACE], forms[m, SIZE]
        if forms[m, DRIFTS] == 0:
            add_squares(measured, m, A, mean + at, rows)
        elif K > 1:
            add_drift(measured, m, A, mean + at, first + at, rows, step, K)


@inlined
def set_from(kept, row, measured):  # type: ignore[no-untyped-def]
    for m in range(len(measured)):
        for l in range(0, WORD, WIDTH):
            store(kept, row + m, l, load(measured, m, l))


@inlined
def add_all(total, measured):  # type: ignore[no-untyped-def]
    for m in range(len(measured)):
        for l in range(0, WORD, WIDTH):
            store(total, m, l, load(total, m, l) + load(measured, m, l))


@inlined
def all_below(measured, lanes, limit):  # type: ignore[no-untyped-def]
    """Whether the sum of the measures is below the limit in every lane; nan is not."""
    beyond = 0
    for l in range(lanes):
        total = 0.0
        for m in range(len(measured)):
            total += measured[m, l]
        beyond += not total < limit
    return beyond == 0


@compiled
def iterate(A, K, unknowns, rows, code, truth, plan, random, out, room, lanes, limit):  # type: ignore[no-untyped-def]
    """Iterations of one block; returns the number of the one whose measures exceed the limit, or -1.

    unknowns  rows of x, and of y where there is one
    rows    first rows of the mean and of the first device, and how many rows a device has
    code    (program, stages), where stages has for each stage the begin and end of its instructions, of its slots, and
            of its part in a list of the rows that are averaged after it, and that list
    truth   (program, coefficients, forms), with the measures as forms: columns DRIFTS, PLACE and SIZE
    plan    (stage, whether an average follows, coefficients, where the measures are kept or -1) of each iteration
    random  (streams, keys, given): words of signs that are given, or streams and keys to make them from
    out     (total, kept): sums of the measures, and the measures at some times, one row for each
    room    (measured, words): for the measures and the words of one iteration
    """
    mean, first, step = rows
    (table, M, constants, listed), bounds = code
    begin, end, slot_begin, slot_end, averaged, averaged_begin, averaged_end = bounds
    (truth_table, truth_M, truth_constants, truth_listed), truth_c, forms = truth
    exact = truth_table, truth_M[0], truth_constants[0], truth_listed
    stages, ends, c, keep = plan
    streams, keys, given = random
    total, kept = out
    measured, words = room
    differ, changing = len(M) > 1, len(c) > 1
    for n in range(len(stages)):
        mean_rows(A, mean, first, unknowns, step, K)
        run_program(A, exact, truth_c, words, mean)
        measure(A, measured, forms, K, mean, first, step)
        if keep[n] >= 0:
            set_from(kept, len(forms) * keep[n], measured)
        if not all_below(measured, lanes, limit):
            set_from(kept, len(kept) - len(forms), measured)
            return n
        stage = stages[n]
        if stage == READ_ONLY:
            continue
        add_all(total, measured)
        instructions = table[begin[stage] : end[stage]]
        step_c = c[n if changing else 0, begin[stage] : end[stage]]
        for k in range(K):
            for i in range(slot_begin[stage], slot_end[stage]):
                words[i] = given[n, k, i] if len(given) > 0 else finalise(streams[n, i] ^ keys[k])
            device = k if differ else 0
            program = instructions, M[device], constants[device], listed
            run_program(A, program, step_c, words, first + k * step)
        if ends[n] and K > 1:
            for i in range(averaged_begin[stage], averaged_end[stage]):
                row = first + averaged[i]
                mean_rows(A, mean, row, 1, step, K)
                for k in range(K):
                    set_rows(A, row + k * step, mean, 1, 1.0)
    return -1
