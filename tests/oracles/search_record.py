"""How many worlds and seconds a search needs until the first world that shows a known mistake, over many seeds.

Known are the mistakes of all kept witnesses; seconds are those of one processor. A statement counts as a whole (any
world that breaks it) and by each mistake; worlds are counted from the start of `ratecert falsify`, with its default
budget, searches for other mistakes included. One JSON line per statement, seed and mistake, as in docs/search.jsonl:

    PYTHONPATH=tests python -m oracles.search_record SEEDS [STATEMENT ...] >> docs/search.jsonl
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from ratecert.catalogue.cases import case_of, stored
from ratecert.search import witness
from ratecert.search.finding import ENOUGH, looks

BUDGET = 4000  # the default of `ratecert falsify`


def known() -> dict[str, list[str]]:
    """Statement -> the places of its mistakes, of which each has a kept witness."""
    found: dict[str, list[str]] = {}
    for each in map(witness.read, stored()):
        places = found.setdefault(each.statement, [""])
        places += [each.place] if each.place not in places else []
    return found


def rows(statement: str, places: Sequence[str], seed: int) -> Iterator[dict[str, Any]]:
    """One search; the seconds are those at the end of the batch of worlds in which a mistake was first shown."""
    begun, clock = time.process_time(), [(0, 0.0)]

    def advance(n: int) -> None:
        clock.append((clock[-1][0] + n, time.process_time() - begun))

    shown: dict[str, int | None] = {}
    own = case_of(statement, "printed")
    enough = ENOUGH if places[1:] else 1.0  # nothing is looked for after the first
    for each in looks(own, budget=BUDGET, seed=seed, jobs=1, advance=advance, enough=enough):
        shown[each.place] = each.shown_after
        if all(shown.get(place) for place in places):
            break
    for place in places:
        worlds = shown.get(place)
        seconds = None if worlds is None else next(s for tried, s in clock if tried >= worlds)
        yield {"statement": statement, "place": place, "seed": seed, "worlds": worlds, "seconds": seconds}


if __name__ == "__main__":
    seeds, *statements = sys.argv[1:]
    for statement, places in known().items():
        for seed in range(int(seeds)) if not statements or statement in statements else ():
            for row in rows(statement, places, seed):
                sys.stdout.write(json.dumps(row) + "\n")
                sys.stdout.flush()
