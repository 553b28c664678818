"""The vocabulary of claims: its nouns are here, its verbs in checks.py and lines.py."""

from ratecert.claim.blind import not_seen
from ratecert.claim.chart import Chart, Kind, Panel, Scale, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.claim.rows import Row, Rows
from ratecert.vocabulary import Evidence

__all__ = [
    "Budget", "Chart", "Check", "Claim", "Evidence", "Json", "Judgement", "Kind",
    "Panel", "Piece", "Row", "Rows", "Scale", "Series", "Triangle", "not_seen",
]  # fmt: skip
