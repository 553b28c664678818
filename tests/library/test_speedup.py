"""Who gets linear speedup: what is stored of it is what runs along the corollaries give."""

import json
from pathlib import Path

import pytest

from oracles.speedup import T, _of_one
from ratecert.claims.rows import Rows
from ratecert.verdicts.corollary_runs import runs_along

STORED = Rows(json.loads(Path("docs/speedup.json").read_text(encoding="utf-8")))


def test_all_begin_as_they_claim() -> None:
    promised = STORED.where(promised=True)
    assert {"federated-bilevel:corollary-1", "pasgd:corollary-1", "restarted-sgd:corollary-1"} <= set(
        promised.cells("corollary")
    )
    for _, rows in promised.by("corollary"):
        assert rows[0]["exponent"] == pytest.approx(rows[0]["linear"], rel=1e-3)


def test_of_those_that_promise_nothing_one_has_it() -> None:
    """FedAvg with all devices; not with a few that are drawn, nor ProxSkip in the errors of all its devices."""
    last = {id: rows[-1] for id, rows in STORED.where(promised=False).by("corollary")}
    parts = {id: row["exponent"] / row["linear"] for id, row in last.items()}
    assert parts == pytest.approx(
        {"fedavg:corollary-1": 1.0, "fedavg:corollary-2": 0.0, "proxskip:corollary-2": 0.0}, abs=1e-6
    )


def test_it_ends_where_another_term_takes_over() -> None:
    *_, last = STORED.where(corollary="restarted-sgd:corollary-1")
    assert last["exponent"] / last["linear"] < 0.9


@pytest.mark.parametrize(
    ("key", "id", "K"),
    [("pasgd", "corollary-1", 4), ("pasgd", "corollary-1", 4**8), ("proxskip", "corollary-2", 4**12)],
)
def test_what_is_stored_is_computed(key: str, id: str, K: int) -> None:
    (stored,) = STORED.where(corollary=f"{key}:{id}", K=K)
    assert runs_along(key, id).row(K, float(T))["measure"] == pytest.approx(stored["measure"], rel=1e-9)


def test_a_lost_average_would_be_seen() -> None:
    """A measure that does not fall with K has the exponent 0."""
    found = list(_of_one(lambda K: 1.0))
    assert all(row["exponent"] == 0 for row in found)
    assert len(found) > 10
