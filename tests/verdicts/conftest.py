"""Papers that a test registers are forgotten after it."""

import pytest

from ratecert.catalogue import load


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_REGISTERED", {})
