"""A statement of the library in the short form is the same records; what it cannot say stands beside it in the long."""

from pathlib import Path
from typing import Any

import pytest

import ratecert as rc
from ratecert.base.asked import asked
from ratecert.catalogue.find import bindings

PASGD = r'''"""Periodic averaging SGD."""

from sympy import sqrt

import ratecert as rc

PAPER = rc.about("Cooperative SGD", key="my-pasgd", certainty="note")
K = rc.letter("K", means="number of devices", latex="m")
T = rc.letter("T", means="number of iterations", latex="t")
tau = rc.letter("tau", means="local steps between two averages")
b = rc.letter("b", means="samples in a batch", units="1", least=1)
eta, L, sigma = rc.letters("eta L sigma")
Delta = rc.letter("Delta", means="gap at the start", latex=r"(F(w_0)-F_{\inf})")

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smoothness and noise",
    source="asked by the theorem",
    sentence="F is L-smooth and bounded below; a batch has no bias and a variance of at most sigma^2/b.",
    constants={"L": 0.0, "sigma": 0.0},
)


def pasgd(x, grad, *, eta, b):
    return x - eta * grad(x, batch=b)


theorem_1 = rc.theorem(
    rc.local(pasgd, every=tau),
    measure=rc.measures.gradient(),
    bound={
        "start": 2 * Delta / (eta * T),
        "noise": eta * L * sigma**2 / (K * b),
        "drift": eta**2 * L**2 * sigma**2 * (tau - 1) / b,
    },
    where={"eta": eta * L + eta**2 * L**2 * tau * (tau - 1) <= 1},
    assuming=[SMOOTH],
    title="Periodic averaging SGD, identical data",
    source="as lecture notes quote it",
)
corollary_1 = rc.corollary(
    theorem_1,
    along={eta: sqrt(K / T), tau: ("O", sqrt(T / K**3)), b: ("O", 1)},
    rate=1 / sqrt(K * T),
    window=[T >= K**3],
    source="orders of the theorem's terms",
    printed=False,
)
'''


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "my_pasgd.py"
    path.write_text(PASGD, encoding="utf-8")
    return asked(str(path))


def test_it_is_the_same_record(file: str) -> None:
    ours, theirs = rc.paper(key=file), rc.paper(key="pasgd")
    for name, parts in {
        "theorem-1": ("terms", "measure_units", "assumptions", "title", "source"),
        "corollary-1": ("scalings", "claim", "window", "theorem", "printed"),
        "smooth": ("sentence", "constants", "source"),
    }.items():
        one, other = ours[name], theirs[name]
        assert {part: getattr(one, part) for part in parts} == {part: getattr(other, part) for part in parts}
    one, other = (dict(each["theorem-1"].conditions) for each in (ours, theirs))  # type: ignore[attr-defined]
    assert [*one.values()] == [*other.values()]
    assert {n: (s.units, s.least, s.latex) for n, s in ours.notation.items()} == {
        n: (s.units, s.least, s.latex) for n, s in theirs.notation.items()
    }
    one, other = bindings(file)["theorem-1"], bindings("pasgd")["theorem-1"]
    assert (one.constants, one.devices, one.iterations) == (other.constants, other.devices, other.iterations)


def test_it_runs_as_the_class_does(file: str) -> None:
    """One world, both methods."""
    world, letters = rc.worlds.single_level([2.0, 0.5], s=0.5), {"eta": 0.1, "tau": 4.0, "b": 3.0}
    sides: list[Any] = []
    for key in (file, "pasgd"):
        solver = bindings(key)["theorem-1"].solver(rc.paper(key=key), letters)
        sides.append(rc.expect(world, solver, K=4, T=40, start={"x": [1.0, 1.0]}).gradient)
    assert sides[0] == pytest.approx(sides[1], rel=1e-12)


def test_an_erratum_in_letters_corrects_a_part(file: str) -> None:
    path = Path(file)
    path.write_text(
        f"{PASGD}LOST = rc.statements.Erratum(\n"
        "    place='theorem-1.term.drift', printed=tau - 1, read=tau, reason='', evidence='')\n",
        encoding="utf-8",
    )
    changed = rc.paper("repaired", file)["theorem-1"].terms["drift"]  # type: ignore[attr-defined]
    assert changed != rc.paper("printed", file)["theorem-1"].terms["drift"]  # type: ignore[attr-defined]


BESIDE = '''"""A theorem, and what the short form cannot say."""

from sympy import sqrt

import ratecert as rc

s = rc.statements
n = rc.letter("n", means="number of iterations")
gamma, L, mu, R = rc.letters("gamma L mu R")
kappa = rc.define("kappa", L / mu, units="1", id="condition", title="Condition", source="Algorithm")
rho = rc.define("rho", 1 - 1 / sqrt(kappa), units="1")
z = rc.letter("z", means="what nobody runs", units="x^2")
unused = rc.letter("unused", means="in no statement")
SMOOTH = s.Assumption(id="own", title="", source="", sentence="F is L-smooth.", constants={"L": 0.0})


def step(x, grad, *, gamma):
    return x - gamma * grad(x)


once = rc.theorem(
    step, measure=rc.measures.distance().last(), bound=rho * R**2, where=[gamma <= 1 / (L + mu)],
    assuming=[SMOOTH], printed=False,
)
quoted = s.Theorem(
    id="quoted", title="", source="", algorithm="step-step", assumptions=("own",), measure="z", measure_units="x^2",
    conditions={"gamma": s.Condition(gamma, "<=", (1 / L,))}, terms={"start": rho * z},
)
WRONG = s.Erratum(place="quoted.term.start", printed=rho, read=rho**2, reason="", evidence="")
'''


@pytest.fixture
def beside(tmp_path: Path) -> str:
    path = tmp_path / "beside.py"
    path.write_text(BESIDE, encoding="utf-8")
    return asked(str(path))


def test_records_beside_theorems_are_made_of_the_same_letters(beside: str) -> None:
    printed = rc.paper(key=beside)
    rho, z = rc.statements.letters("rho z")
    assert printed["quoted"].terms == {"start": rho * z}  # type: ignore[attr-defined]
    assert rc.paper("repaired", beside)["quoted"].terms == {"start": rho**2 * z}  # type: ignore[attr-defined]
    assert [*printed.notation] == ["n", "gamma", "L", "mu", "R", "kappa", "rho", "z"]
    ids = [each.id for each in printed.of_kind(rc.statements.Definition)]
    assert ids == ["condition", "constant.rho"]  # what defines another comes before it
    assert printed["condition"].source == "Algorithm"
    assert (printed["once"].printed, printed["quoted"].printed) == (False, True)


def test_the_letter_for_iterations_is_the_one_that_the_file_has(beside: str) -> None:
    assert bindings(beside)["once"].iterations == "n"


def test_assumptions_that_are_given_are_all(beside: str) -> None:
    assert rc.paper(key=beside)["once"].assumptions == ("own",)  # type: ignore[attr-defined]
