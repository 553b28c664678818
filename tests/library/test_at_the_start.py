"""Where iterates count from 1, the start is one of them: what holds there says nothing of the method."""

from typing import Any

import pytest

from ratecert.catalogue.version import version_of
from ratecert.verdicts import theorem as verdicts
from ratecert.verdicts.theorem import searched

SAGA: dict[str, Any] = {
    "paper": "sg-noise-reduction",
    "theorem": "saga-rate",
    "variant": "repaired",
    "budget": 128,
    "seed": 0,
}


def test_the_largest_ratio_is_one_after_a_step_and_that_of_the_start_is_told_beside_it() -> None:
    row, *_ = searched(**SAGA, code=version_of("sg-noise-reduction"))
    assert row["run.T"] >= 1
    assert row["largest"] < row["at the start"] <= 1


def test_where_no_step_could_be_tried_the_start_is_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "nearest_ratio", lambda _: (0.0, {}))
    row, *_ = searched(**SAGA, code=version_of("sg-noise-reduction"))
    assert row["run.T"] == 0
    assert row["at the start"] is None
