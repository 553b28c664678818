"""The figure of the first page: a formula that lost a letter, what it allows, and what is measured.

    python -m tools.lost_letter        into docs/figures/lost-letter.svg

Both numbers are those of a stored counterexample, which is computed again. The drawing is plain SVG, the same bytes on
every machine; the letter that is missing in the quote stands in red where it belongs.
"""

from fractions import Fraction
from pathlib import Path

import ratecert as rc
from ratecert.base.files import write_text

FIGURE = Path(__file__).resolve().parent.parent / "docs" / "figures" / "lost-letter.svg"
WITNESS = "sg-noise-reduction.svrg-rate.printed-start.simple"
SCALE = 520  # pixels for a gap of which nothing is left out
TOP = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 250" role="img" font-family="Georgia, serif">
<title>SVRG as a survey quotes it: at most {bound} of the gap is left, and {measured} is</title>
<rect width="800" height="250" rx="8" fill="#ffffff"/>
<g fill="#222222" font-size="17">
<text x="40" y="38">An epoch of SVRG leaves at most this part of the gap F − F*:</text>
</g>
<g fill="#222222" font-size="28" font-style="italic" text-anchor="middle">
<text x="104" y="101" font-style="normal">1</text>
<text x="104" y="136"><tspan font-style="normal">1 − 2</tspan>αL</text>
<text x="176" y="122" font-size="54" font-style="normal">(</text>
<text x="234" y="101" font-style="normal">1</text>
<text x="234" y="136">m <tspan fill="#d00000" font-weight="bold">c</tspan> α</text>
<text x="325" y="119"><tspan font-style="normal">+ 2</tspan>Lα</text>
<text x="376" y="122" font-size="54" font-style="normal">)</text>
</g>
<g stroke="#222222" stroke-width="1.6"><path d="M44 110H164M190 110H278"/></g>
<text x="412" y="118" font-size="16" fill="#d00000">a survey's quote has lost the red c</text>
"""


def numbers() -> tuple[float, float]:
    """What is measured and what the quote allows, as parts of the gap at the start."""
    check = rc.check_witness(WITNESS)
    gap = check.tried.values["Delta"]
    return check.tried.measured / gap, check.tried.bound / gap


def drawn(measured: float, bound: float) -> str:
    """The figure as SVG; the bound as a fraction, since it is one."""
    fraction = Fraction(bound).limit_denominator(1000)
    rows = [("the quote allows", bound, f"{fraction} = {bound:.3f}", "#d95f02", 168)]
    rows += [("measured", measured, f"{measured:.2f}", "#1f6fb4", 206)]
    bars = "".join(
        f'<text x="168" y="{y + 17}" font-size="17" fill="#222222" text-anchor="end">{name}</text>\n'
        f'<rect x="180" y="{y}" width="{SCALE * value:.1f}" height="24" fill="{colour}"/>\n'
        f'<text x="{190 + SCALE * value:.1f}" y="{y + 18}" font-size="18" fill="#222222">{said}</text>\n'
        for name, value, said, colour, y in rows
    )
    return TOP.format(bound=fraction, measured=f"{measured:.2f}") + bars + "</svg>\n"


if __name__ == "__main__":
    write_text(FIGURE, drawn(*numbers()))
