"""The search for counterexamples to constants.

Closed forms are held against the search through oracles (evidence/constants/measures.py) and against 50
digits; the search finds the mistake that is known, and constants and formulas that are made wrong here.
"""

import math
from functools import partial
from pathlib import Path

import pytest

from oracles.blamed import blamed
from ratecert.catalogue.find import VARIANTS, paper
from ratecert.claims.claim import build
from ratecert.counterexamples import mistakes
from ratecert.counterexamples.finding import AGREE, Outcome
from ratecert.counterexamples.finding import falsify as falsify_with_all
from ratecert.counterexamples.witness import read, write
from ratecert.errors import OutsideConditionsError, WitnessError
from ratecert.papers.federated_bilevel.evidence.constants import measures
from ratecert.papers.federated_bilevel.search.attained import attained
from ratecert.papers.federated_bilevel.search.constant import ConstantCase
from ratecert.papers.federated_bilevel.transcription import bounds
from ratecert.theory.language.paper import Erratum, Paper
from ratecert.theory.language.statements import Definition

pytestmark = pytest.mark.nightly

falsify = partial(falsify_with_all, seed=0, jobs=1, advance=lambda _: None)
CONSTANTS = ("L_Phi", "L_tilde", "L_hat", "G", "Delta_Q")
RADIUS = 1.5
SAMPLE = {"theta": 0.05, "Q": 3}
NUMBERS = {"kind": "quadratic", "A": 2.0, "B": 1.5, "P": 0.7, "D": 1.2, "E": 0.8, "F": 0.5, "s_f": 0.3}
PLANE = {
    "kind": "quadratic",
    "A": [[2.0, 0.5], [0.5, 1.5]],
    "B": [[1.0, 0.3], [-0.2, 0.6]],
    "P": [[0.5, 0.1], [0.1, 0.9]],
    "D": [[1.1, -0.2], [-0.2, 0.4]],
    "E": [[0.5, 0.3], [0.3, -0.4]],
    "F": [[0.2, 0.1], [0.4, -0.3]],
    "s_f": 0.4,
}
WAVY = {"kind": "wavy", "A": 2.0, "B": 1.5, "D": 1.2, "dial": 2.5, "omega": 1.3, "E": 0.8, "s_f": 0.3}
WORLDS = {"numbers": NUMBERS, "plane": PLANE, "wavy": WAVY}


def made(world: dict) -> object:
    return build({"world": world["kind"], **{k: v for k, v in world.items() if k != "kind"}})


def sample_of(constant: str) -> dict:
    return {} if constant in ("L_Phi", "L_tilde") else SAMPLE


def instance_of(constant: str, world: dict) -> dict:
    sample = sample_of(constant)
    return {"world": world, "ball": {"radius": RADIUS}, **({"sample": sample} if sample else {})}


def searched(constant: str, world: dict) -> float:
    """Through the oracles of the world."""
    return getattr(measures, f"measured_{constant}")(made(world), RADIUS, **sample_of(constant), starts=32)


# What is measured.


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("constant", CONSTANTS)
def test_the_closed_form_is_what_a_search_finds_and_never_less(constant: str, name: str) -> None:
    value = attained(constant, made(WORLDS[name]), RADIUS, **sample_of(constant)).value
    found = searched(constant, WORLDS[name])
    assert found <= value * (1 + measures.ROUNDING)
    assert found >= value * (0.97 if name == "wavy" else 1 - 1e-6)


@pytest.mark.parametrize("noise", ["E", "F", "s_f"])
@pytest.mark.parametrize("name", ["numbers", "plane"])
def test_a_closed_form_that_forgets_a_noise_is_exceeded(name: str, noise: str) -> None:
    forgetful = {key: value for key, value in WORLDS[name].items() if key != noise}
    value = attained("G", made(forgetful), RADIUS, **SAMPLE).value
    assert searched("G", WORLDS[name]) > value * (1 + measures.ROUNDING)


@pytest.mark.parametrize("name", ["numbers", "wavy"])
@pytest.mark.parametrize("constant", CONSTANTS)
def test_50_digits_agree_with_the_closed_form_and_the_transcription(constant: str, name: str) -> None:
    case, instance = ConstantCase(f"constant.{constant}", "printed"), instance_of(constant, WORLDS[name])
    tried = case.attempt(instance, paper("printed"))
    again = case.again(instance, tried)
    assert again.measured is not None
    assert math.isclose(again.measured, tried.measured, rel_tol=2 * tried.precision)
    assert again.bound is not None
    assert math.isclose(again.bound, tried.bound, rel_tol=1e-12)

    other = {**instance, "world": {**WORLDS[name], "D": 1.2 * (1 + 1e-5)}}
    changed = case.attempt(other, paper("printed")).measured
    assert not math.isclose(again.measured, changed, rel_tol=AGREE)


def test_there_is_no_cross_check_for_planes_for_many_signs_and_for_repaired_constants() -> None:
    case = ConstantCase("constant.G", "repaired")
    for world, Q, reason in ((PLANE, 3, "d = 1"), (NUMBERS, 20, "make Q at most")):
        instance = {**instance_of("G", world), "sample": {"theta": 0.1, "Q": Q}}
        again = case.again(instance, case.attempt(instance, paper("repaired")))
        assert (again.measured, again.bound) == (None, None)
        assert reason in again.how


def test_a_constant_is_not_tried_outside_its_conditions() -> None:
    case = ConstantCase("constant.G", "printed")
    for sample, key in (({"theta": 10.0, "Q": 3}, "theta"), ({"theta": 0.1, "Q": 0}, "Q")):
        with pytest.raises(OutsideConditionsError, match=rf"sample\.{key}"):
            case.attempt({**instance_of("G", NUMBERS), "sample": sample}, paper("printed"))


# What the search finds.


def test_the_printed_G_is_falsified_because_it_is_not_a_root(tmp_path: Path) -> None:
    case = ConstantCase("constant.G", "printed")
    outcome = falsify(case, budget=400)
    assert outcome.falsified
    (finding,) = outcome.findings
    assert finding.found.witness.place == "constant.G.left"
    for confirmed in (finding.found, finding.simple):
        assert confirmed.confirmed
        assert confirmed.ratios.shows
        assert blamed(case, confirmed.tried) == ["constant.G.left"]
        assert confirmed.tried.values["L_0"] < 1
        write(confirmed.witness, tmp_path / "G.toml")
        kept = read(tmp_path / "G.toml").instance
        case.require(kept)
        assert case.attempt(kept, paper("printed")).ratio == confirmed.ratios.itself


@pytest.mark.parametrize(
    ("constant", "reading"), [("G", "joint"), *((constant, "block") for constant in CONSTANTS)]
)
def test_repaired_constants_are_not_falsified(constant: str, reading: str) -> None:
    outcome = falsify(ConstantCase(f"constant.{constant}", "repaired", reading), budget=200)
    assert not outcome.falsified
    assert 0 < outcome.largest <= 1


def halved(monkeypatch: pytest.MonkeyPatch, constant: str, *, transcribed: bool) -> Outcome:
    """The outcome where the repaired paper, and the transcription, have half the constant."""
    right = paper("repaired").the(Definition, f"constant.{constant}").right
    place = f"constant.{constant}.right"
    half = Erratum(place=place, printed=right, read=right / 2, reason="a test", evidence="none")
    wrong: dict[str, Paper] = {
        **{v: paper(v) for v in VARIANTS},
        "repaired": paper("repaired").repaired((half,)),
    }

    def wrong_paper(variant: str, _key: str) -> Paper:
        return wrong[variant]

    monkeypatch.setattr(mistakes, "paper", wrong_paper)
    monkeypatch.setattr("ratecert.counterexamples.looking.paper", wrong_paper)
    if transcribed:
        right_constants = bounds.constants
        monkeypatch.setattr(
            bounds, "constants", lambda v: {**(c := right_constants(v)), constant: c[constant] / 2}
        )
    return falsify(ConstantCase(f"constant.{constant}", "repaired", "block"), budget=400)


@pytest.mark.parametrize("constant", ["L_tilde", "Delta_Q"])
def test_half_a_constant_is_falsified(monkeypatch: pytest.MonkeyPatch, constant: str) -> None:
    outcome = halved(monkeypatch, constant, transcribed=True)
    assert outcome.falsified
    assert 1 < outcome.largest <= 2 * (1 + measures.ROUNDING)


def test_what_the_transcription_does_not_confirm_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = halved(monkeypatch, "L_tilde", transcribed=False)
    assert outcome.largest > 1
    assert not outcome.falsified


# Witness files.


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("world", {"A": None}, r"world\.A is missing"),
        ("world", {"Z": 1.0}, r"world\.Z is no key"),
        ("world", {"B": math.nan}, r"world\.B must be a finite number"),
        ("world", {"s_f": "0.3"}, r"world\.s_f must be a finite number"),
        ("world", {"kind": "ridge"}, r"world\.kind must be one of"),
        ("world", {"kind": 3}, r"world\.kind must be one of"),
        ("ball", {"radius": math.inf}, r"ball\.radius must be a finite number"),
        ("sample", {"theta": None}, r"sample\.theta is missing"),
        ("sample", {"Q": 2.5}, r"sample\.Q must be a whole number"),
        ("extra", {"x": 1.0}, r"\[extra\] is no table"),
    ],
)
def test_a_witness_of_a_constant_is_refused_by_its_key(table: str, change: dict, message: str) -> None:
    case, good = ConstantCase("constant.G", "printed"), instance_of("G", NUMBERS)
    case.require(good)
    entries = {k: v for k, v in {**good.get(table, {}), **change}.items() if v is not None}
    with pytest.raises(ValueError, match=message) as refused:
        case.require({**good, table: entries})
    assert isinstance(refused.value, (WitnessError, OutsideConditionsError))
