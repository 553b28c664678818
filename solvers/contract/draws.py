"""What a method leaves to chance beside its samples: which steps are taken, by whom, and whose results are averaged.

    Drawn    an average over m devices, drawn anew each time
    Choice   a step that is one of several, drawn by each device for itself
    Switch   a stage of one iteration: one of several lists of steps and averages, one draw for all devices

A switch is kept as a tree, so that what its lists have in common at their beginning is done once: turn number i, from 1
on, is a move that follows another turn, or the beginning 0, and after it the list may be over.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import number_like
from ratecert.base.errors import UserError
from ratecert.base.validation import require_choice, require_whole, shown

ROUNDING = 1e-12  # of the sum of probabilities


@dataclass(frozen=True)
class Drawn:
    """m devices, drawn from all: with replacement each time by its weight, else m different ones, all equally likely.

    >>> import ratecert as rc
    >>> rc.contract.Drawn(3, replacement=True).m
    3
    """

    m: int
    replacement: bool = False

    def __post_init__(self) -> None:
        require_whole("m", self.m, least=1)
        require_choice("replacement", self.replacement, (False, True))

    def require(self, K: int, *, weights_differ: bool) -> None:
        """Refuse K devices that cannot be drawn so."""
        if self.replacement:
            return
        if self.m > K:
            raise UserError(f"m = {self.m} different devices cannot be drawn from {K}.")
        if weights_differ:
            raise UserError(
                "different devices are drawn where all have the same weight, and here weights differ; "
                "use replacement=True, which draws by weight."
            )

    def spread(self, K: Any) -> Any:
        """c with Cov(share of k, share of l) = c (p_k [k = l] - p_k p_l): what drawing adds; 1/m if all are drawn anew.

        A device's share is how often it is drawn, divided by m.
        """
        if K == 1:
            return Fraction(0)
        if self.replacement or self.m == 1:
            return Fraction(1, self.m)
        return Fraction(1, self.m) * Fraction(K - self.m, K - 1)


@dataclass(frozen=True)
class Choice:
    """A step that is one of several: every device draws for itself, anew in every iteration.

    It is a step like any other: step(t, s, oracle) -> State.

    >>> import ratecert as rc
    >>> def stay(t, s, oracle):
    ...     return s
    >>> rc.contract.Choice((0.25, stay), (0.75, stay), label="coin").probabilities
    (0.25, 0.75)
    """

    probabilities: tuple[Any, ...]
    steps: tuple[Callable[..., Any], ...]
    label: str  # names the stream of draws: two choices in one method need two labels

    def __init__(self, *alternatives: tuple[Any, Callable[..., Any]], label: str = "choice") -> None:
        """Each alternative is (its probability, its step)."""
        for alternative in alternatives:
            if not isinstance(alternative, tuple) or len(alternative) != 2 or not callable(alternative[1]):
                raise UserError(
                    f"an alternative of a choice is a pair (probability, step), got {shown(alternative)}."
                )
            if isinstance(alternative[1], Choice):
                raise UserError(
                    "a choice among choices is one choice with products of probabilities; write it so."
                )
        object.__setattr__(self, "probabilities", tuple(p for p, _ in alternatives))
        object.__setattr__(self, "steps", tuple(step for _, step in alternatives))
        object.__setattr__(self, "label", label)
        require_probabilities(self.probabilities)

    def __call__(self, t: int, s: Any, oracle: Any) -> Any:
        """Draw, and take that step: an engine that runs steps has an oracle that can."""
        return oracle.choose(self, t, s)


@dataclass(frozen=True)
class Turn:
    """A move of a switch: which one, after which turn, and the probability that the list ends with it."""

    after: int
    move: int
    ends: Any


@dataclass(frozen=True)
class Switch:
    """One iteration that is one of several lists of moves, drawn anew each time, the same on all devices.

    moves    stages of one step each
    turns    in which order they may come, as a tree; every turn comes after the one that it follows
    nothing  the probability that no move is made at all
    """

    moves: tuple[Any, ...]
    turns: tuple[Turn, ...]
    nothing: Any = 0

    repeats = 1

    def __post_init__(self) -> None:
        if not self.moves:
            raise UserError("a switch needs a move at least.")
        for move in self.moves:
            if not hasattr(move, "averaged"):
                raise UserError(f"a move of a switch must be a Stage of one step, got {shown(move)}.")
            if move.repeats != 1:
                raise UserError(f"repeats must be 1 in a move of a switch, got {shown(move.repeats)}.")
        require_probabilities([self.nothing, *(turn.ends for turn in self.turns)])

    @property
    def endings(self) -> list[tuple[int, Any]]:
        """(turn, probability) of all ways in which the iteration may end; turn 0 is before the first move."""
        every = [(0, self.nothing), *((i, turn.ends) for i, turn in enumerate(self.turns, start=1))]
        return [(i, p) for i, p in every if float(p) > 0]

    def states(self, begin: Any, move: Callable[[int, Any, int], Any]) -> list[Any]:
        """What comes of every turn, `begin` first: move(number of the move, the state before, number of the turn)."""
        states = [begin]
        for i, turn in enumerate(self.turns, start=1):
            states.append(move(turn.move, states[turn.after], i))
        return states

    @property
    def passes(self) -> NDArray[np.bool_]:
        """[i, j]: turn i is on the way to the end after turn j."""
        n = len(self.turns) + 1
        passes = np.zeros((n, n), dtype=bool)
        for j, turn in enumerate(self.turns, start=1):
            passes[:, j] = passes[:, turn.after]
            passes[j, j] = True
        return passes

    @property
    def depths(self) -> list[int]:
        """How many moves have been made after every turn."""
        depths: list[int] = self.states(0, lambda _move, depth, _turn: depth + 1)
        return depths

    def expected(self, changes: Sequence[Any]) -> Any:
        """The mean map over all lists, minus the identity: I + the result, where move i is I + changes[i].

        From the leaves down: (p I + C) after (I + D) is p I + (p D + C + C D), with nothing subtracted.
        """
        number = number_like(changes[0])
        likely = [number(p) for p in (self.nothing, *(turn.ends for turn in self.turns))]
        found: list[Any] = [None] * len(likely)
        for i in range(len(self.turns), 0, -1):
            turn = self.turns[i - 1]
            D, C = changes[turn.move], found[i]
            made = D * likely[i] if C is None else D * likely[i] + C + C @ D
            found[turn.after] = made if found[turn.after] is None else found[turn.after] + made
            likely[turn.after] = likely[turn.after] + likely[i]
            found[i] = None
        return 0 * changes[0] if found[0] is None else found[0]


def switch(*branches: tuple[Any, Sequence[Any]]) -> Switch:
    """Make a switch: one iteration that draws, for all devices, which one of several lists of moves it makes.

    branches   for each list a pair (probability, stages of one step each)

    >>> import ratecert as rc
    >>> def stay(t, s, oracle):
    ...     return s
    >>> move = rc.contract.Stage(stay, repeats=1, averaged=("x",))
    >>> len(rc.contract.switch((0.25, [move]), (0.75, [])).turns)
    1
    """
    moves: list[Any] = []
    turns: list[Turn] = []
    nothing: Any = 0
    known: dict[tuple[int, int], int] = {}
    for branch in branches:
        listed = isinstance(branch, tuple) and len(branch) == 2 and isinstance(branch[1], list | tuple)
        if not listed:
            raise UserError(f"a branch of a switch is a pair (probability, moves), got {shown(branch)}.")
        probability, made = branch
        here = 0
        for stage in made:
            move = moves.index(stage) if stage in moves else len(moves)
            if move == len(moves):
                moves.append(stage)
            if (here, move) not in known:
                turns.append(Turn(here, move, 0))
                known[here, move] = len(turns)
            here = known[here, move]
        if here == 0:
            nothing = nothing + probability
        else:
            last = turns[here - 1]
            turns[here - 1] = Turn(last.after, last.move, last.ends + probability)
    return Switch(tuple(moves), tuple(turns), nothing)


def random_rounds(move: Any, N: int) -> Switch:
    """Make a switch that makes a move k times, where k is drawn uniformly from {0, ..., N - 1}."""
    N = require_whole("N", N, least=1)
    share = Fraction(1, N)
    return Switch((move,), tuple(Turn(k, 0, share) for k in range(N - 1)), share)


def moves_of(stages: Sequence[Any]) -> tuple[Any, ...]:
    """All steps with the averages after them, those of a switch one after the other: each has its number here."""
    return tuple(
        move for stage in stages for move in (stage.moves if isinstance(stage, Switch) else (stage,))
    )


def with_steps(stages: Sequence[Any], change: Callable[[Callable[..., Any]], Any]) -> tuple[Any, ...]:
    """The same stages with every step replaced by what is made of it."""

    def changed(stage: Any) -> Any:
        if isinstance(stage, Switch):
            return replace(stage, moves=tuple(changed(move) for move in stage.moves))
        return replace(stage, step=change(stage.step))

    return tuple(changed(stage) for stage in stages)


def is_drawn(stages: Sequence[Any]) -> bool:
    """Tell whether anything is left to chance beside the samples and each device's own choices."""
    return any(isinstance(stage, Switch) or stage.drawn is not None for stage in stages)


def begins_iterations(stages: Sequence[Any]) -> list[bool] | None:
    """Of every move, whether an iteration begins with it; None where that is not the same each time it is made.

    So it is where an iteration may be over before any move, or makes one move again and again.
    """
    found = []
    for stage in stages:
        if not isinstance(stage, Switch):
            found.append(True)
            continue
        first = {turn.move for turn in stage.turns if turn.after == 0}
        later = {turn.move for turn in stage.turns if turn.after != 0}
        if float(stage.nothing) > 0 or first & later:
            return None
        found += [move in first for move in range(len(stage.moves))]
    return found


def alternatives_of(step: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """The steps of a choice, or the one that there is."""
    return step.steps if isinstance(step, Choice) else (step,)


def require_probabilities(values: Sequence[Any]) -> None:
    """Refuse what does not add up to 1, or lies outside [0, 1]."""
    for value in values:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not 0 <= number <= 1:
            raise UserError(f"a probability must be a number from 0 to 1, got {shown(value)}.")
    total = math.fsum(map(float, values))
    if abs(total - 1) > ROUNDING:
        raise UserError(f"probabilities must add up to 1, got {total:.12g}.")
