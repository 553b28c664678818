"""Data files that are damaged, of another version, of wrong types or too long: one sentence each, and none believed.

What is believed: a witness that is confirmed, results that are shown or compared. A witness whose damage changes no
number beyond the last digits that it states is the same witness.
"""

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from ratecert.catalogue.cases import stored
from ratecert.cli.main import main
from ratecert.report.results import write

ROOT = Path(__file__).parents[2]
WITNESS = next(path for path in stored() if path.stem == "pep-fixed-point.long-steps.printed-start.simple")
MANY = 10**6
CONJECTURE = {"format": 1, "conjecture": "parallel-sgd:sgd-descent", "variant": "printed"} | {
    "factors": {"term.start": 1.0, "term.noise": 0.5}
}
Damage = tuple[str, bytes]
ODD: dict[str, Any] = {
    "a list": [1.0, 2.0],
    "a text": "x",
    "no number": True,
    "a table": {"x": 1.0},
    "infinite": float("inf"),
    "none": float("nan"),
    "beyond a float": 10**299,
    "long": int("1" * 4000),
    "negative": -1.0,
    "a control character": "a\x1b[2Jb",
}


def cut(text, n):
    for i in range(n):
        yield f"cut at {i}/{n}", text[: len(text) * i // n]


def flipped(text, n, seed):
    """One bit each, not in the comment at the top, which says nothing."""
    rng = random.Random(seed)
    begin = text.index(b"\n") if text.startswith(b"#") else 0
    for _ in range(n):
        at, bit = rng.randrange(begin, len(text)), rng.randrange(8)
        yield f"bit {bit} of {at}", text[:at] + bytes([text[at] ^ 1 << bit]) + text[at + 1 :]


def rubbish():
    yield "zeros", bytes(1000)
    yield "noise", random.Random(0).randbytes(1000)
    yield "deep", b"[" * 10**5
    yield "another line", b"x = 1\nx = 2\n"


def of_witness():
    text = WITNESS.read_bytes()
    data = tomllib.loads(text.decode())
    (family,) = (name for name in data if isinstance(data[name], dict) and name not in ("run", "letters"))
    for name, odd in ODD.items():
        for table, key in (
            ("", "format"),
            ("", "ratio"),
            (family, "x_off"),
            ("run", "T"),
            ("letters", "gamma"),
        ):
            changed = {k: dict(v) if isinstance(v, dict) else v for k, v in data.items()}
            (changed[table] if table else changed)[key] = odd
            yield f"{key} is {name}", tomli_w.dumps(changed).encode()
    yield "another version", tomli_w.dumps(data | {"format": 2}).encode()
    yield "another table", tomli_w.dumps(data | {"x": {"y": 1.0}}).encode()
    yield (
        "many rows",
        tomli_w.dumps(data).encode() + b"[x]\n" + b"".join(b"a%d = 1\n" % i for i in range(MANY // 10)),
    )
    for name in ("format", "ratio", "x"):
        yield f"{name} has many parts", f"{name}{'.a' * 2000} = 1\n".encode() + text
    yield "a table has many parts", text + f"[x{'.a' * 30_000}]\n".encode()
    yield "quoted parts", text + b"[" + b".".join([b'"a"'] * 30_000) + b"]\n"
    yield "tables in tables", f"x = {'{a = ' * 60}1{'}' * 60}\n".encode() + text
    yield "a long list", tomli_w.dumps(data | {"run": data["run"] | {"T": [1] * MANY}}).encode()
    yield from cut(text, 10)
    yield from flipped(text, 20, seed=1)
    yield from rubbish()


def of_conjecture():
    text = tomli_w.dumps(CONJECTURE).encode()
    for key in CONJECTURE:
        for name in ("a list", "no number", "long", "a control character"):
            yield f"{key} is {name}", tomli_w.dumps(CONJECTURE | {key: ODD[name]}).encode()
    yield "another version", tomli_w.dumps(CONJECTURE | {"format": 2}).encode()
    yield from cut(text, 8)


def of_results(text):
    data = json.loads(text)
    yield from cut(text, 10)
    yield from flipped(text, 20, seed=2)
    yield from rubbish()
    for key in data:
        yield f"{key} is a number", json.dumps(data | {key: 3}).encode()
    yield "another version", json.dumps(data | {"schema": 3}).encode()
    yield "nearly this version", json.dumps(data | {"schema": 2.0}).encode()
    yield "another entry", text.replace(b'"digest"', b'"digesu"')
    claim = data["claims"][0]
    for key, odd in (
        *(
            ("of", "theorem-1"),
            ("of", []),
            ("evidence", "search"),
            ("measured", 10**299),
            ("sentence", "\ud800"),
        ),
        ("settings", json.loads("[" * 600 + "1" + "]" * 600)),
    ):
        yield f"{key} of a claim", json.dumps(data | {"claims": [claim | {key: odd}]}).encode()
    beyond = [claim["checks"][0] | {"measured": "beyond"}, *claim["checks"][1:]]
    text = json.dumps(data | {"claims": [claim | {"checks": beyond}]})
    yield "beyond a float", text.replace('"beyond"', "1e999").encode()
    yield "many rows", json.dumps(data | {"claims": data["claims"] * (MANY // 1000)}).encode()
    yield "many of one kind", json.dumps(data | {"errata": list(range(MANY))}).encode()


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    whole = json.loads((ROOT / "docs" / "results.json").read_text("utf-8"))
    path = tmp_path_factory.mktemp("results") / "results.json"
    write({**whole, "claims": whole["claims"][:1]}, path)
    return path.read_bytes()


def ended(arguments, capsys):
    """The exit code; whatever is said of a mistake is one printable sentence."""
    code = main(arguments)
    said = capsys.readouterr()
    assert code != 70, said.err
    if code == 2:
        assert said.err.count("\n") == 1
        assert said.err[:-1].isprintable()
        assert said.out == ""
    return code


def same(a, b):
    """To what a witness states of its ratio; the mirror image of a world is as good as the world."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    number = isinstance(a, float | int) and isinstance(b, float | int)
    return bool(abs(a) == pytest.approx(abs(b), rel=1e-6)) if number else bool(a == b)


def test_no_damaged_witness_is_confirmed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, sound = tmp_path / "w.toml", tomllib.loads(WITNESS.read_text("utf-8"))
    for name, damaged in of_witness():
        path.write_bytes(damaged)
        code = ended(["check", str(path)], capsys)
        if code == 0:
            assert same(tomllib.loads(damaged.decode()), sound), name
        elif code == 2:
            for command in (["prove", str(path)], ["explore", str(path), "--no-open", "--port", "99999999"]):
                assert ended(command, capsys) == 2, name


def test_no_damaged_conjecture_is_tried(tmp_path, capsys):
    path = tmp_path / "c.toml"
    for name, damaged in of_conjecture():
        path.write_bytes(damaged)
        assert ended(["falsify", str(path), "--budget", "10", "--out", str(tmp_path)], capsys) == 2, name


def test_damaged_results_are_neither_shown_nor_compared(results, tmp_path, capsys):
    sound, folder = tmp_path / "sound", tmp_path / "damaged"
    for each in (sound, folder):
        each.mkdir()
        (each / "results.json").write_bytes(results)
    assert ended(["compare", str(sound), str(folder)], capsys) == 0
    for name, damaged in of_results(results):
        (folder / "results.json").write_bytes(damaged)
        file = str(folder / "results.json")
        for command in (
            ["report", str(folder)],
            ["compare", str(sound), str(folder)],
            ["library", "--results", file],
        ):
            assert ended(command, capsys) == 2, name
    assert not (folder / "index.html").exists()


def test_there_are_enough_of_them(results):
    assert len([*of_witness(), *of_conjecture(), *of_results(results)]) >= 150


def test_what_is_no_file_is_ended(tmp_path, capsys):
    for name in (
        str(tmp_path),
        str(tmp_path / "absent.toml"),
        f"{tmp_path}/a\0b.toml",
        "x" * 5000,
        "\x1b[2J.toml",
    ):
        assert ended(["check", name], capsys) == 2
        assert ended(["prove", name], capsys) == 2
        assert ended(["falsify", f"{name}.toml"], capsys) == 2
