"""Papers of one theorem, made by hand and known in this process alone, and runs of them whose results are given."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import ratecert as rc
from ratecert.binding.binding import Binding, Sides

s = rc.statements
COUNTS = frozenset({"T", "K", "p", "n"})
Ends = tuple[float, float]


def small_paper(
    key: str,
    *,
    terms: Mapping[str, Any],
    conditions: Mapping[str, Any] | None = None,
    letters: str,
    counts: Collection[str] = COUNTS,
    more: tuple[Any, ...] = (),
    **theorem: Any,
) -> Any:
    """A paper with `theorem-1`: within the conditions, a measure without units is at most the sum of the terms."""
    notation = s.table(
        *(
            s.Symbol(name, name, name, units="1", least=1 if name in counts else None)
            for name in letters.split()
        )
    )
    steps = s.Algorithm(
        id="steps", title="Steps", source="1", hyperparameters=(), starts_from=(), lines=(), updates={}
    )
    given = {"measure": "x", "measure_units": "1", "assumptions": (), **theorem}
    one = s.Theorem(
        id="theorem-1",
        title="One",
        source="1",
        algorithm="steps",
        conditions=conditions or {},
        terms=terms,
        **given,
    )
    return s.Paper(
        key=key, title="By hand", notation=notation, statements=s.by_id(steps, one, *more), bindings={}
    )


LINE = s.Family(
    name="line",
    levels=(s.Level(name="h", low=0.5, high=2.0), s.Level(name="far", low=0.5, high=2.0)),
    world=lambda numbers: rc.worlds.SingleLevel(H=numbers["h"]),
    start=lambda world, numbers: {"x": world.x_star + numbers["far"]},
)


def descent(**more: Any) -> dict[str, Any]:
    """The binding of gradient descent on a line: x_T from x_0 = far, with the step alpha."""
    alpha = s.letter("alpha")
    given: dict[str, Any] = {
        "method": rc.methods.SGD,
        "hyperparameters": {"alpha": alpha},
        "measure": rc.measures.distance().last(),
        "constants": {"h": "L", "R_2": "squared_distance"},
        "worlds": (LINE,),
        "devices": "",
        "most_iterations": 4,
    }
    return given | more


def result(certified: bool, **ends: Ends) -> Any:
    """What an engine gives, each measure by the two ends of what is known of it."""
    middles = {name: (low + high) / 2 for name, (low, high) in ends.items()}
    errors = {name: (high - low) / 2 for name, (low, high) in ends.items()}
    return SimpleNamespace(
        **middles,
        certified=certified,
        enclosure=SimpleNamespace(**ends) if certified else None,
        absolute_error=SimpleNamespace(**errors),
        precision=max(errors[name] / abs(middles[name] or 1.0) for name in ends),
    )


@dataclass(frozen=True, kw_only=True)
class Given(Binding):
    """A binding whose runs are not run: `ends` of the left side in doubles and, where it is enclosed, of the balls."""

    rough: Ends = (1.0, 1.0)
    balls: Ends | None = None  # where they are asked for
    again: Ends | Exception | None = None  # where they are insisted on; as in balls, if it is not given

    def run(self, paper: Any, theorem: Any, setting: Any, values: Any, **how: Any) -> Sides:
        asked = how.get("certified", "cheap")
        found = {False: self.rough, "cheap": self.balls, True: self.again or self.balls}[asked] or self.rough
        if isinstance(found, Exception):
            raise found
        return Sides({0: result(asked is not False and found is not self.rough, left=found)}, {})

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "method", _never_run)


def _never_run(**_: Any) -> Any:
    raise rc.errors.UserError("what is given has no outcomes.")


def corollary(claim: Any, window: tuple[Any, ...] = (), kind: str = "O", **scalings: Any) -> Any:
    """`corollary-1` of that theorem: this rate along these orders of letters."""
    return s.Corollary(
        id="corollary-1",
        title="Rate",
        source="1",
        theorem="theorem-1",
        scalings={name: s.Scaling(order, "Theta") for name, order in scalings.items()},
        claim=s.Scaling(claim, kind),
        window=window,
    )
