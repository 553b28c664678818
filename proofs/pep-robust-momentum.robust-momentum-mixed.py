r"""Robust momentum, the docstring's coefficients in the code (unconstrained_convex_minimization/robust_momentum) is false.

robust-momentum-mixed of "PEPit 0.5.1: robust momentum", entered beside what is printed there, not printed itself.
Alpha and gamma of the docstring are not those of the code, which attains the bound: with them v may vanish before a
step and not after it; kappa, y, q and z, which the docstring has otherwise or not at all, are those of the code: the
docstring to its letter, where rho is negative, cannot be run.

This file proves that, with Python and nothing else, in fractions. Run it: one line and exit code 0 say that it is
proved; with any number edited it ends in an error that says what no longer holds.

The theorem: with
    lam <= 1
    rho = lam*(1 - 1/kappa) + (1 - 1/sqrt(kappa))*(1 - lam)
the measure
    v(x_{n+1})
is at most the sum of
    start  rho**2*v
where
    lam    0: triple momentum, 1: gradient descent
    kappa  L/mu
    rho    rate
    v      the Lyapunov function before the step
f is L-smooth and mu-strongly convex (mu = 0: convex).

The world: x is 3 numbers, and no axis sees another. The gradient is affine, so that second moments, E z z' with z =
(1, the fields of the state), are all that is needed to know the measure exactly. Every number below is a fraction; a
comparison has the room that is left as its last argument.
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


def moments(begun, samples):
    """E z z' for t = 0, ..., steps, along one axis."""
    S = [[a*b for b in (one, *begun)] for a in (one, *begun)]
    S = moved(S, outcomes(start, given, samples, start_draws))
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
    (Fraction(0), [(Fraction(1), Fraction(0))]),
    (Fraction(1), [(Fraction(1), Fraction(0))]),
    (Fraction(1), [(Fraction(1, 4), Fraction(0))]),
]
curvatures = [mean([curvature for curvature, _ in samples]) for _, samples in world]
pushes = [mean([push for _, push in samples]) for _, samples in world]
centers = [-push/h for h, push in zip(curvatures, pushes, strict=True)]  # x*
last_0 = [Fraction(0), Fraction(0), Fraction(-1)]  # axis by axis
at_most("F is convex", zero, min(curvatures), Fraction(1, 4))

# The hyperparameters, and the letters that they are made of.
L = Fraction(1)
at_most("no curvature is above L", max(curvatures), L, Fraction(0))
mu = Fraction(1, 4)
at_most("no curvature is below mu", mu, min(curvatures), Fraction(0))
kappa = L/mu
lam = Fraction(1)
require(1 - lam == zero, "what 1 - lam multiplies vanishes")
rho = lam*(1 - 1/kappa)
require(rho == Fraction(3, 4), "rho")
alpha = kappa*(1 + rho)*(1 - rho**2)/L
require(alpha == Fraction(49, 16), "alpha")
beta = kappa*rho**3/(-1 + kappa)
require(beta == Fraction(9, 16), "beta")
gamma = rho**2/((1 + rho)*(1 - rho)**2*(-1 + kappa))
require(gamma == Fraction(12, 7), "gamma")
part_1 = mu**2*(-1 + kappa - kappa*rho**2)/(2*rho*(1 - rho))
require(part_1 == Fraction(1, 8), "part_1")

# robust along one axis: a sample of the gradient is g, the mean over all of them full.
fields = "x last".split()
start_draws = "".split()


def start(x, last, full):
    return (
        x,
        last,
    )


first_draws = "g".split()


def first(x, last, full, g):
    return (
        x + beta*(x - last) - alpha*g(x + gamma*(x - last)),
        x,
    )


later, later_draws = first, first_draws

# What is measured, from exact second moments.
n = Fraction(1)
steps = n
given = "x last".split()
starts = zip([x for x, _ in world], last_0, strict=True)
history = [list(moments(begun, samples)) for begun, (_, samples) in zip(starts, world, strict=True)]
require(not any(centers), "x* is the origin")
require(not any([(curvature - mu)*(L - curvature) for curvature in curvatures]),
    "what (L - curvature)*(curvature - mu) multiplies vanishes")
# A quadratic form of the fields less x*, along one axis; read at the last t.


def found_form(curvature, x, last):
    return (
        part_1*(x*(1 + beta - rho**2) - last*beta - curvature*alpha*(x + gamma*(x - last)))**2/(1 - rho**2)**2
    )


found_over_t = formed(found_form)
*_, found = found_over_t
measured = Fraction(49082346297, 25690112)
require(found == measured, "the measure")
measured_above = measured
# A quadratic form of the fields less x*, along one axis; read as the mean over all t but the last.
found_v_over_t = formed(found_form)
*before, _ = found_v_over_t
found_v = mean(before)
v = found_v

# The conditions of the theorem.
at_most("lam <= 1", lam, 1, Fraction(0))

# The bound.
bound = {
    "start": v*rho**2,
}
allowed = Fraction(2094417, 100352)
require(high(sum(bound.values())) == allowed, "the bound as printed")

# The theorem says that the measure is at most the bound.
require(measured > allowed, "measure > bound")
print(f"proved: robust-momentum-mixed is false, measure/bound is about {float(measured/allowed):.6g}")
