"""Constants that hold where a run can go: f with quadratic growth is Lipschitz on a ball, and no outcome leaves it.

The ball holds the iterates of all devices, their means, and (xbar, y*(xbar)), for every outcome of the noise
(`rc.reachable_radius`). Outside it f could be any other function, such as one that is Lipschitz everywhere, and the run
would be the same: a theorem that asks for that speaks of this run.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.errors import UserError
from ratecert.binding.setting import Setting
from ratecert.solvers.contract.problem import require_two_levels
from ratecert.solvers.engines.certificates.reach import certified_reach

SMALLEST = 1e-12  # radius, of a run that stays where it is
ROOM = 4.0  # times as far as the start: where steps are chosen, before anyone knows how far they lead


@dataclass(frozen=True)
class Within:
    """A letter that stands for a constant of the world on a ball which no outcome of the run leaves.

    Steps are chosen as if the ball were four times as large as the start asks for; that the conditions hold with the
    constants of the ball itself is seen once the run is known.

    >>> import ratecert as rc
    >>> rc.statements.Within("L_0")
    Within(constant='L_0')
    """

    constant: str

    def on(self, setting: Setting, radius: float) -> float:
        """The constant on the ball of this radius."""
        found: dict[str, float] = setting.world.constants(radius=radius)
        if self.constant not in found:
            raise UserError(
                f"{type(setting.world).__name__} gives no constant {self.constant!r} on a ball; it gives "
                f"{', '.join(found)}."
            )
        return found[self.constant]


def radius_before(setting: Setting) -> float:
    """Of a ball with room around the start, for choosing steps."""
    world = setting.world
    require_two_levels("Within", world)
    off = [
        setting.x0 - world.x_star,
        np.asarray(setting.start["y"]) - world.y_star(setting.x0),
        world.x_star - world.a,
    ]
    return ROOM * max(1.0, *(float(np.linalg.norm(part)) for part in off))


def radius_of_run(setting: Setting, solver: Any) -> float:
    """Of a ball that no outcome of the run leaves."""
    found = certified_reach(setting.world, solver, setting.K, x0=setting.x0, y0=setting.start["y"])
    return max(found.iterates, found.truth, SMALLEST)
