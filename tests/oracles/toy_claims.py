"""Claims that cost nothing, for tests of how claims are run: they count how often each piece was computed."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece

LOG, PAUSE = "TOY_LOG", "TOY_PAUSE"  # names of environment variables, which reach every process


def square(number: int) -> Json:
    time.sleep(float(os.environ.get(PAUSE, "0")))
    if LOG in os.environ:
        with Path(os.environ[LOG]).open("a", encoding="utf-8") as log:
            log.write(f"{number}\n")
    return {"number": number, "square": number**2 + 0.1}


def computed() -> list[int]:
    """Which pieces were computed, as often as they were."""
    log = Path(os.environ[LOG])
    return [int(line) for line in log.read_text(encoding="utf-8").split()] if log.exists() else []


def failing(number: int) -> Json:
    raise ArithmeticError(f"{number} is too much")


def nan(number: int) -> Json:
    return float("nan") * number


def judge(values: Sequence[Json]) -> Judgement:
    checks = [
        Check(
            name=f"square of {v['number']}", measured=v["square"], predicted=v["number"] ** 2, tolerance=0.2
        )
        for v in values
    ]
    return Judgement(
        checks=checks, regime="small numbers", settings={"numbers": len(values)}, method="by hand"
    )


def toy(id: str, numbers: Sequence[int], function: object = square, **more: object) -> Claim:
    def pieces(_: Budget) -> list[Piece]:
        return [Piece(function, {"number": n}) for n in numbers]  # type: ignore[arg-type]

    given = {"of": ("theorem-1",), "sentence": f"Squares of {id}.", "pieces": pieces, "judge": judge, **more}
    return Claim(id=id, **given)  # type: ignore[arg-type]
