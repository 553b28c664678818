"""Worlds: stochastic problems of one level or two, whose truth is known in closed form.

    min_x  Phi(x) = f(x, y*(x))      with      y*(x) = argmin_y g(x, y)

Every world gives its minimiser, the exact gradient and the exact constants of the assumptions, on two levels y*(x) and
the hypergradient, and samples for the engines. `CONSTRUCTORS`, and `ONE_LEVEL` for one level, list the ways to make
one: the same arguments always make the same world.
`random_quadratic` draws its bases and `heterogeneous` its directions, from a seed, `single_level` its eigenvectors
if it is given one, `federated` its bases and minimisers; the others draw nothing.
"""

from collections.abc import Callable
from typing import Any

from ratecert.synthetic.devices import Federated, Heterogeneous, federated, heterogeneous
from ratecert.synthetic.huberised import Huberised, huberised
from ratecert.synthetic.made import aligned, random_quadratic, scalar
from ratecert.synthetic.one_level import LinearMap, Regularised, SingleLevel, single_level
from ratecert.synthetic.quadratic import Quadratic
from ratecert.synthetic.ridge import ridge
from ratecert.synthetic.sums import BilevelSum, FiniteSum
from ratecert.synthetic.wavy import Wavy, wavy

CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    "scalar": scalar,
    "random_quadratic": random_quadratic,
    "aligned": aligned,
    "huberised": huberised,
    "wavy": wavy,
    "heterogeneous": heterogeneous,
    "ridge": ridge,
}

ONE_LEVEL: dict[str, Callable[..., Any]] = {"single_level": single_level, "federated": federated}

__all__ = [
    "CONSTRUCTORS",
    "ONE_LEVEL",
    "BilevelSum",
    "Federated",
    "FiniteSum",
    "Heterogeneous",
    "Huberised",
    "LinearMap",
    "Quadratic",
    "Regularised",
    "SingleLevel",
    "Wavy",
    "aligned",
    "federated",
    "heterogeneous",
    "huberised",
    "random_quadratic",
    "ridge",
    "scalar",
    "single_level",
    "wavy",
]
