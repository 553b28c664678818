"""Where the corollaries of a theorem speak: the window of each, at these K and T.

Every whole number that a corollary scales, such as p = T^(1/4)/K^(3/4), is at least 1 only inside a window, T >= K^3.
"""

from dataclasses import asdict, dataclass

from ratecert.base.errors import RatecertError
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary
from ratecert.theory.lint.windows import as_window
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.orders.derivation import whole_numbers


@dataclass(frozen=True)
class Window:
    """One corollary; `inside` says whether K and T are where `needs` has them."""

    corollary: str
    claim: str
    needs: str
    inside: bool
    scaled: str  # what the corollary would take here


def windows(paper: Paper, theorem: str, K: int, T: int) -> list[dict[str, object]]:
    """Of all corollaries that scale with T; none where the paper has none."""
    found = []
    for corollary in paper.of_kind(Corollary):
        if corollary.theorem != theorem or "T" in corollary.scalings:
            continue
        try:
            found.append(asdict(_window(paper, corollary, {"K": float(K), "T": float(T)})))
        except (RatecertError, KeyError):  # letters of the paper's own
            continue
    return found


def _window(paper: Paper, corollary: Corollary, here: dict[str, float]) -> Window:
    orders = {n: o for n, o in whole_numbers(paper, corollary).items() if o.exponent("K") or o.exponent("T")}
    values = {name: number(scaling.order, here) for name, scaling in corollary.scalings.items()}
    needs = dict.fromkeys(as_window(order) for order in orders.values())
    stated = [relation for relation in corollary.window if str(relation.rhs) in here or not needs]
    needs |= dict.fromkeys(plain(str(relation)) for relation in stated)
    numbered = corollary.id.startswith("corollary-")
    return Window(
        corollary=corollary.id.replace("-", " ").capitalize() if numbered else corollary.title,
        claim=plain(str(corollary.claim)),
        needs=", ".join(needs) or "all K and T",
        inside=all(values[name] >= 1 for name in orders)
        and all(number(each.lhs, here) >= number(each.rhs, here) for each in stated),
        scaled=", ".join(f"{name} ~ {value:.3g}" for name, value in values.items() if value != 1),
    )


def plain(formula: str) -> str:
    """SymPy's text, a little nearer to how it is written."""
    return formula.replace("**", "^").replace("*", " ")
