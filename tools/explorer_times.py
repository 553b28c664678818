"""How long the explorer takes for an answer: milliseconds of one processor, the least of three after a first one.

    python -m tools.explorer_times

Two lists: every method on each of its worlds, 2^40 iterations, and all runs to begin with. docs/explore.md quotes it.
"""

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from statistics import median

from ratecert.explore.answer import answer
from ratecert.explore.methods import METHODS
from ratecert.explore.presets import presets
from ratecert.explore.state import State, usual

LONG = 2**40
TRIES = 3
SOON = 150.0  # milliseconds


def milliseconds(state: State) -> float:
    answer(state)
    return min(_once(state) for _ in range(TRIES))


def _once(state: State) -> float:
    begun = time.process_time()
    answer(state)
    return 1e3 * (time.process_time() - begun)


def told(what: str, states: Mapping[str, State]) -> str:
    """How many, the median, and all that take longer than is soon."""
    took = {name: milliseconds(state) for name, state in states.items()}
    late = sorted(((ms, name) for name, ms in took.items() if ms > SOON), reverse=True)
    lines = [f"{what}: {len(took)}, median {median(took.values()):.0f} ms, {len(late)} above {SOON:.0f} ms"]
    return "\n".join([*lines, *(f"  {ms:4.0f} {name}" for ms, name in late)]) + "\n"


def usual_runs() -> dict[str, State]:
    return {
        f"{name}, {world}": _long(usual(name, world=world))
        for name, method in METHODS.items()
        for world in method.worlds
    }


def _long(state: State) -> State:
    return replace(state, numbers={**state.numbers, "T": LONG})


if __name__ == "__main__":
    sys.stdout.write(told("methods and worlds", usual_runs()))
    sys.stdout.write(told("runs to begin with", {each.title: each.state for each in presets()}))
