"""`ratecert expect`: the numbers of the face, in a table, as JSON and in a figure; mistakes are one sentence."""

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

import ratecert as rc
from ratecert.cli import letters
from ratecert.cli.catalogue import methods, worlds
from ratecert.cli.main import main
from ratecert.errors import UserError

WORLD = ["--world", "scalar", "s_f=0.5", "s_g=0.5"]
LETTERS = ["eta=0.1", "alpha=2", "beta=2.0", "rho_1=1/5", "rho_2=0.5", "p=2", "theta=0.15", "Q=5"]
BILEVEL = ["expect", "LocalBSGM", *WORLD, "--set", *LETTERS, "K=4", "T=1e6", "x0=1", "y0=1"]
DESCENT = [
    "expect",
    "SGD",
    "--world",
    "single_level",
    "spectrum=1,4",
    "s=0.5",
    "--set",
    "alpha=1/8",
    "T=2^20",
]


def of_the_face(**more: Any) -> Any:
    solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=5)
    world = rc.worlds.scalar(s_f=0.5, s_g=0.5)
    times = [0, *(2**i - 1 for i in range(1, 20)), 10**6]
    return rc.expect(world, solver, K=4, T=10**6, x0=1.0, y0=1.0, times=times, **more)


@pytest.mark.parametrize("certified", [False, True])
def test_the_numbers_are_those_of_the_face(certified: bool, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BILEVEL, "--json", *(["--certified"] if certified else [])]) == 0
    found = json.loads(capsys.readouterr().out)
    face = of_the_face(certified=True if certified else None)
    assert {name: m["mean"] for name, m in found["measures"].items()} == dict(face.values)
    assert found["curves"]["gradient"] == face.curves.gradient.tolist()
    assert found["curves"]["t"][-1] == 10**6
    if certified:
        assert found["certified"]
        low, high = found["measures"]["gradient"]["enclosure"]
        assert low <= face.gradient <= high


def test_the_table_has_every_measure_with_its_uncertainty(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(BILEVEL) == 0
    out = capsys.readouterr().out
    face = of_the_face()
    for name, value in face.values.items():
        (line,) = (line for line in out.splitlines() if f" {name} " in line)
        assert f"{value:.10g}" in line
        assert f"{face.absolute_error.values[name]:.1g}" in line
    assert max(map(len, out.splitlines())) <= 80
    assert "± is an estimate" in out
    assert main([*BILEVEL, "--certified"]) == 0
    assert "certified: the truth lies within ±" in " ".join(capsys.readouterr().out.split())


def test_another_letter_gives_another_number(capsys: pytest.CaptureFixture[str]) -> None:
    """The twin: what is set matters, and so does what the world is told."""
    means = []
    for wrong in ([], ["alpha=1/9"]):
        assert main([*(a for a in DESCENT if not (wrong and a.startswith("alpha"))), *wrong, "--json"]) == 0
        means.append(json.loads(capsys.readouterr().out)["measures"]["gap"]["mean"])
    assert main([a.replace("s=0.5", "s=0.6") for a in (*DESCENT, "--json")]) == 0
    means.append(json.loads(capsys.readouterr().out)["measures"]["gap"]["mean"])
    assert len(set(means)) == 3


def test_devices_that_differ_are_as_many_as_the_run_has(capsys: pytest.CaptureFixture[str]) -> None:
    run = [
        "expect",
        "FedAvg",
        "--world",
        "federated",
        "spectrum=1,2",
        "--set",
        "alpha=0.1",
        "m=2",
        "K=3",
        "T=16",
    ]
    assert main([*run, "--json"]) == 0
    world = rc.worlds.federated([1.0, 2.0], K=3)
    face = rc.expect(world, rc.methods.FedAvg(alpha=0.1, m=2), K=3, T=16, x0=[1.0, 1.0])
    assert json.loads(capsys.readouterr().out)["measures"]["gap"]["mean"] == pytest.approx(
        face.gap, rel=1e-12
    )


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_the_figure_is_written(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / f"curves{suffix}"
    assert main([*DESCENT, "--plot", str(path)]) == 0
    begins = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(begins)
    assert path.name in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["LocalBSGN", *WORLD], "no method is called 'LocalBSGN'; did you mean LocalBSGM"),
        (["zzz", *WORLD], "no method is called 'zzz'; there are LocalBSGM, LocalBSGVRM"),
        (
            ["SGD", "--world", "singel_level", "--set", "T=4", "alpha=1"],
            "no world is called 'singel_level'; did you",
        ),
        (
            ["SGD", "--world", "single_level", "--set", "T=4", "alpha=1"],
            "the world single_level needs spectrum; such",
        ),
        (["SGD", *WORLD], "T, the number of iterations, is missing; such as --set T=1000."),
        (["SGD", *WORLD, "--set", "T=4"], "SGD needs alpha; such as --set alpha=0.1."),
        (
            ["SGD", *WORLD, "--set", "T=4", "alpah=1"],
            "SGD has no letter 'alpah'; did you mean alpha? It has alpha, p.",
        ),
        (
            ["SGD", *WORLD, "--set", "T=4", "alpha=1"],
            "SGD is a method for one level, and this problem has two",
        ),
        (["SGD", *WORLD, "--set", "alpha"], "--set takes LETTER=VALUE, such as --set p=4, got 'alpha'."),
        (["SGD", *WORLD, "--set", "p=1", "p=2"], "--set gives p twice; give it once."),
        (["SGD", *WORLD, "--set", "T=2^99"], "T must be at most 2^64, got 2^99."),
        (["SGD", *WORLD, "--set", "alpha=1/0"], "alpha must be a number, got '1/0', which divides by 0."),
        (
            ["SGD", *WORLD, "--plot", "a.xyz"],
            "--plot must be a file that ends in .svg, .png, .pdf, got 'a.xyz'.",
        ),
        ([*DESCENT[1:], "p=abc"], "p must be a whole number >= 1, got 'abc'."),
        ([*DESCENT[1:], "K=0"], "K must be a whole number >= 1, got 0."),
        ([*DESCENT[1:], "x0=1,2,3"], "x0 must be 2 finite numbers, got"),
        ([*DESCENT[1:], "x0=nan"], "x0 must be 2 finite numbers, got"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["expect", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"ratecert: {sentence}")
    assert (captured.err.count("\n"), captured.out) == (1, "")


@pytest.mark.parametrize("name", sorted(methods()))
@pytest.mark.parametrize("value", ["abc", "-1", "nan", "1,2", "1;2"])
def test_no_letter_of_a_method_makes_a_traceback(
    name: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """All letters are wrong at once: whichever is looked at first is refused politely."""
    given = [f"{letter}={value}" for letter in inspect.signature(methods()[name]).parameters]
    assert main(["expect", name, *WORLD, "--set", "T=4", *given]) == 2
    assert "must be" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(set(worlds()) - {"ridge"}))  # its data need an extra
@pytest.mark.parametrize("value", ["abc", "nan", "1,2;3", "1;abc"])
def test_no_letter_of_a_world_makes_a_traceback(
    name: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [f"{letter}={value}" for letter in inspect.signature(worlds()[name]).parameters]
    assert main(["expect", "SGD", "--world", name, *given, "--set", "T=4", "alpha=0.1"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4", 4),
        ("-4", -4),
        ("2^20", 2**20),
        ("2**63", 2**63),
        ("1e6", 10**6),
        ("1.5e-3", 0.0015),
        ("0.5", 0.5),
        ("1/3", 1 / 3),
        ("True", True),
        ("fresh", "fresh"),
        ("1,2.5", [1, 2.5]),
        ("2,0;0,3", [[2, 0], [0, 3]]),
        ("1;2", [[1], [2]]),
    ],
)
def test_values_are_read_as_a_person_means_them(text: str, value: Any) -> None:
    found = letters.value_of("x", text)
    assert found == value
    assert type(found) is type(value)


def test_methods_and_worlds_are_those_of_the_face() -> None:
    assert set(methods()) == set(rc.methods.__all__) - {"name_of"}
    assert set(worlds()) <= set(rc.worlds.__all__)
    with pytest.raises(UserError, match="no world is called 'Scalar'; did you mean scalar"):
        letters.named("world", "Scalar", worlds())
