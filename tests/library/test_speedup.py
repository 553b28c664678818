"""Who gets linear speedup: what is kept of it is what runs along the corollaries give."""

import json
from pathlib import Path

import pytest

from ratecert.claim.rows import Rows
from ratecert.from_data.along import along
from ratecert.shelf.speedup import T, _of_one

KEPT = Rows(json.loads(Path("docs/speedup.json").read_text(encoding="utf-8")))


def test_all_begin_as_they_claim() -> None:
    assert {"federated-bilevel:corollary-1", "pasgd:corollary-1", "restarted-sgd:corollary-1"} <= set(
        KEPT.cells("corollary")
    )
    for _, rows in KEPT.by("corollary"):
        assert rows[0]["exponent"] == pytest.approx(rows[0]["claimed"], rel=1e-3)


def test_it_ends_where_another_term_takes_over() -> None:
    *_, last = KEPT.where(corollary="restarted-sgd:corollary-1")
    assert last["exponent"] / last["claimed"] < 0.9


@pytest.mark.parametrize("K", [4, 4**8])
def test_what_is_kept_is_computed(K: int) -> None:
    (kept,) = KEPT.where(corollary="pasgd:corollary-1", K=K)
    assert along("pasgd", "corollary-1").row(K, float(T))["measure"] == pytest.approx(
        kept["measure"], rel=1e-9
    )


def test_a_lost_average_would_be_seen() -> None:
    """A measure that does not fall with K has the exponent 0."""
    found = list(_of_one("toy", -0.5, lambda K: 1.0))
    assert all(row["exponent"] == 0 for row in found)
    assert len(found) > 10
