"""Sentences as a printed page has them."""

import pytest

from ratecert.report.typeset import in_cell, in_print


@pytest.mark.parametrize(
    ("plain", "printed"),
    [
        ("T = 2^20: 16.3674 <= 1 fails", "T = 2²⁰: 16.3674 ≤ 1 fails"),
        ("G^2 is of the order of f^4 and too small.", "G² is of the order of f⁴ and too small."),
        ("10^-12 >= 1e-13", "10⁻¹² ≥ 1e-13"),
        ("K^(2/3), T^0.5, p^2/3 and x^n stay", "K^(2/3), T^0.5, p^2/3 and x^n stay"),
        ("a->b, <b>", "a->b, <b>"),
    ],
)
def test_whole_powers_are_raised_and_the_rest_stays(plain: str, printed: str) -> None:
    assert in_print(plain) == printed


def test_a_number_in_a_cell_stays_whole_and_text_stays_text() -> None:
    assert in_cell("<b> of size 1.5e-07") == '&lt;b&gt; of size <span class="whole">1.5e-07</span>'
