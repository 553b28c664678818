"""Verdicts by the id of a paper, a statement or a claim, for scripts and notebooks."""

from dataclasses import dataclass, field
from typing import Any

from ratecert.api.searches import LARGEST_SEED
from ratecert.base.asked import asked
from ratecert.base.errors import UserTypeError
from ratecert.base.validation import require_choice, require_whole
from ratecert.catalogue.load import is_outside, require_for_workers
from ratecert.claims.check import in_words
from ratecert.claims.claim import Budget
from ratecert.report.judge import judged
from ratecert.report.results import unexpected
from ratecert.verdicts.collect import select


@dataclass(frozen=True, repr=False)
class Verdict:
    """What was found of a claim: `verdict` in words, `reason` for it, `notes` on how far it goes."""

    claim: str
    verdict: str
    expected: bool  # whether it is the verdict that the paper's file expects
    reason: str  # the check that decided, with its numbers, or what failed
    notes: tuple[str, ...]
    entry: dict[str, Any] = field(compare=False)  # all of it, as results.json has it

    def __repr__(self) -> str:
        return f"<{self.claim}: {self.verdict}{', not as expected' * unexpected(self.entry)}; {self.reason}>"


def verify(name: str, *, quick: bool = False, seed: int = 0, jobs: int = 1) -> list[Verdict]:
    """Verify what a paper says: its theorems, its corollaries, its costs, and the claims that it brings.

    name    a paper: its key, registered or not, the path of its file, "library"; one of its statements, such as
            "parallel-sgd:sgd-rate"; or a claim
    quick   fewer worlds and settings, the same tolerances
    seed    of the searches and of what is sampled
    jobs    processes; 1 where a paper is registered in this one

    Nothing is stored: the command `ratecert verify` writes a report, and goes on where it was stopped.

    >>> import ratecert as rc
    >>> (found,) = rc.verify("corollary-1.exponents")
    >>> found
    <corollary-1.exponents: proved; exponent of T that follows, K = 1 (start_u): -0.5 <= -0.5 within 1e-09 passes>
    """
    if not isinstance(name, str):
        raise UserTypeError(
            f"name must be the key or the file of a paper, or a claim of it, got {name!r:.60}."
        )
    budget = of_run(quick=quick, seed=seed, jobs=jobs)
    key = name if is_outside(asked(name)) else name.rpartition(":")[0]
    require_for_workers(key, jobs)
    return [
        Verdict(
            claim=entry["id"],
            verdict=in_words(entry),
            expected=entry["verdict"] == entry["expected"],
            reason=entry["reason"],
            notes=tuple(entry["notes"]),
            entry=entry,
        )
        for entry in judged(select([name]), budget, jobs=jobs)
    ]


def of_run(*, quick: Any, seed: Any, jobs: Any) -> Budget:
    """The settings of a run, each refused where it makes no sense."""
    require_choice("quick", quick, (False, True))
    require_whole("jobs", jobs, least=1)
    return Budget(quick=quick, seed=require_whole("seed", seed, least=0, most=LARGEST_SEED))
