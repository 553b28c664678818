"""Every result of the face has a short representation and a figure, and says why where it has none."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import ratecert as rc
from ratecert.base.chart import Drawable
from ratecert.report.plots import draw

WORLD = rc.worlds.random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=4.0, s_f=0.5, s_g=0.5, seed=1)
SOLVER = rc.methods.LocalSGD(eta=0.05, rho_1=0.2, rho_2=1.0, p=4, theta=0.2, Q=10)
RUN = {"K": 2, "T": 64, "x0": np.ones(2), "y0": np.zeros(2)}


FOUND = rc.admissible("theorem-2", WORLD, K=8, p=4, T=10**12, radius=10.0)


def scaled(T: int, K: int) -> rc.methods.LocalSGD:
    return rc.methods.LocalSGD(eta=(K / T) ** 0.5, rho_1=0.1, rho_2=0.5, p=1, theta=0.2, Q=80)


RESULTS = {
    "expect": lambda: rc.expect(WORLD, SOLVER, **RUN),
    "simulate": lambda: rc.simulate(WORLD, SOLVER, replicates=8, seed=0, **RUN),
    "curves": lambda: rc.expect(WORLD, SOLVER, **RUN).curves,
    "stationary": lambda: rc.stationary(WORLD, SOLVER, K=2),
    "slope": lambda: rc.fit_slope([1, 2, 4], [4.0, 2.0, 1.0]),
    "rate": lambda: rc.verify_rate(scaled, WORLD, expected=-1 / 2, T=[2**20, 2**24, 2**28], K=8),
    "admissible": lambda: FOUND,
    "bound": lambda: FOUND.bound,
    "refuted": lambda: rc.falsify("pep-momentum:triple-momentum", budget=60),
    "not refuted": lambda: rc.falsify("pep-momentum:triple-momentum", "repaired", budget=20),
    "witness": lambda: rc.check_witness("theorem-1.printed-noise_u.simple"),
    "finding": lambda: rc.lint()[0],
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_short_and_draws_itself(name: str) -> None:
    result = RESULTS[name]()
    assert isinstance(result, Drawable)
    assert len(repr(result)) <= 200
    assert "\n" not in repr(result)
    before = dict(matplotlib.rcParams)
    axes = result.plot()
    assert dict(matplotlib.rcParams) == before  # the look is that of this figure alone
    axes.figure.canvas.draw()
    assert axes.has_data()
    _, ax = plt.subplots()
    assert result.plot(ax) is ax
    assert ax.has_data()
    plt.close("all")


def test_the_numbers_are_in_the_figure() -> None:
    """The points of a slope, its line through their middle, and not another one."""
    axes = rc.fit_slope([4, 1, 2], [1.0, 4.0, 2.0]).plot()
    points, line = axes.get_lines()
    np.testing.assert_array_equal(points.get_xydata(), [[1, 4], [2, 2], [4, 1]])
    np.testing.assert_allclose(line.get_ydata(), [4, 2, 1], rtol=1e-12)
    other = rc.fit_slope([4, 1, 2], [1.0, 4.0, 2.5]).plot().get_lines()[1]
    assert abs(other.get_ydata()[0] - 4) > 1e-2
    plt.close("all")


def test_where_rounds_rest_is_drawn() -> None:
    """x and y as circles, and as squares where they would rest with p = 1; not the other way round."""
    solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=8, theta=0.15, Q=5)
    rest = rc.fixed_point(rc.worlds.heterogeneous(K=3, d_x=1, d_y=1), solver)
    squares, circles = (line.get_xdata() for line in draw(rest).get_lines())
    np.testing.assert_array_equal(circles, [*rest.x, *rest.y])
    np.testing.assert_allclose(circles - squares, [*rest.excess_x, *rest.excess_y], atol=1e-15)
    assert np.max(np.abs(circles - squares)) > 1e-6
    plt.close("all")


def test_every_finding_says_in_its_figure_what_is_printed_and_what_fits() -> None:
    for finding in rc.lint():
        axes = finding.plot()
        printed, fits = ("".join(text.get_text().split()) for text in axes.texts)
        assert printed == "".join(finding.printed.split())
        assert fits == "".join(finding.fits.split())
        assert printed != fits
        plt.close("all")


STATEMENTS = {f"{p.key} {id}": s for key in ("federated-bilevel", "parallel-sgd") for p in [rc.paper(key=key)]
              for id, s in p.statements.items()}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_is_shown_in_one_line(name: str) -> None:
    shown = repr(STATEMENTS[name])
    assert len(shown) <= 200
    assert "\n" not in shown
    assert name.split()[1] in shown
    assert type(STATEMENTS[name]).__name__ in shown


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(rc.errors.UserError, match="a curve needs at least two times; give `times`"):
        rc.expect(WORLD, SOLVER, **{**RUN, "times": []}).plot()
    bare = rc.results.Slope(value=-1.0, low=-1.0, high=-1.0, points=3)
    with pytest.raises(rc.errors.UserError, match="came without its points"):
        bare.plot()
    with pytest.raises(TypeError, match="int has no figure"):
        draw(1)
    plt.close("all")
