r"""The smallest gradient (nonconvex_optimization/gradient_descent) is false as printed.

smallest-gradient of "PEPit 0.5.1: gradient descent without convexity", entered after lecture notes or documentation
that quote the source, here that of PEPit 0.5.1.
What is wrong is at smallest-gradient.term.start.

This file proves that, with Python and nothing else, in fractions. Run it: one line and exit code 0 say that it is
proved; with any number edited it ends in an error that says what no longer holds.

The theorem: with
    gamma <= 1/L
the measure
    \min_{t\leqslant n}\|\nabla f(x_t)\|^2
is at most the sum of
    start  4*D*L/(3*n)
where
    n      number of iterations
    gamma  step size
    L      Lipschitz constant of the gradient
    D      what n iterations have gained
The gradient of f is L-Lipschitz.

The world: x is one number. The gradient is affine, so that second moments, E z z' with z = (1, the fields of the
state), are all that is needed to know the measure exactly. Further axes, along which the run is at rest, are left
out. Every number below is a fraction; a comparison has the room that is left as its last argument.
"""

from fractions import Fraction


def require(truth, sentence):
    """Unlike an assert statement, this is not skipped by python -O."""
    if not truth:
        raise AssertionError(sentence)


def low(number):
    """All numbers here are fractions; where some are not, this is the lower end of what is known of one."""
    return number


high = low


def positive(number):
    return abs(number) == number != -number


def at_most(sentence, left, right, room):
    """left <= right, with exactly this much room."""
    found = low(right - left)
    require(found == room == abs(room), f"{sentence}: the room is {found}")


def below(sentence, left, right, room):
    found = low(right - left)
    require(found == room and positive(room), f"{sentence}: the room is {found}")


def square(number):
    return number*number


def mean(values):
    return sum(values)/len(values)


def matrix(function, names, *estimates):
    """An affine function as a matrix on (1, its arguments): what it makes of zeros, and of one and zeros."""
    origin = function(*(zero for _ in names), *estimates)
    columns = [origin]
    for name in names:
        unit = function(*(one if other == name else zero for other in names), *estimates)
        columns.append([a - b for a, b in zip(unit, origin, strict=True)])
    return [[one, *(zero for _ in names)], *zip(*columns, strict=True)]


def product(A, B):
    columns = list(zip(*B, strict=True))
    return [[sum((a*b for a, b in zip(row, column, strict=True) if a and b), zero) for column in columns] for row in A]


def line(sample):
    """A sample of the gradient."""
    curvature, push = sample
    return lambda x: curvature*x + push


def outcomes(function, names, samples, draws):
    """The matrices of a step, one for every outcome of its samples; all are equally likely."""
    full = line([mean(column) for column in zip(*samples, strict=True)])
    drawn = [()]
    for _ in draws:
        drawn = [(*before, line(sample)) for before in drawn for sample in samples]
    return [matrix(function, names, full, *each) for each in drawn]


def moved(S, matrices):
    """E z z' after a step, z = (1, the fields)."""
    after = [product(product(R, S), list(zip(*R, strict=True))) for R in matrices]
    return [[mean(entries) for entries in zip(*rows, strict=True)] for rows in zip(*after, strict=True)]


def moments(x, samples):
    """E z z' for t = 0, ..., steps, along one axis."""
    S = [[one, x], [x, x*x]]
    S = moved(S, outcomes(start, ["x"], samples, start_draws))
    yield S
    first_maps = outcomes(first, fields, samples, first_draws)
    later_maps = outcomes(later, fields, samples, later_draws)
    for t in range(int(steps)):
        S = moved(S, later_maps if t else first_maps)
        yield S


def formed(function):
    """For every t the sum over axes of E function(curvature, the fields - x*), a quadratic form: Q of its values on units."""
    units = [[one if name == other else zero for other in fields] for name in fields]
    totals = [zero for _ in range(int(steps + one))]
    for h, center, states in zip(curvatures, centers, history, strict=True):
        both = [[[a + b for a, b in zip(u, v, strict=True)] for v in units] for u in units]
        Q = [[half*(function(h, *both_uv) - function(h, *u) - function(h, *v))
              for both_uv, v in zip(row, units, strict=True)] for row, u in zip(both, units, strict=True)]
        shift = [[-center, *row] for row in units]
        for t, S in enumerate(states):
            moment = product(product(shift, S), list(zip(*shift, strict=True)))
            totals[t] += sum(q*m for qs, ms in zip(Q, moment, strict=True) for q, m in zip(qs, ms, strict=True))
    return totals


# The world: along every axis where the run starts, and the samples of the gradient there, all equally likely.
zero, one = Fraction(0), Fraction(1)
half = one/(one + one)
world = [  # x_0, [(curvature, push), ...]: a sample is curvature x + push
    (Fraction(1), [(Fraction(1), Fraction(0))]),
]
curvatures = [mean([curvature for curvature, _ in samples]) for _, samples in world]
pushes = [mean([push for _, push in samples]) for _, samples in world]
centers = [-push/h for h, push in zip(curvatures, pushes, strict=True)]  # x*
at_most("F is convex", zero, min(curvatures), Fraction(1))

# The hyperparameters, and the letters that they are made of.
gamma = Fraction(1, 10)
n = Fraction(1)

# gradient_descent along one axis: a sample of the gradient is g, the mean over all of them full.
fields = "x".split()
start_draws = "".split()


def start(x, full):
    return (
        x,
    )


first_draws = "g".split()


def first(x, full, g):
    return (
        x - gamma*g(x),
    )


later, later_draws = first, first_draws

# What is measured, from exact second moments.
steps = n
history = [list(moments(x, samples)) for x, samples in world]
require(not any(centers), "x* is the origin")
# A quadratic form of the fields less x*, along one axis; read at the last t.


def found_form(curvature, x):
    return (
        (curvature*curvature)*x**2
    )


found_over_t = formed(found_form)
*_, found = found_over_t
measured = Fraction(81, 100)
require(found == measured, "the measure")
measured_above = measured
require(found == min(found_over_t), "the last is the smallest")
# A quadratic form of the fields less x*, along one axis; read as the mean over all t but the last.


def found_D_form(curvature, x):
    return (
        gamma*n*(curvature*curvature)*x**2*(1 - curvature*gamma/2)
    )


found_D_over_t = formed(found_D_form)
*before, _ = found_D_over_t
found_D = mean(before)
D = found_D

# The conditions of the theorem.
L = Fraction(1)
at_most("no curvature is above L", max(curvatures), L, Fraction(0))
at_most("gamma <= 1/L", gamma, 1/L, Fraction(9, 10))

# The bound.
bound = {
    "start": 4*D*L/(3*n),
}
allowed = Fraction(19, 150)
require(high(sum(bound.values())) == allowed, "the bound as printed")

# With the erratum at smallest-gradient.term.start alone.
cured = {
    "start": 4*D/(gamma*n*(4 - L*gamma)),
}
allowed_if_cured = Fraction(38, 39)
require(high(sum(cured.values())) == allowed_if_cured, "the bound with this erratum")
at_most("measure <= bound, this erratum applied", measured, allowed_if_cured, Fraction(641, 3900))

# The theorem says that the measure is at most the bound.
require(measured > allowed, "measure > bound")
print(f"proved: smallest-gradient is false as printed, measure/bound is about {float(measured/allowed):.6g}")
