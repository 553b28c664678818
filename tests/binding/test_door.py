"""What a paper may bring beside its statements: worlds of its own, letters that the run gives, measures of letters."""

from pathlib import Path

import pytest

import ratecert as rc
from ratecert.catalogue.cases import bound_case

PAPER = '''
"""Gradient descent on one direction of which the paper brings the world."""

import ratecert as rc

s = rc.statements
T, alpha, h, G, R, V = s.letters("T alpha h G R V")
NOTATION = s.table(
    s.Symbol("T", "T", "iterations", units="1", least=1),
    s.Symbol("alpha", "a", "step", units="x^2 f^-1"),
    s.Symbol("h", "h", "curvature", units="f x^-2"),
    s.Symbol("G", "G", "largest gradient", units="f x^-1"),
    s.Symbol("R", "R", "distance of the start", units="x"),
    s.Symbol("V", "V", "squared distance one step before the end", units="x^2"),
)
CURVED = s.Assumption(id="curved", title="Curved", source="1", sentence="F has the curvature h.", constants={"h": 0.0})
DESCENT = s.Algorithm(
    id="descent", title="Descent", source="1", hyperparameters=("alpha",), starts_from=(), lines=(), updates={}
)
STEP = {"alpha": s.Condition(alpha, "<=", (1 / h,))}


def theorem(id, measure, units, **terms):
    return s.Theorem(
        id=id, title=id, source="1", algorithm="descent", assumptions=("curved",), measure=measure,
        measure_units=units, conditions=STEP, terms=terms,
    )


STATEMENTS = (
    theorem("largest", "G", "f^2 x^-2", all=G**2),
    theorem("contraction", "x", "x^2", before=(1 - alpha * h) ** 2 * V),
    theorem("energy", "E", "f", start=h * R**2 / 2 + R**2 / (2 * alpha)),
    theorem("index", "x", "x^2", start=(1 - alpha * h) ** (2 * T - 2) * R**2),
)
PRINTED = s.Paper(key="own", title="Own", notation=NOTATION, bindings={},
                  statements=s.by_id(CURVED, DESCENT, *STATEMENTS))

LINE = s.Family(
    name="line",
    levels=(s.Level(name="h", low=0.1, high=10.0), s.Level(name="far", low=0.5, high=2.0)),
    world=lambda numbers: rc.worlds.SingleLevel(H=numbers["h"]),
    start=lambda world, numbers: {"x": world.x_star + numbers["far"]},
)


def run(measure, **more):
    return s.Binding(
        method=rc.methods.SGD, hyperparameters={"alpha": alpha}, measure=measure,
        constants={"h": lambda setting: setting.world.H[0, 0], "R": "distance"}, worlds=(LINE,), devices="",
        most_iterations=64, **more,
    )


END = rc.measures.distance().last()
RUNS = {
    "largest": run(rc.measures.gradient(), measured={"G": s.Measured(rc.measures.gradient().largest(), 0.5)}),
    "contraction": run(END, measured={"V": s.Measured(END, before=1)}),
    "energy": run(lambda v: rc.measures.gap().last() + 1 / (2 * v["alpha"]) * rc.measures.distance().last()),
    "index": run(END, counts_from=1),
}
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "own.py"
    path.write_text(PAPER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return path


@pytest.mark.parametrize("statement", ["largest", "contraction", "energy", "index"])
def test_a_true_statement_is_attained(own: Path, statement: str) -> None:
    outcome = rc.falsify(f"{own}:{statement}", budget=64)
    assert not outcome.falsified
    assert outcome.largest > 0.9
    assert set(outcome.nearest) == {"line", "run", "letters"}


@pytest.mark.parametrize(
    ("statement", "printed", "wrong"),
    [
        ("largest", "all=G**2", "all=0.9 * G**2"),
        ("contraction", "(1 - alpha * h) ** 2 * V", "0.9 * (1 - alpha * h) ** 2 * V"),
        ("energy", "R**2 / (2 * alpha)", "R**2 / (4 * alpha)"),
        ("index", "2 * T - 2", "2 * T - 1"),
    ],
)
def test_a_wrong_one_is_refuted_and_its_witness_replays(
    own: Path, statement: str, printed: str, wrong: str, tmp_path: Path
) -> None:
    assert printed in PAPER
    own.write_text(PAPER.replace(printed, wrong), encoding="utf-8")
    outcome = rc.falsify(f"{own}:{statement}", budget=96)
    assert outcome.falsified
    witness = outcome.findings[0].simple.witness
    case = bound_case(str(own), statement, "printed")
    case.require(witness.instance)
    assert case.attempt(witness.instance, rc.paper(key=str(own))).ratio > 1


def test_a_mistake_in_a_world_is_the_papers(own: Path) -> None:
    own.write_text(PAPER.replace('H=numbers["h"]', 'H=numbers["k"]'), encoding="utf-8")
    with pytest.raises(
        rc.errors.PaperError, match=r"of the family line \(own.py, line \d+\) raised KeyError: 'k'"
    ):
        rc.falsify(f"{own}:index", budget=32)
