"""The truth and the samples of every kind of world, found again by SymPy from f and g as they are printed.

    quadratic      g = 1/2 y'(A + e E)y - y'((B + e' F)x + c) + s_g n'y
                   f = 1/2 (x-a)'P(x-a) + 1/2 (y-b)'D(y-b) + s_f m_x'x + s_f m_y'y
    wavy           the same with w(x) = x + (dial/omega) sin(omega (x - a)) in the place of x in g, P = 0, F = 0
    huberised      s^2/2 -> delta s - delta^2/2 where s = sqrt(z'Mz) > delta
    heterogeneous  the mean of g over devices
    ridge          g = 1/2 (u_i'y - t_i)^2 + 1/2 sum_j exp(m sin(x_j/m)) y_j^2      f = 1/2 (v_i'y - s_i)^2

SymPy differentiates these lines at rational entries. Each check is shown to see every wrong field.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray

from oracles.printed import Printed, assert_samples, assert_truth, letters, matrix, numbers
from oracles.world_signs import every_outcome
from ratecert.solvers import exact_hypergradient
from ratecert.synthetic import Quadratic
from ratecert.synthetic.devices import Heterogeneous
from ratecert.synthetic.devices import heterogeneous as drawn
from ratecert.synthetic.huberised import huberised
from ratecert.synthetic.ridge import Ridge
from ratecert.synthetic.ridge_rows import Table
from ratecert.synthetic.wavy import wavy

Array = NDArray[np.float64]
Entries = dict[str, Any]

ONE: Entries = {
    "A": matrix("3/2"), "E": [matrix("1/2")], "B": matrix("2/3"), "F": [matrix("-1/5")], "c": matrix("1/7"),
    "P": matrix("5/4"), "D": matrix("7/3"), "a": matrix("-1/2"), "b": matrix("4/5"), "s_f": sp.Rational(1, 3),
    "s_g": sp.Rational(2, 5),
}  # fmt: skip
TWO: Entries = {
    "A": matrix("2 1/3", "1/3 3/2"), "E": [matrix("1/4 1/5", "1/5 -1/6"), matrix("0 1/3", "1/3 1/7")],
    "B": matrix("1/2 -2/3", "5/7 1"), "F": [matrix("1/3 0", "1/5 -1/2"), matrix("2/7 1/9", "0 1/4")],
    "c": matrix("1/3", "-2/5"), "P": matrix("3/2 -1/4", "-1/4 2/3"), "D": matrix("4/3 1/6", "1/6 5/2"),
    "a": matrix("1/2", "-3/4"), "b": matrix("2/3", "1/8"), "s_f": sp.Rational(1, 6), "s_g": sp.Rational(3, 4),
}  # fmt: skip
WIDE: Entries = {
    "A": matrix("5/3"), "E": [matrix("2/3")], "B": matrix("1/2 -4/3"), "F": [matrix("1/6 1/2")], "c": matrix("3/8"),
    "P": matrix("1 1/5", "1/5 3/4"), "D": matrix("2/9"), "a": matrix("1/4", "2"), "b": matrix("-1/3"),
    "s_f": sp.Rational(1, 2), "s_g": sp.Rational(1, 7),
}  # fmt: skip
SPREAD: Entries = {
    "dA": [matrix("1 1/2", "1/2 -1/3"), matrix("-1/4 0", "0 1/3"), matrix("-3/4 -1/2", "-1/2 0")],
    "dB": [matrix("1/5 0", "-1/2 1"), matrix("1/3 1/2", "1/4 -1"), matrix("-8/15 -1/2", "1/4 0")],
    "dc": [matrix("1", "0"), matrix("-1/3", "1/7"), matrix("-2/3", "-1/7")],
    "dial": sp.Rational(2, 5),
}
WAVES: Entries = {
    "d": 2, "dial": 2.0, "omega": 1.5, "A": [1.0, 2.0], "E": [0.25, -0.5], "B": [1.0, -0.75], "D": [1.0, 0.5],
    "a": [0.25, -1.0], "b": [0.5, -0.125], "s_f": 0.25, "s_g": 0.5,
}  # fmt: skip
NEAR = np.array([[0.0, 7 / 3, -5 / 3, 0.1], [0.0, -2 / 3, 11 / 3, 4.0]])


def printed(w: Entries, *, wave: tuple[Any, Any] = (0, 1), delta: Any = None) -> Printed:
    """The quadratic lines, x bent by (dial/omega) sin in g, and f linear from s = delta on."""
    d_x, d_y = w["P"].rows, w["A"].rows
    x, y, m_x, m_y, n = (letters(k, d) for k, d in zip("xyuvn", (d_x, d_y, d_x, d_y, d_y), strict=True))
    e, e_F = letters("e", len(w["E"])), letters("k", len(w["F"]))
    dial, omega = wave
    bent = x + sp.Matrix([dial / omega * sp.sin(omega * v) for v in x - w["a"]])
    M = sum((e_i * E_i for e_i, E_i in zip(e, w["E"], strict=True)), w["A"])
    N = sum((e_i * F_i for e_i, F_i in zip(e_F, w["F"], strict=True)), w["B"])
    u, v = x - w["a"], y - w["b"]
    square = (u.T * w["P"] * u)[0] + (v.T * w["D"] * v)[0]
    f = square / 2
    if delta is not None:
        f = sp.Piecewise((f, square <= delta**2), (delta * sp.sqrt(square) - delta**2 / 2, True))
    return Printed(
        x=x, y=y, f=f + w["s_f"] * (m_x.dot(x) + m_y.dot(y)), noise_f=[*m_x, *m_y], noise_g=[*e, *e_F, *n],
        g=(y.T * M * y)[0] / 2 - (y.T * (N * bent + w["c"]))[0] + w["s_g"] * n.dot(y),
    )  # fmt: skip


def fields_of(w: Entries) -> dict[str, Any]:
    vectors = ("c", "a", "b", "dc")
    return {k: numbers(v)[..., 0] if k in vectors else numbers(v) for k, v in w.items()}


def quadratic(w: Entries) -> Callable[..., Quadratic]:
    return lambda **changed: Quadratic(**{**fields_of(w), **changed})


def waves() -> Printed:
    """WAVES has binary fractions only, so that nothing is rounded on the way."""
    exact = {k: [sp.Rational(v) for v in value] for k, value in WAVES.items() if isinstance(value, list)}
    diagonal = {k: sp.diag(*exact[k]) for k in ("A", "B", "D")} | {"E": [sp.diag(*exact["E"])]}
    a, b = sp.Matrix(exact["a"]), sp.Matrix(exact["b"])
    c = diagonal["A"] * b - diagonal["B"] * a
    noise = {k: sp.Rational(WAVES[k]) for k in ("s_f", "s_g")}
    return printed(
        {**diagonal, "F": [], "c": c, "a": a, "b": b, "P": sp.zeros(2, 2), **noise},
        wave=(sp.Rational(WAVES["dial"]), sp.Rational(WAVES["omega"])),
    )


def huber() -> Printed:
    """delta = radius sqrt(lambda_max(P, D)), of which the numbers are nowhere near the points below."""
    largest = sp.Float(max(np.linalg.eigvalsh(numbers(TWO[k])).max() for k in "PD"), 30)
    return printed(TWO, delta=sp.Rational(3, 2) * sp.sqrt(largest))


def mean_over_devices() -> Printed:
    parts = [{**TWO, **{k: TWO[k] + SPREAD["dial"] * SPREAD[f"d{k}"][i] for k in "ABc"}} for i in range(3)]
    lines = [printed(part) for part in parts]
    return replace(lines[0], g=sum((line.g for line in lines), sp.Integer(0)) / 3)


ROWS: dict[str, sp.Matrix] = {
    "U": sp.Matrix([[1, 2], [-1, 3], [sp.Rational(1, 2), 1], [2, -1]]), "t": matrix("1", "-2", "3/4", "1"),
    "V": matrix("1 -1", "1/3 2"), "s": matrix("2", "-1/2"),
}  # fmt: skip
M = sp.Rational(3, 2)


def ridge(batch: int = 1, *, m: float = float(M), **changed: Any) -> Ridge:
    rows = {k: changed.get(k, numbers(v)) for k, v in ROWS.items()}
    g, f = (Table(rows[u], rows[t][:, 0], ("p", "q")) for u, t in ("Ut", "Vs"))
    return Ridge(
        training=g.rows(np.arange(4), batch), validation=f.rows(np.arange(2), batch), m=m, b=np.zeros(2),
        names=g.names, left_out=(),
    )  # fmt: skip


def losses(batch: int) -> Printed:
    """Each symbol of noise is the share of one block of rows."""
    x, y = letters("x", 2), letters("y", 2)
    of_rows = {"g": (ROWS["U"] * y - ROWS["t"]), "f": (ROWS["V"] * y - ROWS["s"])}
    blocks = {k: [sum(v[i : i + batch, 0].applyfunc(lambda r: r**2 / 2)) / batch for i in range(0, len(v), batch)]
              for k, v in of_rows.items()}  # fmt: skip
    share = {k: list(letters(f"w{k}", len(v))) for k, v in blocks.items()}
    f, g = (sum((w * b for w, b in zip(share[k], blocks[k], strict=True)), sp.Integer(0)) for k in "fg")
    penalties = sum(sp.exp(M * sp.sin(x[j] / M)) * y[j] ** 2 / 2 for j in range(2))

    def shares(sample: Any) -> Array:
        if sample.number is None:
            return np.ones((1, 1))
        return np.eye(int(sample.number.max()) + 1)[:, sample.number]

    return Printed(
        x=x, y=y, f=f, g=g + penalties, noise_f=share["f"], noise_g=share["g"], rows=True, values_of=shares
    )


# World, its two lines, points, and the fields whose mistakes the truth and the samples have to show.

FAR = np.array([[1.0, 0.0, 7.0, -30.0], [1.0, 0.0, -2.0, 40.0]])
WORLDS: dict[str, tuple[Callable[..., Any], Callable[[], Printed], Array, list[str], list[str]]] = {
    "d = 1": (quadratic(ONE), lambda: printed(ONE), NEAR[:1], list("ABcPDab"), ["s_f", "E", "F", "s_g"]),
    "d = 2": (quadratic(TWO), lambda: printed(TWO), NEAR, list("ABcPDab"), ["s_f", "E", "F", "s_g"]),
    "d_x = 2, d_y = 1": (quadratic(WIDE), lambda: printed(WIDE), NEAR, list("ABcPDab"), ["s_f", "E", "F", "s_g"]),
    "wavy": (
        lambda **changed: wavy(**{**WAVES, **changed}), waves, 3 * NEAR, ["dial", "omega", *"ABDab"],
        ["E", "s_f", "s_g"],
    ),
    "huberised": (
        lambda radius=1.5, **changed: huberised(quadratic(TWO)(**changed), radius=radius), huber, FAR,
        ["radius", *"ABcPDab"], ["s_f"],
    ),
    "ridge": (ridge, lambda: losses(1), NEAR, ["m", "U", "t", "V", "s"], []),
    "ridge, batches": (lambda **changed: ridge(2, **changed), lambda: losses(2), NEAR, [], ["U", "t", "V", "s"]),
}  # fmt: skip
derived = cache(lambda name: WORLDS[name][1]())


@pytest.mark.smoke
@pytest.mark.parametrize("name", WORLDS)
def test_truth_and_samples_are_those_of_the_printed_lines(name: str) -> None:
    world = WORLDS[name][0]()
    assert_truth(world, derived(name), WORLDS[name][2])
    assert_samples(world, derived(name))


def changed_by_a_percent(name: str, field: str) -> Any:
    made = WORLDS[name][0]()
    rows = {k: numbers(v) for k, v in ROWS.items()} if "ridge" in name else {}
    value = rows[field] if field in rows else getattr(made if hasattr(made, field) else made.world, field)
    return WORLDS[name][0](**{field: 1.01 * np.asarray(value)})


@pytest.mark.parametrize(
    ("name", "field"), [(name, f) for name in WORLDS for f in WORLDS[name][3] + WORLDS[name][4]]
)
def test_a_wrong_field_is_seen(name: str, field: str) -> None:
    wrong, (_, _, points, in_truth, _) = changed_by_a_percent(name, field), WORLDS[name]
    with pytest.raises(AssertionError, match="Not equal"):
        assert_samples(wrong, derived(name))
    if field in in_truth:
        with pytest.raises(AssertionError, match="Not equal"):
            assert_truth(wrong, derived(name), points)


# The minimiser, and devices that differ.


@pytest.mark.parametrize("w", [ONE, TWO, WIDE], ids=["d = 1", "d = 2", "d_x = 2, d_y = 1"])
def test_the_minimiser_is_where_the_printed_gradient_is_zero(w: Entries) -> None:
    made = printed(w)
    gradient = sp.Matrix(made.truth["hypergradient"](*made.x))
    x_star = sp.solve([sp.nsimplify(entry) for entry in gradient], list(made.x), dict=True)[0]
    expected = [float(x_star[s]) for s in made.x]
    np.testing.assert_allclose(quadratic(w)().x_star, expected, rtol=1e-12)
    assert np.abs(quadratic(w)(c=1.01 * fields_of(w)["c"]).x_star - expected).max() > 1e-6


def heterogeneous(**changed: Any) -> Heterogeneous:
    return Heterogeneous(**{**fields_of({**TWO, **SPREAD}), **changed})


def local_inverse_bias(x: sp.Matrix, dial: Any) -> sp.Matrix:
    """The mean over devices of Lemma 1 with the inverse of the device's own Hessian, minus grad Phi, at x."""
    y_star = TWO["A"].inv() * (TWO["B"] * x + TWO["c"])
    u, v = x - TWO["a"], y_star - TWO["b"]
    own = [
        TWO["P"] * u + (TWO["B"] + dial * dB).T * (TWO["A"] + dial * dA).inv() * TWO["D"] * v
        for dA, dB in zip(SPREAD["dA"], SPREAD["dB"], strict=True)
    ]
    return sum(own, sp.zeros(2, 1)) / 3 - TWO["P"] * u - TWO["B"].T * TWO["A"].inv() * TWO["D"] * v


def assert_devices(world: Heterogeneous) -> None:
    assert_truth(world, mean_over_devices(), NEAR)
    for point in NEAR.T:
        x = sp.Matrix([sp.nsimplify(v) for v in point])
        expected = numbers(local_inverse_bias(x, SPREAD["dial"]))[:, 0]
        np.testing.assert_allclose(world.local_inverse_bias(point), expected, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(exact_hypergradient(world, point), world.hypergradient(point), rtol=1e-12)
    for i, device in enumerate(world.devices):
        own = {k: TWO[k] + SPREAD["dial"] * SPREAD[f"d{k}"][i] for k in "ABc"}
        assert_samples(device, printed({**TWO, **own}))


def test_devices_are_those_of_the_printed_lines_and_their_mean_has_the_bias_of_local_inverses() -> None:
    assert_devices(heterogeneous())


@pytest.mark.parametrize("field", ["A", "B", "c", "P", "D", "a", "b", "dA", "dB", "dc", "dial"])
def test_a_wrong_field_of_devices_is_seen(field: str) -> None:
    with pytest.raises(AssertionError, match="Not equal"):
        assert_devices(heterogeneous(**{field: 1.01 * np.asarray(getattr(heterogeneous(), field))}))


def test_the_bias_of_local_inverses_is_of_second_order_in_the_dial() -> None:
    """One device alone is off in first order."""
    dial = sp.Symbol("dial", positive=True)
    bias = local_inverse_bias(sp.Matrix([1, -2]), dial)[0]
    one = ((TWO["A"] + dial * SPREAD["dA"][0]).inv() * (TWO["B"] + dial * SPREAD["dB"][0]))[0]
    off = sp.cancel(one - (TWO["A"].inv() * TWO["B"])[0])
    orders = [sp.limit(sp.cancel(value) / dial**k, dial, 0) for value, k in ((bias, 1), (bias, 2), (off, 1))]
    assert [order == 0 for order in orders] == [True, False, False]


# Devices drawn from a seed: no bias, where the mean of their own hypergradients is zero, directions.


def test_no_bias_where_the_devices_have_one_curvature_or_the_dial_is_zero() -> None:
    world, columns = drawn(), np.array([[0.3, 1.0, -2.0], [2.0, 0.0, 1.0]])
    for unbiased in (replace(world, dA=np.zeros_like(world.dA)), replace(world, dial=0.0)):
        np.testing.assert_array_equal(unbiased.local_inverse_bias(columns), np.zeros((2, 3)))
        np.testing.assert_array_equal(unbiased.x_local, world.x_star)
    for biased in (replace(world, dB=np.zeros_like(world.dB)), replace(world, dc=np.zeros_like(world.dc))):
        assert np.linalg.norm(biased.local_inverse_bias(columns)) > 0.1
        assert np.linalg.norm(biased.x_local - world.x_star) > 1e-4


def test_x_local_is_where_the_mean_of_the_devices_own_hypergradients_is_zero() -> None:
    world = drawn(d_x=3, d_y=2, dial=0.7, seed=4)

    def local(x: Array) -> float:
        return np.linalg.norm(world.hypergradient(x) + world.local_inverse_bias(x))

    assert local(world.x_local) < 1e-13 * local(world.x_star + 1.0)
    assert local(world.x_star) > 1e-3


def test_directions_are_centred_and_of_norm_one_at_most() -> None:
    world = drawn(d_x=3, d_y=2, K=5, seed=7)
    for directions in (world.dA, world.dB, world.dc):
        assert max(np.linalg.norm(d, 2) for d in directions) == pytest.approx(1.0, rel=1e-14)
        assert np.abs(directions.sum(axis=0)).max() < 1e-15
    for name in ("A", "B", "c"):
        mean = np.mean([getattr(d, name) for d in world.devices], axis=0)
        np.testing.assert_allclose(mean, getattr(world, name), atol=1e-15)


# Samples.


def test_a_source_that_is_off_draws_no_signs() -> None:
    """Directions of E and F that are zero are dropped, and s_f = s_g = 0 ask for nothing."""
    world = quadratic(TWO)()
    silent = replace(world, E=np.zeros((2, 2, 2)), F=np.zeros((1, 2, 2)), s_f=0.0, s_g=0.0)
    for draw in (silent.sample_f, silent.sample_g, silent.sample_hessian, silent.sample_jacobian):
        assert every_outcome(draw)[1] == 1
    padded = replace(world, E=np.concatenate([np.zeros((1, 2, 2)), world.E]))
    assert every_outcome(padded.sample_hessian)[1] == every_outcome(world.sample_hessian)[1] == 2**2


@pytest.mark.parametrize("name", ["d = 2", "wavy", "huberised"])
def test_samples_for_one_product_are_those_of_the_whole_gradient(name: str) -> None:
    world = WORLDS[name][0]()
    zeta, n = every_outcome(world.sample_g)
    x, y, r = (np.random.default_rng(k).standard_normal((2, n)) for k in range(3))
    for draw, product, signs in (
        (world.sample_hessian, world.hessian_g, "e"),
        (world.sample_jacobian, world.jacobian_g, "e_F"),
    ):
        part, few = every_outcome(draw)
        assert few == 2 ** len(getattr(part, signs))
        chosen = replace(part, **{signs: getattr(zeta, signs)})
        np.testing.assert_array_equal(product(chosen, x, y, r), product(zeta, x, y, r))
