"""The demonstration: what it prints is what it measured, and samples that contradict the truth make it fail."""

import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from ratecert.cli.main import main
from ratecert.papers.federated_bilevel import demonstration
from ratecert.papers.federated_bilevel.z_test import ENOUGH, LIMIT, Row, contradiction
from ratecert.solvers import LocalBSGVRM, expect, simulate
from ratecert.solvers.contract.result import Result
from ratecert.synthetic import random_quadratic

pytestmark = pytest.mark.nightly

PAGE = Path(__file__).parents[2] / "docs" / "demonstration.md"
SHORT = 8  # iterations in place of 1024: seconds become tenths


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str
    text: str
    figure: Any


def demo(folder: Path, *arguments: str, T: int = SHORT, **stand_ins: Callable[..., Any]) -> Outcome:
    """One demonstration, with its figure kept, and with functions of the module replaced."""
    figures, out, err = [], StringIO(), StringIO()
    save = demonstration.save

    def keep(figure: Any, stem: Path) -> list[Path]:
        figures.append(figure)
        return save(figure, stem)

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name, value in {"T": T, "save": keep, **stand_ins}.items():
            patch.setattr(demonstration, name, value)
        code = main(["demo", "--out", str(folder), *arguments])
    text = (folder / "demonstration.txt").read_text(encoding="utf-8")
    return Outcome(code, out.getvalue(), err.getvalue(), text, figures[0])


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return demo(tmp_path_factory.mktemp("short"))


@pytest.fixture(scope="module")
def separate() -> Row:
    """One row of the short demonstration, from calls that share nothing with it."""
    world = random_quadratic(
        d_x=3, d_y=3, mu=1.0, L_1=4.0, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1
    )
    solver = LocalBSGVRM(eta=0.02, alpha=50.0, beta=50.0, rho_1=0.5, rho_2=2.0, p=4, theta=0.2, Q=20)
    x0 = world.x_star + 1.0
    run: dict[str, Any] = {"K": 4, "T": SHORT, "x0": x0, "y0": world.y_star(x0), "times": range(1, SHORT + 1)}
    return Row(
        "LocalBSGVRM", 4, simulate(world, solver, replicates=256, seed=0, **run), expect(world, solver, **run)
    )


def scaled(result: Result, factor: float) -> Result:
    """The same result with another mean of the squared gradient."""
    values = {**result.curves.values, "gradient": factor * result.curves.gradient}
    return replace(result, curves=replace(result.curves, values=values))


def cells(text: str, name: str, K: int) -> tuple[float, float, float, float]:
    """Sampled, standard error, exact and z as the table prints them."""
    (line,) = re.findall(rf"^│ {name} +│ +{K} │(.*)$", text, re.MULTILINE)
    sampled, error, exact, z, _gain = (float(number) for number in re.findall(r"[-+.\de]+", line))
    return sampled, error, exact, z


def tells(printed: tuple[float, float, float, float], row: Row) -> bool:
    """Are these the numbers of the row, to the digits that the table shows?"""
    sampled, error, exact = row.last()
    wanted = (sampled, error, exact, (sampled - exact) / error)
    relative, absolute = (6e-4, 0.6, 6e-6, 0.0), (0.0, 0.0, 0.0, 0.051)
    return all(
        abs(p - w) <= r * abs(w) + a for p, w, r, a in zip(printed, wanted, relative, absolute, strict=True)
    )


def test_the_printed_row_is_the_one_that_separate_calls_give(short: Outcome, separate: Row) -> None:
    sampled, error, exact, z = printed = cells(short.text, "LocalBSGVRM", 4)
    assert tells(printed, separate)
    assert not tells((sampled, error, exact, 0.0), separate)
    assert not tells((sampled, error, 2 * exact, z), separate)


def test_what_is_printed_is_what_is_written(short: Outcome) -> None:
    assert short.code == 0
    assert short.err == ""
    assert short.out.startswith(short.text)
    assert "LocalBSGM" in short.text
    assert max(map(len, short.text.splitlines())) <= 80


def solid(ax: Any) -> dict[str, Any]:
    """The curves drawn through, by label; error bars and dots are none."""
    return {line.get_label(): line for line in ax.lines if line.get_linestyle() == "-"}


def test_the_figure_has_a_line_for_each_exact_curve_and_dots_for_each_sampled_one(
    short: Outcome, separate: Row
) -> None:
    assert [ax.get_title() for ax in short.figure.axes] == ["LocalBSGM", "LocalBSGVRM"]
    for ax in short.figure.axes:
        assert list(solid(ax)) == [f"$K = {K}$" for K in demonstration.DEVICES]
        assert len(ax.containers) == len(demonstration.DEVICES)
    exact, sampled = separate.exact.curves, separate.sampled.curves
    line, (dots, *_) = solid(ax)["$K = 4$"], ax.containers[1]
    for drawn, curves in [(line, exact), (dots, sampled)]:
        np.testing.assert_array_equal(drawn.get_xdata(), curves.t)  # every t up to T, as T is small
        np.testing.assert_allclose(drawn.get_ydata(), curves.gradient)
    assert line.get_color() == dots.get_color()


def test_error_bars_alone_would_be_noticed() -> None:
    figure, ax = plt.subplots()
    ax.errorbar([1, 2], [1, 2], [0.1, 0.1], fmt="o", linewidth=1)
    assert not solid(ax)
    plt.close(figure)


def test_a_wrong_exact_engine_makes_it_fail_and_is_named(tmp_path: Path) -> None:
    def wrong(world: Any, solver: Any, *, K: int, **run: Any) -> Result:
        guilty = K == 4 and isinstance(solver, LocalBSGVRM)
        return scaled(expect(world, solver, K=K, **run), 2.0 if guilty else 1.0)

    outcome = demo(tmp_path, expect=wrong)
    assert outcome.code == 1
    assert outcome.err.count("\n") == 1
    assert re.findall(r"(\w+) with K = (\d+)", outcome.err) == [("LocalBSGVRM", "4")]


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_limit_is_five_standard_errors_on_both_sides(sign: int, separate: Row) -> None:
    sampled, error, _ = separate.last()
    for z, wrong in [(0.99 * LIMIT, False), (1.01 * LIMIT, True)]:
        exact = sampled - sign * z * error
        row = replace(separate, exact=scaled(separate.exact, exact / separate.last()[2]))
        assert row.z() == pytest.approx(sign * z)
        assert bool(contradiction([separate, row])) is wrong


def test_a_standard_error_of_zero_is_a_contradiction(separate: Row) -> None:
    curves = separate.sampled.curves
    errors = curves.standard_error
    none = replace(errors, values={**errors.values, "gradient": 0 * errors.gradient})
    row = replace(separate, sampled=replace(separate.sampled, curves=replace(curves, standard_error=none)))
    assert contradiction([row])
    assert contradiction([replace(row, exact=row.sampled)])  # 0/0
    assert not contradiction([separate])


def test_few_runs_are_shown_and_not_judged(tmp_path: Path) -> None:
    def wrong(*arguments: Any, **run: Any) -> Result:
        return scaled(expect(*arguments, **run), 1e6)

    for runs, code in [(ENOUGH - 1, 0), (ENOUGH, 1)]:
        outcome = demo(tmp_path, "--replicates", str(runs), expect=wrong)
        assert outcome.code == code
        assert ("Not judged" in outcome.out) is (code == 0)


@pytest.mark.nightly
@pytest.mark.skipif(not PAGE.is_file(), reason="the page is not part of the installed wheel")
def test_the_page_shows_what_the_defaults_print(tmp_path: Path) -> None:
    outcome = demo(tmp_path, T=demonstration.T)
    assert outcome.code == 0
    assert f"\n```\n{outcome.text}```\n" in PAGE.read_text(encoding="utf-8")
