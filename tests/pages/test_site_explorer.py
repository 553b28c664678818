"""The explorer of the site: its answers are those of the explorer, and it needs nothing beside itself."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from ratecert.explore.answer import answer
from ratecert.explore.state import usual
from tools import explorer

SGD = "parallel-sgd:sgd-descent"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "SHOWN", (SGD,))
    monkeypatch.setattr(explorer, "GRID", {"T": (16, 64), "K": (1, 4)})


@pytest.mark.usefixtures("small")
def test_every_answer_is_that_of_the_explorer_at_its_link() -> None:
    own = explorer.answers()["theorems"][SGD]
    assert own["grid"]["K"] == ["1", "4"]
    assert own["answers"].keys() == {
        f"{b} {T} {K}" for b in own["grid"]["bound"] for T in own["grid"]["T"] for K in (1, 4)
    }
    found, other = own["answers"]["printed 16 4"], own["answers"]["printed 64 4"]
    there = answer(usual(SGD, T=16, K=4))
    assert found["bound"]["ratio"] == pytest.approx(there["bound"]["ratio"], rel=1e-5)
    assert found["bound"]["ratio"] != pytest.approx(other["bound"]["ratio"], rel=1e-2)
    assert found["query"] == f"show={SGD}&bound=printed&T=16&K=4"
    assert [(each["name"], each["choices"]) for each in found["controls"]] == [
        (n, own["grid"][n]) for n in ("K", "T")
    ]


@pytest.mark.usefixtures("small")
def test_the_page_is_one_file_that_asks_for_nothing() -> None:
    page = explorer.page()
    assert not re.search(r"^(import|export) ", page, re.MULTILINE)
    assert not re.search(r'(src|href)="(?!#)|https?://(?!www\.w3\.org/)', page)
    script = page.partition('<script type="module">')[2].partition("</script>")[0]
    assert f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}" in page
