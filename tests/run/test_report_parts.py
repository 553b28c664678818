"""The parts of index.html: figures made slim, formulas, rows of statements, settings as rows."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from oracles.hostile import HOSTILE
from ratecert.base.chart import Chart, Panel, Series
from ratecert.base.drawing import svgs
from ratecert.catalogue.find import paper
from ratecert.report.figures import Shared, slim
from ratecert.report.page import policy
from ratecert.report.summary import Line, differing, lines, sentence
from ratecert.report.typeset import in_cell, in_print, mathml, settings_rows
from ratecert.typeset.printed import as_formulas

ROOT = Path(__file__).parents[2]


def panel(label):
    x = [float(i) for i in range(1, 20)]
    line = Series(label="measured & <more>", x=x, y=[v**-0.5 for v in x], kind="bound")
    return Chart(caption="a line", panels=[Panel(x_label=label, y_label="$y$", series=[line])])


@pytest.mark.parametrize("label", ["$T$", r"$\sqrt{T}$"])
def test_a_figure_is_a_third_of_what_was_drawn(label):
    """Also where a sign that no font has makes outlines of all letters: they are shared."""
    (svg,) = svgs(panel(label))
    shared = Shared()
    first, second = (str(slim(svg, name, "a line", shared)) for name in "ab")
    assert len(first) < len(svg) / 3
    assert first.replace("#a-", "#b-").replace('id="a-', 'id="b-') == second
    assert ("DejaVuSans" in shared.outlines) == ("sqrt" in label)
    assert not re.search(r"style=|font-family|xmlns|<g>", first)
    assert ("measured &amp; &lt;more&gt;" in first) == ("sqrt" not in label)  # text stays text
    assert 'aria-label="&#34;&lt;x&gt;"' in slim(svg, "a", '"<x>', shared)


def test_every_name_in_a_figure_is_there():
    (svg,) = svgs(panel(r"$\sqrt{T}$"))
    shared = Shared()
    page = ElementTree.fromstring(f"<body>{slim(svg, 'a', 'x', shared)}{shared.outlines}</body>")
    ids = {element.get("id") for element in page.iter()}
    wanted = [element.get("href", "")[1:] for element in page.iter("use")]
    assert wanted
    assert set(wanted) <= ids
    classes = {element.get("class") for element in page.iter() if element.get("class")}
    assert classes == {"outlines", *re.findall(r"\.(s\d+)\{", shared.css)}
    assert "stroke-opacity:var(--sheer)" in shared.css  # of a bound, as the page has it


def test_all_formulas_of_the_paper_become_mathml():
    for variant in ("printed", "repaired"):
        source = paper(variant)
        for statement in source.statements.values():
            for heading, formulas in as_formulas(source, statement):
                for _, latex in formulas if heading != "Letters" else ():
                    found = mathml(latex)
                    assert found.startswith("<math>"), latex
                    assert "\\" not in found, latex
                    ElementTree.fromstring(found)


@pytest.mark.parametrize(
    ("plain", "printed"),
    [
        ("T = 2^20: 0.3674 <= 1 passes", "T = 2²⁰: 0.3674 ≤ 1 passes"),
        ("10^-12 >= 1e-13", "10⁻¹² ≥ 1e-13"),
        ("K^(2/3), T^0.5, p^2/3 and a->b, <b> stay", "K^(2/3), T^0.5, p^2/3 and a->b, <b> stay"),
    ],
)
def test_whole_powers_are_raised_and_the_rest_stays(plain, printed):
    assert in_print(plain) == printed
    assert in_cell("<b> of size 1.5e-07") == '&lt;b&gt; of size <span class="whole">1.5e-07</span>'


@pytest.fixture(scope="module")
def stored():
    """Every claim of the stored results."""
    results = json.loads((ROOT / "docs" / "results.json").read_text(encoding="utf-8"))
    return list(results["claims"])


def test_what_is_refuted_has_a_row_with_what_fits(stored):
    found = [line for line in lines(stored) if line.false]
    refuted = {claim["of"][0] for claim in stored if claim["verdict"] == "refuted"}
    assert {line.printed["of"][0] for line in found} == refuted
    first, second, *_ = found
    assert {name for name, _, wrong in first.terms if wrong} == {"start_u", "drift_p4_u", "drift_p2_u"}
    assert [change.label for change in first.changes] == ["", "noise_u"]
    for line in (first, second):
        assert line.witness.ratio > 1
        assert line.changes[0].printed != line.changes[0].fits
    assert all(line.changes for line in found)
    changes = {line.printed["of"][0]: line.changes for line in found}
    assert [change.label for change in changes["remark-1"]] == ["iterations", "samples", "rounds"]


def test_what_differs_between_two_formulas_is_marked():
    one, other = differing(mathml("G = a + b"), mathml("G^2 = a + c"))
    assert re.findall(r'class="differs">(.)<', one) == ["b"]
    assert re.findall(r'class="differs">(.)<', other) == ["2", "c"]
    assert "differs" not in "".join(differing(mathml("a"), mathml("a")))


def test_a_refuted_claim_of_ones_own_paper_is_false_and_one_that_holds_or_surprises_has_no_evidence(stored):
    sound = [claim for claim in stored if claim["verdict"] != "refuted"]
    assert not any(line.false for line in lines(sound))
    surprising = [{**claim, "expected": "not refuted"} for claim in stored]
    assert not any(line.because or line.changes for line in lines(surprising))  # ours to explain
    refuted = {
        "verdict": "refuted",
        "expected": "not refuted",
        "because": "",
        "reason": "2, more than 1 allowed: fails",
    }
    own = {**stored[0], **refuted, "of": ["mine.py:theorem-1"], "statement": "My theorem"}
    [line] = lines([own])
    assert line.because == ["My theorem does not hold: 2, more than 1 allowed: fails"]
    assert lines([{**own, "verdict": "not refuted"}]) == []


def test_settings_are_rows():
    settings = {
        "K": 3,
        "runs": [{"T": 1048576, "world": {"world": "scalar", "mu": 0.1, "P": 1 / 3}}, {"T": 2}],
        "eta": 1 / 3,
        "all": [1, 2],
        "on": True,
        "<b>": "<i>",
    }
    assert settings_rows(settings) == [
        ("K", "3"),
        ("runs 2", "T = 2"),
        ("eta", "0.33333"),
        ("all", "[1, <wbr>2]"),
        ("on", "yes"),
        ("<b>", "&lt;i&gt;"),
        ("runs 1", None),
        ("T", "1048576"),
        ("world", "scalar: mu = 0.1, <wbr>P = 0.33333"),
    ]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("inside", ["{}", r"\text{{{}}}", r"\mathrm{{{}}}", r"\frac{{{}}}{{2}}"])
def test_a_formula_has_elements_and_looks_of_its_own_and_all_else_is_text(text, inside):
    shown = ElementTree.fromstring(mathml(inside.format(text)))
    for element in shown.iter():
        assert re.fullmatch("m[a-z]+|none|code", element.tag)
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert name not in ("href", "style", "class", "id", "src")
            assert not set(value) & set("\"'<>:()")


def test_the_policy_allows_this_style_and_this_script_alone():
    """As a browser computes it: SHA-256 of what stands between the tags."""
    assert "'sha256-LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='" in policy("a", "hello")  # of hello
    assert policy("a", "hello") != policy("a", "hello ")
    assert "unsafe" not in policy("a", "b")


def test_the_first_screen_counts_what_is_false_and_has_a_row_for_each_statement(stored):
    found = lines([claim for claim in stored if ":" not in claim["id"]])
    assert sentence(found).startswith("3 of 3 theorems and 6 of 6 corollaries")
    first = found[0]
    assert (first.false, first.printed["id"], first.corrected["id"]) == (
        True,
        "theorem-1.printed-G",
        "theorem-1.repaired",
    )
    assert first.largest[0] > 4e4 > 1 > first.largest[1] > 0.4
    assert len(first.because) == 2
    assert [line.false for line in found] == sorted((line.false for line in found), reverse=True)


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ([("not refuted", None)], "No statement is refuted."),
        ([("refuted", None), ("not refuted", None)], "1 of 2 theorems is false as printed."),
        (
            [("refuted", "not refuted")],
            "1 of 1 theorems is false as printed; corrected, none of them is refuted.",
        ),
        (
            [("refuted", "refuted")] * 2,
            "2 of 2 theorems are false as printed; corrected, 2 of them are refuted.",
        ),
    ],
)
def test_the_sentence_says_what_is_left(verdicts, said):
    made = [
        Line(kind="theorems", name="", printed={"verdict": a}, corrected=b and {"verdict": b, "table": []})
        for a, b in verdicts
    ]
    assert sentence(made) == said
    assert sentence([]) == ""


def test_the_sentence_counts_the_worlds_that_a_corrected_theorem_survives():
    tried = {"verdict": "not refuted", "table": [{"largest": 0.5, "inside": 300}, {"term": "start"}]}
    made = [Line(kind="theorems", name="", printed={"verdict": "refuted"}, corrected=tried) for _ in range(2)]
    assert sentence(made).endswith("corrected, they survive 600 worlds.")
    assert sentence(made[1:]).endswith("corrected, it survives 300 worlds.")
