"""Published closed forms of methods on noisy quadratics, which exact moments have to reproduce to 1e-12.

SGD, heavy ball and a moving average (Zhang and others 2019): l = h w^2/2, Var g = c/B. Nesterov's method (Aybat and
others): Var of the noise 1. The mean of the iterates: its limit (Polyak and Juditsky), and at every n an inequality
(Bach and Moulines 2013). The stationary covariance of SGD (Dieuleveut, Durmus and Bach). Local gradient descent where
devices differ (Li and others 2020). What is no expression in letters, powers of roots and matrices, is a function.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import mpmath
import numpy as np
from sympy import sqrt

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task
from ratecert.claims.check import equal


def off(setting: rc.statements.Setting) -> float:
    """Of the targets."""
    return float(np.abs(setting.world.a[0]).max() * setting.world.H[0].max() ** 0.5)


PAPER = rc.about("Closed forms on noisy quadratics", certainty="note")
T = rc.letter("T", latex="k")
d = rc.letter("d", means="number of features", units="1", least=1, of=lambda s: float(s.world.d_x))
alpha, beta = rc.letters("alpha beta")
gamma = rc.letter("gamma", means="what is left of the average after a step", units="1")
h = rc.letter("h", means="curvature", units="f x^-2")
c = rc.letter("c", means="variance of a sample's gradient", units="f^2 x^-2")
B = rc.letter("B", means="samples in a batch", units="1")
w_0 = rc.letter("w_0", means="start, from the minimiser", units="x")
loss = rc.letter("l", means="mean of the loss h w^2/2", units="f", latex=r"\mathbb{E}\ell")
trace = r"\operatorname{tr}(H^{-1}S)"
tr = rc.letter("tr", means="S: covariance of the noise of the gradient", units="f", latex=trace)
R = rc.letter(
    "R", means="E[||x||^2 xx'] <= R^2 H", units="f^1/2 x^-1", of=lambda s: float(s.world.H.max() ** 0.5)
)
sigma = rc.letter("sigma", means="covariance of the noise <= sigma^2 H", units="f^1/2", of=off)
D = rc.letter("D", means="distance of the start", latex=r"\|w_0-w^*\|")

r = 1 - alpha * h
PLAIN = alpha * c / (2 * B * (2 - alpha * h))

HEAVY_BALL = (1 + beta) * alpha * c / (2 * B * (2 * beta + 2 - alpha * h) * (1 - beta))
AVERAGE = PLAIN * (1 - gamma) * (1 + r * gamma) / ((1 + gamma) * (1 - r * gamma))
NESTEROV = alpha * c / 2 * (1 + beta * r) / ((1 - beta * r) * (2 + 2 * beta - alpha * h * (1 + 2 * beta)))
ZHANG = "Zhang and others (2019)"
FORMULAS = tuple(
    rc.statements.Formula(id=id, title=title, source=source, left=loss, right=right)
    for id, title, source, right in (
        ("sgd", "SGD at every k", ZHANG, r ** (2 * T) * h * w_0**2 / 2 + (1 - r ** (2 * T)) * PLAIN),
        ("heavy-ball", "Heavy ball at rest", ZHANG, HEAVY_BALL),
        ("moving-average", "A moving average of SGD at rest", ZHANG, AVERAGE),
        ("nesterov", "Nesterov's method at rest, c = 1", "Aybat and others", NESTEROV),
        ("mean-in-the-limit", "The mean of k iterates, as k grows", "Polyak and Juditsky", tr / (2 * T)),
    )
)
ROOTS = "Heavy ball at every k through the roots of z^2 - (1 - alpha h + beta) z + beta"
EQUATION = "Sigma H + H Sigma - gamma H Sigma H = gamma C for the stationary covariance of SGD"
FIXED_POINT = "Local descent rests at (sum p_k S_k)^-1 sum p_k S_k w_k*, S_k = I - (I - eta H_k)^E"
SENTENCES = tuple(
    rc.statements.Text(id=id, title=title, source=source, sentence=sentence)
    for id, title, source, sentence in (
        ("heavy-ball-at-k", "Heavy ball at every k", ZHANG, ROOTS),
        ("covariance", "The covariance of SGD at rest", "Dieuleveut, Durmus and Bach", EQUATION),
        ("local-descent", "Where local descent rests", "a fixed point of an affine map", FIXED_POINT),
    )
)
RIGHT = {each.id: each.right for each in FORMULAS}
FEATURES_AND_NOISE = rc.statements.Assumption(
    id="features",
    title="Features and noise",
    source="Bach and Moulines (2013)",
    sentence="f is E(y - x'w)^2/2, E[||x||^2 xx'] <= R^2 H, and the noise at w* has a covariance <= sigma^2 H.",
    constants={"R": 0.0, "sigma": 0.0},
)


def _features(numbers: Mapping[str, float]) -> rc.worlds.FiniteSum:
    """One feature at a time, r_1 or r_2 long, targets off by sigma to either side."""
    squares = numbers["R"] ** 2 / np.array([1.0, numbers["spread"]])
    H = [np.diag(squares * row) for row in np.eye(2) for _ in (1, -1)]
    a = [sign * numbers["sigma"] / np.sqrt(squares) * row for row in np.eye(2) for sign in (1, -1)]
    return rc.worlds.FiniteSum(H=H, a=a)


FEATURES = rc.statements.Family(
    name="features",
    levels=(
        *(rc.statements.Level(name=name, low=1e-3, high=1e3) for name in ("R", "sigma", "x_off")),
        rc.statements.Level(name="spread", low=1.0, high=1e3),
    ),
    world=_features,
    held=({"sigma": 0.0}, {"x_off": 0.0}, {"spread": 1.0}, {}),
)


def lms(x, grad, *, alpha):
    return x - alpha * grad(x)


least_squares = rc.theorem(
    lms,
    steps="w <- w - alpha (x'w - y) x, with a feature x and its y drawn anew; wbar_{k-1} is the mean of "
    "w_0, ..., w_{k-1}",
    measure=rc.measures.gap().at_mean(),
    measure_latex=r"\mathbb{E}f(\bar{w}_{k-1})-f^*",
    bound={"both": (sigma * sqrt(d) / (1 - sqrt(alpha * R**2)) + R * D / sqrt(alpha * R**2)) ** 2 / (2 * T)},
    where=[alpha < 1 / R**2],
    assuming=[FEATURES_AND_NOISE],
    worlds=(FEATURES,),
    title="Averaged least squares with constant steps",
    source="Bach and Moulines (2013)",
    blind="other features: one coordinate at a time is drawn here",
)


def value(id: str, **letters: float) -> float:
    """A right side in numbers, in thirty digits before it is rounded."""
    return float(RIGHT[id].evalf(30, subs={each: letters[str(each)] for each in RIGHT[id].free_symbols}))


# Each form on a random setting: (what the engine gives, what the form says).

Pairs = Iterator[tuple[Any, Any]]
RANGES = {
    "h": (0.25, 4.0),
    "s": (0.25, 4.0),
    "alpha": (0.02, 0.9),
    "beta": (0.05, 0.95),
    "gamma": (0.05, 0.95),
}
GAP = {"gap": rc.measures.gap()}


def drawn(seed: int, *names: str) -> dict[str, Any]:
    """Curvatures and noise between 1/4 and 4; alpha as a fraction of what is stable; a batch of up to 8.

    B devices that average after every step make a batch of B samples.
    """
    rng = np.random.default_rng([21, seed])
    found = {name: float(rng.uniform(*RANGES[name])) for name in names}
    noise = {"c": found["s"] ** 2} if "s" in found else {"c": 1.0, "s": 1.0}
    return {**found, **noise, "B": int(rng.integers(1, 9)), "alpha": found["alpha"] / found["h"]}


def line(at: Mapping[str, float], a: float = 0.0) -> rc.worlds.SingleLevel:
    return rc.worlds.single_level([at["h"]], a=a, s=at["s"])


def sgd(seed: int) -> Pairs:
    at, start = drawn(seed, "h", "s", "alpha"), 1.7
    for k in (1, 2, 7, 1000):
        read = {"gap": rc.measures.gap().last()}
        solver = rc.methods.SGD(alpha=at["alpha"])
        found = rc.expect(line(at), solver, K=at["B"], T=k, x0=start, measures=read, times=[])
        yield found.gap, value("sgd", **at, T=k, w_0=start)


def heavy_ball(seed: int) -> Pairs:
    at = drawn(seed, "h", "s", "alpha", "beta")
    solver = rc.methods.HeavyBall(alpha=at["alpha"], beta=at["beta"])
    yield rc.stationary(line(at, a=3.0), solver, K=at["B"], measures=GAP).gap, value("heavy-ball", **at)


def moving_average(seed: int) -> Pairs:
    at = drawn(seed, "h", "s", "alpha", "gamma")
    solver = rc.methods.AveragedSGD(alpha=at["alpha"], gamma=at["gamma"])
    read = {"gap": rc.measures.gap("z")}
    yield rc.stationary(line(at), solver, K=at["B"], measures=read).gap, value("moving-average", **at)


def nesterov(seed: int) -> Pairs:
    at = drawn(seed, "h", "alpha", "beta")
    solver = rc.methods.Nesterov(alpha=at["alpha"], beta=at["beta"])
    yield rc.stationary(line(at), solver, K=1, measures=GAP).gap, value("nesterov", **at)


def heavy_ball_at(k: int, at: Mapping[str, float], start: float) -> float:
    """E l(w_k): w_k = A r_1^k + C r_2^k - alpha sum_i g_{k-i} n_i, g_j = (r_1^j - r_2^j)/(r_1 - r_2); w_{-1} = w_0."""
    with mpmath.workdps(40):
        step, momentum = mpmath.mpf(at["alpha"]), mpmath.mpf(at["beta"])
        b = 1 - step * at["h"] + momentum
        root = mpmath.sqrt(mpmath.mpc(b**2 - 4 * momentum))
        r_1, r_2 = (b + root) / 2, (b - root) / 2
        A = start * (1 - 1 / r_2) / (1 / r_1 - 1 / r_2)
        mean = (A * r_1**k + (start - A) * r_2**k).real
        spread = sum((((r_1**j - r_2**j) / (r_1 - r_2)).real) ** 2 for j in range(k + 1)) * step**2
        return float(mpmath.mpf(at["h"]) / 2 * (mean**2 + spread * at["c"] / at["B"]))


def heavy_ball_at_k(seed: int) -> Pairs:
    at, start, T = drawn(seed, "h", "s", "alpha", "beta"), 1.3, 40
    at["alpha"] *= 1 + at["beta"]
    solver = rc.methods.HeavyBall(alpha=at["alpha"], beta=at["beta"])
    found = rc.expect(line(at), solver, K=at["B"], T=T, x0=start, times=range(T + 1), measures=GAP)
    yield from ((found.curves.gap[k], heavy_ball_at(k, at, start)) for k in range(T + 1))


def plane(stream: int, seed: int) -> tuple[rc.worlds.SingleLevel, Any]:
    """Two curvatures in random directions, and the generator that drew them."""
    rng = np.random.default_rng([stream, seed])
    spectrum, s = rng.uniform(0.5, 4.0, 2), float(rng.uniform(0.25, 2.0))
    return rc.worlds.single_level(spectrum.tolist(), seed=seed, a=1.5, s=s), rng


def mean_in_the_limit(seed: int) -> Pairs:
    """Of the loss, and n Cov(wbar_n) = H^-1 S H^-1 entry by entry."""
    world, _ = plane(3, seed)
    n = 2**60
    read = {
        "gap": rc.measures.gap().at_mean(),
        **{name: squared(u).at_mean() for name, u in DIRECTIONS.items()},
    }
    found = rc.expect(world, rc.methods.SGD(alpha=0.1), K=1, T=n, x0=[1.0, 1.0], measures=read, times=[])
    inverse = np.linalg.inv(world.H)
    yield found.gap, value("mean-in-the-limit", T=n, tr=world.s**2 * float(np.trace(inverse)))
    yield n * covariance_of(lambda name: getattr(found, name)), world.s**2 * inverse @ inverse


DIRECTIONS = {"first": np.array([1.0, 0.0]), "second": np.array([0.0, 1.0]), "both": np.array([1.0, 1.0])}


def squared(u: Any) -> rc.measures.Measure:
    """(u'(w - w*))^2."""
    return rc.measures.form(
        lambda problem, at: at.x - problem.x_star[:, None], weight=np.outer(u, u), reads=("x",)
    )


def covariance_of(read: Callable[[str], float]) -> Any:
    """In the plane, from what is read in three directions."""
    first, second, both = (read(name) for name in DIRECTIONS)
    across = (both - first - second) / 2
    return np.array([[first, across], [across, second]])


def covariance(seed: int) -> Pairs:
    """Both sides of the equation for Sigma, entry by entry."""
    world, rng = plane(7, seed)
    step = float(rng.uniform(0.05, 0.45))

    read = {name: squared(u) for name, u in DIRECTIONS.items()}
    found = rc.stationary(world, rc.methods.SGD(alpha=step), K=1, measures=read)
    Sigma, H = covariance_of(lambda name: float(getattr(found, name))), world.H
    left, right = Sigma @ H + H @ Sigma - step * H @ Sigma @ H, step * world.s**2 * np.eye(2)
    yield left, right


def local_limit(world: Any, eta: float, E: int) -> Any:
    """(sum_k p_k S_k)^-1 sum_k p_k S_k w_k*, S_k = I - (I - eta H_k)^E."""
    one = np.eye(world.d_x)
    weighted = list(zip(world.weights, world.devices, strict=True))
    S = [p * (one - np.linalg.matrix_power(one - eta * own.H, E)) for p, own in weighted]
    return np.linalg.solve(sum(S), sum(part @ own.a for part, (_, own) in zip(S, weighted, strict=True)))


def differing(seed: int) -> tuple[Any, float, int]:
    """Devices with weights, a step and a number of local steps."""
    rng = np.random.default_rng([22, seed])
    K, E, d = int(rng.integers(2, 5)), int(rng.integers(2, 9)), int(rng.integers(1, 4))
    weights = rng.dirichlet(np.ones(K))
    weights[-1] = 1 - weights[:-1].sum()
    world = rc.worlds.federated(rng.uniform(0.3, 2.0, d).tolist(), K=K, dial=2.0, weights=weights, seed=seed)
    if d == 1:  # there all devices of that world have one curvature
        lines = [rc.worlds.SingleLevel(H=float(rng.uniform(0.3, 2.0)), a=own.a) for own in world.devices]
        world = rc.worlds.Federated(devices=lines, weights=weights)
    return world, float(rng.uniform(0.05, 0.45)), E


def local_descent(seed: int) -> Pairs:
    world, eta, E = differing(seed)
    yield rc.fixed_point(world, rc.methods.LocalGD(alpha=eta, p=E)).x, local_limit(world, eta, E)


EACH = (
    sgd,
    heavy_ball,
    moving_average,
    nesterov,
    mean_in_the_limit,
    heavy_ball_at_k,
    covariance,
    local_descent,
)
FORMS: dict[str, Callable[[int], Pairs]] = {each.__name__.replace("_", "-"): each for each in EACH}


def apart(form: str, seed: int) -> float:
    """The largest relative distance between the engine and the form; of vectors and matrices by their norms."""
    pairs = ((np.asarray(found), np.asarray(said)) for found, said in FORMS[form](seed))
    return max(float(np.linalg.norm(found - said) / np.linalg.norm(said)) for found, said in pairs)


# Claims: all forms, each on random settings.

TOLERANCE = 1e-12


def compared(form: str, seeds: int) -> list[Json]:
    """How far the engine and a form are apart."""
    return [{"seed": seed, "apart": apart(form, seed)} for seed in range(seeds)]


def checks(rows: Rows) -> Iterator[Check]:
    largest = rows.largest(lambda row: row["apart"])
    name = f"{largest['form']}: largest relative distance on {len(rows)} settings"
    yield equal(name, largest["apart"], 0.0, TOLERANCE)


def claim_of(stated: Any) -> Claim:
    """The engine and the form agree."""
    form = stated.id

    def tasks(budget: Budget) -> list[Task]:
        return [Task(compared, {"form": form, "seeds": 4 if budget.quick else 40}, 5.0)]

    return Claim(
        id=form,
        of=(form,),
        sentence=f"{getattr(stated, 'sentence', stated.title)}: exact moments give the published closed form.",
        tasks=tasks,
        checks=checks,
        regime="random curvatures, noise, batches and stable steps",
        method="exact moments against the closed form",
        evidence=("exact moments", "closed forms"),
        settings={"ranges": RANGES, "tolerance": TOLERANCE},
        table=("form", "seed", "apart"),
    )


CLAIMS = tuple(map(claim_of, (*FORMULAS, *SENTENCES)))
