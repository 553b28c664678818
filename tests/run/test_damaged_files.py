"""Data files that are damaged, of another version, of wrong types or too long: one sentence each, and none believed.

What is believed: a witness that is confirmed, results that are shown or compared. A witness whose damage changes no
number beyond the last digits that it states is the same witness.
"""

import json
import random
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from ratecert.catalogue import cases
from ratecert.cli.main import main
from ratecert.errors import RatecertError, ResultsError
from ratecert.report import results
from ratecert.search.rendering import verdict_of

ROOT = Path(__file__).parents[2]
WITNESS = cases.file_of("pep-fixed-point.long-steps.printed-start.simple").read_bytes()
DATA = tomllib.loads(WITNESS.decode())
WHOLE = json.loads((ROOT / "docs" / "results.json").read_text("utf-8"))
CONJECTURE = {"format": 1, "conjecture": "parallel-sgd:sgd-descent", "variant": "printed"} | {
    "factors": {"term.start": 1.0, "term.noise": 0.5}
}
MANY = 5 * 10**4
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


def broken(text, seed):
    """Cut, with one bit changed (not in the comment at the top, which says nothing), and what never was such a file."""
    for i in range(10):
        yield f"cut at {i}/10", text[: len(text) * i // 10]
    rng = random.Random(seed)
    begin = text.index(b"\n") if text.startswith(b"#") else 0
    for _ in range(20):
        at, bit = rng.randrange(begin, len(text)), rng.randrange(8)
        yield f"bit {bit} of {at}", text[:at] + bytes([text[at] ^ 1 << bit]) + text[at + 1 :]
    yield from {"zeros": bytes(1000), "noise": random.Random(0).randbytes(1000)}.items()
    yield from {"deep": b"[" * 10**5, "twice": b"x = 1\nx = 2\n"}.items()


def of_witness():
    for name, odd in ODD.items():
        for table, key in (("rotations", "x_off"), ("run", "T"), ("letters", "gamma")):
            yield f"{key} is {name}", tomli_w.dumps(DATA | {table: DATA[table] | {key: odd}}).encode()
        for key in ("format", "ratio"):
            yield f"{key} is {name}", tomli_w.dumps(DATA | {key: odd}).encode()
    yield "another version", tomli_w.dumps(DATA | {"format": 2}).encode()
    yield "another table", tomli_w.dumps(DATA | {"x": {"y": 1.0}}).encode()
    yield "many rows", WITNESS + b"[x]\n" + b"".join(b"a%d = 1\n" % i for i in range(MANY // 10))
    for name in ("format", "ratio", "x"):
        yield f"{name} has many parts", f"{name}{'.a' * 2000} = 1\n".encode() + WITNESS
    yield "a table has many parts", WITNESS + f"[x{'.a' * 30_000}]\n".encode()
    yield "quoted parts", WITNESS + b"[" + b".".join([b'"a"'] * 30_000) + b"]\n"
    yield "tables in tables", f"x = {'{a = ' * 60}1{'}' * 60}\n".encode() + WITNESS
    yield "a long list", tomli_w.dumps(DATA | {"run": DATA["run"] | {"T": [1] * MANY}}).encode()
    yield from broken(WITNESS, seed=1)


def of_conjecture():
    for key in CONJECTURE:
        for name in ("a list", "no number", "long", "a control character"):
            yield f"{key} is {name}", tomli_w.dumps(CONJECTURE | {key: ODD[name]}).encode()
    for wrong in (
        {"format": 2},
        {"colour": "red"},
        {"variant": "improved"},
        {"factors": {"term.start": "half"}},
    ):
        yield str(wrong), tomli_w.dumps(CONJECTURE | wrong).encode()
    yield from broken(tomli_w.dumps(CONJECTURE).encode(), seed=3)


def of_results(text):
    data = json.loads(text)
    yield from broken(text, seed=2)
    yield from ((f"{key} is a number", json.dumps(data | {key: 3}).encode()) for key in data)
    yield "nearly this version", json.dumps(data | {"schema": 2.0}).encode()
    yield "another entry", text.replace(b'"digest"', b'"digesu"')
    (claim,) = data["claims"]
    wrong: dict[str, Any] = {"evidence": "search", "measured": 10**299, "sentence": "\ud800"}
    wrong["settings"] = json.loads("[" * 600 + "1" + "]" * 600)
    for key, odd in (*wrong.items(), ("of", "theorem-1"), ("of", [])):
        yield f"{key} of a claim", json.dumps(data | {"claims": [claim | {key: odd}]}).encode()
    beyond = [claim["checks"][0] | {"measured": "beyond"}, *claim["checks"][1:]]
    text = json.dumps(data | {"claims": [claim | {"checks": beyond}]})
    yield "beyond a float", text.replace('"beyond"', "1e999").encode()
    yield "many rows", json.dumps(data | {"claims": data["claims"] * (MANY // 500)}).encode()
    yield "many of one kind", json.dumps(data | {"errata": list(range(MANY))}).encode()


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder with the results of one claim."""
    folder = tmp_path_factory.mktemp("sound")
    results.write({**WHOLE, "claims": WHOLE["claims"][:1]}, folder / "results.json")
    return folder


def one_sentence(error, name):
    """What is said of a mistake."""
    assert str(error).isprintable(), name


def ended(*arguments, capsys):
    """With one printable sentence."""
    code = main(list(map(str, arguments)))
    said = capsys.readouterr()
    assert (code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err[:-1].isprintable()


def same(a, b):
    """To what a witness states of its ratio; the mirror image of a world is as good as the world."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    number = isinstance(a, float | int) and isinstance(b, float | int)
    return bool(abs(a) == pytest.approx(abs(b), rel=1e-6)) if number else bool(a == b)


def test_no_damaged_witness_is_confirmed(tmp_path):
    path, tried = tmp_path / "w.toml", 0
    for name, damaged in of_witness():
        path.write_bytes(damaged)
        tried += 1
        try:
            read = cases.read(path)
            code, _ = verdict_of(cases.replayed(read), read.ratio)
        except RatecertError as error:
            one_sentence(error, name)
        else:
            assert code == 1 or same(tomllib.loads(damaged.decode()), DATA), name
    assert tried > 90


def test_no_damaged_conjecture_is_tried(tmp_path):
    path = tmp_path / "c.toml"
    for name, damaged in of_conjecture():
        path.write_bytes(damaged)
        try:
            read = cases.conjectured(cases.read_conjecture(path))
        except RatecertError as error:
            one_sentence(error, name)
        else:
            assert name.startswith("bit"), name
            assert dict(read.factors) != CONJECTURE["factors"], name


def test_damaged_results_are_neither_shown_nor_compared(sound, tmp_path):
    path, tried = tmp_path / "results.json", 0
    for name, damaged in of_results((sound / "results.json").read_bytes()):
        path.write_bytes(damaged)
        tried += 1
        with pytest.raises(ResultsError) as caught:
            results.read(path)
        one_sentence(caught.value, name)
    assert tried > 50
    assert results.read(sound / "results.json")


KEYS: dict[str, Any] = {**dict.fromkeys(results.OF_FILE, "text"), "schema": 2}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "must hold a table"),
        ('{"schema": 99}', "schema must be 2, got 99"),
        ('{"schema": 2}', "it lacks ratecert"),
        (json.dumps(KEYS | {"paper": None}), "paper must be a text that is not empty, got None"),
        (json.dumps(KEYS | {"claims": 3}), "claims must be a list"),
        (json.dumps(KEYS | {"claims": [3]}), "claims[0]: it must be a mapping, got 3"),
        (json.dumps(KEYS | {"claims": [{"id": "x"}]}), "claims[0]: it lacks of"),
        (
            json.dumps(KEYS | {"claims": [dict.fromkeys(results.OF_CLAIM, "maybe")]}),
            "claims[0]: of must be a list of texts",
        ),
    ],
)
def test_results_that_are_none_are_refused_by_name(text, sentence, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultsError, match=re.escape(sentence)):
        results.read(path)


CLAIM, OTHER = WHOLE["claims"][:2]
NAME = CLAIM["checks"][1]["name"]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"id": None}, "claims[0]: id must be a text that is not empty, got None"),
        ({"id": OTHER["id"]}, f"two claims have the id {OTHER['id']!r}"),
        ({"checks": None}, "claims[0]: checks must be a list, got None"),
        ({"checks": [3]}, "claims[0].checks[0]: it must be a mapping, got 3"),
        ({"checks": [{}]}, "claims[0].checks[0]: it lacks name"),
        ({"relation": "<>"}, "claims[0].checks[0]: relation must be one of =, <=, >=, got '<>'"),
        ({"verdict": "holds"}, "claims[0].checks[0]: verdict must be one of fails, undecided, passes"),
        ({"tolerance": "0.2"}, "claims[0].checks[0]: tolerance must be a number, or null, got '0.2'"),
        ({"name": NAME}, f"two checks of claims[0] have the name {NAME!r}"),
    ],
)
def test_an_entry_of_another_shape_is_refused_by_name(entry, told, tmp_path):
    data = json.loads(json.dumps(WHOLE | {"claims": [CLAIM, OTHER], "digest": ""}))
    first = data["claims"][0]
    (first if set(entry) <= {"id", "checks"} else first["checks"][0]).update(entry)
    path = tmp_path / "results.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ResultsError, match=re.escape(told)):
        results.read(path)


def test_every_command_ends_with_the_sentence(sound, tmp_path, capsys, monkeypatch):
    """And where there is no such file."""
    monkeypatch.chdir(tmp_path)
    Path("w.toml").write_bytes(WITNESS.replace(b"format = 1", b"format = 2"))
    Path("c.toml").write_bytes(tomli_w.dumps(CONJECTURE | {"format": 2}).encode())
    Path("results.json").write_bytes((sound / "results.json").read_bytes()[:-100])
    for name in ("w.toml", tmp_path, "absent.toml", "a\0b.toml", "x" * 5000, "\x1b[2J.toml"):
        for command in ("check", "prove"):
            ended(command, name, capsys=capsys)
        ended("falsify", f"{name}.toml", capsys=capsys)
    ended("explore", "w.toml", "--no-open", "--port", "99999999", capsys=capsys)
    ended("falsify", "c.toml", "--budget", "10", "--out", tmp_path, capsys=capsys)
    ended("report", ".", capsys=capsys)
    ended("compare", sound, ".", capsys=capsys)
    ended("library", "--results", "results.json", capsys=capsys)
    assert not Path("index.html").exists()
    assert main(["compare", str(sound), str(sound)]) == 0
