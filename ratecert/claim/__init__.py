"""The vocabulary of claims: its nouns are here, its verbs in checks.py and lines.py."""

from ratecert.base.chart import Chart, Kind, Panel, Scale, Series, Triangle
from ratecert.base.words import Evidence, not_seen
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.claim.rows import Row, Rows

__all__ = [
    "Budget", "Chart", "Check", "Claim", "Evidence", "Json", "Judgement", "Kind",
    "Panel", "Piece", "Row", "Rows", "Scale", "Series", "Triangle", "not_seen",
]  # fmt: skip
