"""Records of the library that are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from ratecert.base.errors import UserError
from ratecert.base.words import FAINTLY, did_you_mean
from ratecert.shelf.record import Record, verdict_in_words


@dataclass(frozen=True, kw_only=True)
class Filter:
    """What a record must be; None and no name ask for nothing."""

    names: tuple[str, ...] = ()  # keys of papers, or ids
    verdict: str | None = None
    evidence: str | None = (
        None  # "search": it was held against worlds; "linter": the linter has found something
    )
    paper: str | None = None
    after: str | None = None  # how the print was had

    def of(self, records: Sequence[Record]) -> list[Record]:
        """Those that fit; a name that no record has is refused."""
        for name in (*self.names, *filter(None, [self.paper])):
            _require(name, records)
        return [record for record in records if self._fits(record)]

    def _fits(self, record: Record) -> bool:
        return (
            (not self.names or any(name in _names(record) for name in self.names))
            and (self.verdict is None or self.verdict in _verdicts(record))
            and (self.evidence != "search" or record["ratio"] is not None)
            and (self.evidence != "linter" or bool(record["findings"]))
            and self.paper in (None, _paper(record))
            and self.after in (None, record["certainty"])
        )


def _names(record: Record) -> tuple[str, str, str]:
    """Its paper, its statement, and after a dot what a claim by hand checks of it."""
    key, _, inside = record["id"].partition(":")
    return key, f"{key}:{inside.partition('.')[0]}", record["id"]


def _verdicts(record: Record) -> tuple[str, ...]:
    """What is proved false is refuted, too; and the words that are shown are as good."""
    own = ("proved false", "refuted") if record["verdict"] == "proved false" else (record["verdict"],)
    return (*own, verdict_in_words(record))


def _paper(record: Record) -> str:
    return _names(record)[0]


def _require(name: str, records: Sequence[Record]) -> None:
    known = [part for record in records for part in _names(record)]
    if name in known:
        return
    hint = did_you_mean(name, known, "`ratecert library` lists it.", alike=FAINTLY)
    raise UserError(f"the library has nothing that is called {name!r}; {hint}")
