r"""ITEM with the docstring's indices (unconstrained_convex_minimization/information_theoretic_exact_method) is false as printed.

item of "PEPit 0.5.1: the information-theoretic exact method", entered after lecture notes or documentation that quote
the source, here that of PEPit 0.5.1.
Beta and delta of the docstring are those of the next step, by its own recursion and by the code; delta_0, which the
docstring leaves open, is read as delta_1.

This file proves that, with Python and nothing else, in fractions. Run it: one line and exit code 0 say that it is
proved; with any number edited it ends in an error that says what no longer holds.

The theorem: with
    q = mu/L
the measure
    \mathbb{E}[\|z_{n}-x_\star\|^2]
is at most the sum of
    start  R**2/(A_n*q + 1)
where
    L      Lipschitz constant of the gradient
    mu     strong convexity
    R      distance of the start from a minimiser
    q      mu/L
    A_n    the n-th of ITEM's numbers
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


class Between:
    """A number that is no fraction, between two that are."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __add__(self, other):
        return Between(self.low + low(other), self.high + high(other))

    __radd__ = __add__

    def __neg__(self):
        return Between(-self.high, -self.low)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        ends = [a*b for a in (self.low, self.high) for b in (low(other), high(other))]
        return Between(min(ends), max(ends))

    __rmul__ = __mul__

    def __pow__(self, n):
        require(positive(self.low), "only positive numbers have powers here")
        ends = self.low**int(n), self.high**int(n)
        require(int(n) == n, "an exponent is whole")
        return Between(min(ends), max(ends))

    def __truediv__(self, other):
        require(positive(low(other)*high(other)), "nothing is divided by what may be zero")
        ends = [a/b for a in (self.low, self.high) for b in (low(other), high(other))]
        return Between(min(ends), max(ends))

    def __rtruediv__(self, other):
        return Between(other, other)/self


def low(number):
    return number.low if isinstance(number, Between) else number


def high(number):
    return number.high if isinstance(number, Between) else number


def outward(number):
    """Between two decimals of twelve places, which are short."""
    scale = Fraction(10)**12
    return Between(number.low*scale//one/scale, -(-number.high*scale//one)/scale)


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
    for t in range(int(steps)):
        numbers = [each[t] for each in changing]
        step, draws = (later, later_draws) if t else (first, first_draws)
        S = moved(S, outcomes(lambda *known: step(*known, *numbers), fields, samples, draws))
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
    (Fraction(0), [(Fraction(1, 10), Fraction(0))]),
]
curvatures = [mean([curvature for curvature, _ in samples]) for _, samples in world]
pushes = [mean([push for _, push in samples]) for _, samples in world]
centers = [-push/h for h, push in zip(curvatures, pushes, strict=True)]  # x*
at_most("F is convex", zero, min(curvatures), Fraction(1, 10))

# The hyperparameters, and the letters that they are made of.
L = Fraction(1)
at_most("no curvature is above L", max(curvatures), L, Fraction(0))
alpha = 1/L
require(alpha == Fraction(1), "alpha")
mu = Fraction(1, 10)
at_most("no curvature is below mu", mu, min(curvatures), Fraction(0))
q = mu/L
# beta at every t, by its own recursion.
state_1 = (1 - q)**2/4
require(state_1 == Fraction(81, 400), "state_1")
beta_0 = zero
beta_1 = zero
root_1 = Between(Fraction(181878125000, 301561042743), Fraction(301561042743, 10**11*5))
at_most("root_1 from below", root_1.low**2, low((1 + state_1)*(q + state_1)), Fraction(14286771980615849,
    14550250000039275674247840000))
at_most("root_1 from above", high((1 + state_1)*(q + state_1)), root_1.high**2, Fraction(245472964049, 10**22*5**2))
part_1 = outward((1 - q)**2/(1 + q + 2*root_1 + 2*state_1))
state_2 = outward(part_1*state_1)
beta_2 = outward(part_1/(1 - q))
root_2 = Between(Fraction(210013552333, 509046546407), Fraction(206281285883, 10**11*5))
at_most("root_2 from below", root_2.low**2, low((1 + state_2)*(q + state_2)),
    Fraction(13351288796028959853336351196876929, 5288334416508040910401*10**22*5**2*7**2))
at_most("root_2 from above", high((1 + state_2)*(q + state_2)), root_2.high**2, Fraction(127069905023, 10**23*2))
part_2 = outward((1 - q)**2/(1 + q + 2*root_2 + 2*state_2))
beta_3 = outward(part_2/(1 - q))
beta_over_t = [beta_0, beta_1, beta_2, beta_3]
# delta at every t, by its own recursion.
delta_0 = 2/(1 + q)
require(delta_0 == Fraction(20, 11), "delta_0")
delta_1 = 2/(1 + q)
require(delta_1 == Fraction(20, 11), "delta_1")
delta_2 = outward((root_1 + state_1)/(q + state_1*(1 + q)))
delta_3 = outward((root_2 + state_2)/(q + state_2*(1 + q)))
delta_over_t = [delta_0, delta_1, delta_2, delta_3]

# LateITEM along one axis: a sample of the gradient is g, the mean over all of them full.
changing = [beta_over_t, delta_over_t]
fields = "x z".split()
start_draws = "".split()


def start(x, full):
    return (
        x,
        x,
    )


first_draws = "g".split()


def first(x, z, full, g, beta_t, delta_t):
    return (
        z + beta_t*(x - z) - alpha*g(z + beta_t*(x - z)),
        z + delta_t*(-alpha*g(z + beta_t*(x - z)) + beta_t*q*(x - z)),
    )


later, later_draws = first, first_draws

# What is measured, from exact second moments.
n = Fraction(4)
steps = n
history = [list(moments(x, samples)) for x, samples in world]
require(not any(centers), "x* is the origin")
# A quadratic form of the fields less x*, along one axis; read at the last t.


def found_form(curvature, x, z):
    return (
        z**2
    )


found_over_t = formed(found_form)
*_, found = found_over_t
found, found_above = low(found), high(found)
digits, scale = 1293451664379970973799876241339, Fraction(10)**31
require(found*scale//one == digits, "the measure, rounded down")
measured, measured_above = digits/scale, found_above

# The conditions of the theorem.
# There are none.

# The bound.
root_3 = Between(Fraction(1572774796401, 528063726958), Fraction(297838066907, 10**11))
at_most("root_3 from below", root_3.low**2, low((1 + 4/(1 - q)**2)*(1 + 4*q/(1 - q)**2)), Fraction(80135468772071203,
    1829543377520480807301425604))
at_most("root_3 from above", high((1 + 4/(1 - q)**2)*(1 + 4*q/(1 - q)**2)), root_3.high**2, Fraction(2873770674564089,
    10**22*3**8))
part_3 = outward(2 + 2*root_3 + 4*(1 + q)/(1 - q)**2)
root_4 = Between(Fraction(6673828948687, 978648333508), Fraction(170485881399, 10**9*5**2))
at_most("root_4 from below", root_4.low**2, low((1 + part_3/(1 - q)**2)*(1 + part_3*q/(1 - q)**2)),
    Fraction(9693989355282352164518430030332784889, 59859535042374099724129*10**19*3**8*5**2))
at_most("root_4 from above", high((1 + part_3/(1 - q)**2)*(1 + part_3*q/(1 - q)**2)), root_4.high**2,
    Fraction(2181547185854443, 10**21*3**8*5))
part_4 = outward(2 + 2*root_4 + part_3*(1 + q)/(1 - q)**2)
root_5 = Between(Fraction(6713396093029, 451310907545), Fraction(37188310657, 2500000000))
at_most("root_5 from below", root_5.low**2, low((1 + part_4/(1 - q)**2)*(1 + part_4*q/(1 - q)**2)),
    Fraction(72987110348654900664940839837060911041, 8147261410763661517081*10**21*3**8))
at_most("root_5 from above", high((1 + part_4/(1 - q)**2)*(1 + part_4*q/(1 - q)**2)), root_5.high**2,
    Fraction(212849962965191, 10**21*3**6))
part_5 = outward(2 + 2*root_5 + part_4*(1 + q)/(1 - q)**2)
# A_n, by the paper's own function in letters.
A_n = outward(part_5/(1 - q)**2)
R = Fraction(1)
require(R*R == sum(square(x - center) for _, center, (x, _) in zip(curvatures, centers, world, strict=True)), "R")
bound = {
    "start": (R*R)/(1 + A_n*q),
}
allowed = Fraction(10**13, 105902188293503)
require(high(sum(bound.values())) == allowed, "the bound as printed")

# The theorem says that the measure is at most the bound.
require(measured > allowed, "measure > bound")
print(f"proved: item is false as printed, measure/bound is about {float(measured/allowed):.6g}")
