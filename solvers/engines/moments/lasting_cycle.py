"""A cycle as a map of what lasts: of z those coordinates that are not zero at its end, whatever they were before.

Where every field is averaged once in a cycle, but not all at the same time, z holds deviations of all devices between
two averages, and none of them at the end. So the map is made for the packed moments of what lasts alone: each of them
is carried through the cycle as a matrix of z, round by round, and what it changes by is added up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.contract.draws import Switch
from ratecert.solvers.contract.stage import Stage
from ratecert.solvers.engines.moments.additive import Congruence
from ratecert.solvers.engines.moments.apart import Apart, Paths
from ratecert.solvers.engines.moments.common_space import Collapse, CommonSpace
from ratecert.solvers.engines.moments.device_rounds import Ahead, Together
from ratecert.solvers.engines.moments.round_map import Linear, congruence_change

Array = NDArray[np.float64]
Change = Callable[
    [Array], tuple[Array, Array]
]  # of a stack (s, m, m): what it changes by, and what is read (s, measures)


@dataclass(frozen=True)
class Lasting(Together):
    """The coordinates of z that last are the chosen ones."""

    def to_vector(self, moments: Any) -> Array:
        return self.mean.pack(moments.S[np.ix_(self.chosen, self.chosen)])

    def to_moments(self, z: Array) -> Any:
        return Apart.together(self.common, self.placed(self.mean.unpack(z)))

    def placed(self, S: Array) -> Array:
        """A matrix of what lasts as one of z; S may be a stack."""
        return self.l @ S @ self.l.T


def lasting(common: CommonSpace, lasts: NDArray[np.bool_]) -> Lasting:
    """The space of these coordinates."""
    nothing = np.zeros((len(lasts), 0))
    return Lasting(nothing, nothing.T, np.flatnonzero(lasts), np.eye(len(lasts))[:, lasts], common)


def round_change(ahead: Ahead, common: CommonSpace, collapse: Collapse) -> Change:
    """The steps of a round and the average after them."""
    paths, forms = ahead.lead(Paths.beginning(common))
    D, p = paths.increment(collapse), common.weights
    begin, across = common.mean + common.apart, paths.of_deviations

    def change(X: Array) -> tuple[Array, Array]:
        changed: Array = congruence_change(D, X)
        read = np.tensordot(X, forms, axes=((1, 2), (1, 2)))
        for k, share in enumerate(collapse.share):
            made, of_noise = _injected(ahead, k, begin[k] @ X @ begin[k].T)
            changed, read = changed + share @ made @ share.T, read + of_noise
            if collapse.drawn is not None:
                c, taken = collapse.drawn
                apart = p[k] * (across[k] @ X @ across[k].T) + common.shares[k] * made
                changed = changed + c * (taken @ apart @ taken.T)
        return changed, read

    return change


def _injected(ahead: Ahead, k: int, X: Array) -> tuple[Array, Array]:
    """The noise of one device that was in X, and what is read of it."""
    own = ahead.own.one(k)
    if isinstance(own, Congruence):
        one = X[:, -1, -1]
        return one[:, None, None] * own.N, one[:, None] * own.c
    packed = own.packing.pack(X)
    return own.packing.unpack(packed @ own.N.T), packed @ own.rows_across.T


def lasting_cycle(
    stages: Sequence[Stage | Switch], rounds: Sequence[Sequence[Change]], space: Lasting
) -> Linear:
    """All stages in a row, each with its moves."""
    begin = space.placed(space.mean.basis)
    total: Array = 0 * begin
    rows: Any = 0
    for stage, moves in zip(stages, rounds, strict=True):
        here = begin + total
        first, read = moves[0](here)
        total = total + (_switched(stage, moves, here) if isinstance(stage, Switch) else first)
        rows = rows + read
    chosen = total[:, space.chosen][:, :, space.chosen]
    return Linear(space, space.mean.pack(chosen).T, np.transpose(rows))


def _switched(switch: Switch, moves: Sequence[Change], X: Array) -> Array:
    """The mean over all lists of moves of what they change."""

    def moved(move: int, change: Array, _turn: int) -> Array:
        return change + moves[move](X + change)[0]

    changes = switch.states(0 * X, moved)
    total: Array = sum(float(p) * changes[turn] for turn, p in switch.endings)
    return total
