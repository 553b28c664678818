"""Errata: for what is printed, read what follows, and why. The repaired paper is the printed one with these applied."""

from dataclasses import replace
from typing import Any

from ratecert.papers.federated_bilevel.corollaries import PRINTED, READ
from ratecert.papers.federated_bilevel.statements import ALGORITHMS, HYPERGRADIENT, MOMENTA, THEOREMS
from ratecert.theory.notation import letters
from ratecert.theory.paper import Erratum
from ratecert.theory.statements import Algorithm, Line

mu, L_0, L_1, L_21, L_12, sigma, sigma_H = letters("mu L_0 L_1 L_21 L_12 sigma sigma_H")
L_hat, L_tilde, G = letters("L_hat L_tilde G")


def _for(place: str, printed: Any, read: Any, reason: str, found_by: str = "units") -> Erratum:
    """At this place, for what is printed read this; the linter finds it by these checks."""
    evidence = f"ratecert lint: {found_by}"
    return Erratum(place=place, printed=printed, read=read, reason=reason, evidence=evidence)


_CONSTANTS = (
    _for(
        "constant.L_Phi.right", L_0**2, L_0,
        "grad Phi(x) is the tilde estimate at (x, y*(x)), which is L_tilde-Lipschitz in (x, y), and y* is "
        "L_1/mu-Lipschitz: L_Phi = L_tilde (1 + L_1/mu), in which L_21 stands with L_0. Where L_0 < 1 the print is "
        "smaller. If the Lipschitz constants are per variable it is then too small; if they are joint, as printed "
        "in Assumption 2, the slack of the other terms covers it.",
    ),
    _for(
        "constant.L_Phi.right", L_12, L_21,
        "L_12 is defined nowhere; the same product L_tilde (1 + L_1/mu) has L_21 there.", "symbol",
    ),
    _for(
        "constant.G.left", G, G**2,
        "The right side bounds the second moment E||h||^2, and the theorems square G again: it is G^2.",
        "units; tests/theory/test_constants.py",
    ),
    _for(
        "constant.G.right", sigma, sigma_H,
        "The noise inside the Neumann sum is that of Hessians, which Assumption 3 does not bound. Units are the "
        "only evidence: with every sample mu-strongly convex the summand is not needed at all, because "
        "E||h||^2 <= L_0^2 (1 + theta^2 L_1^2 (Q+1)^2).",
    ),
)  # fmt: skip

_WITH_400, _ = THEOREMS[0].conditions["rho_2"].clauses
_STEP_OF_Y, _DESCENT, _ = THEOREMS[1].conditions["rho_2"].clauses
_AS_IN_2 = "As in Theorem 2, with c = 1/L_hat >= eta_t."

_THEOREMS = (
    _for(
        "theorem-1.term.noise_u", sigma, G,
        "alpha weighs samples of the hypergradient; G bounds their noise, not sigma. With a noise-free g and a "
        "noisy f the printed bound is O(eta^2) + O(1/(eta T)) + 4 Delta_Q^2, the truth Theta(eta).", "consistency",
    ),
    _for(
        "theorem-1.condition.rho_2", _WITH_400, 6 * L_tilde**2 / mu / MOMENTA,
        "The sum stands with 500 in the condition on rho_1 and in the bound, and with 400 only here. The print may "
        "be meant; 500 is the stricter condition, so nothing is lost.", "consistency",
    ),
    _for(
        "theorem-2.condition.rho_2", _STEP_OF_Y, _STEP_OF_Y * L_hat,
        "Contraction of y needs rho_2 c <= 1/(6 L_1) for some c >= eta. Theorem 1 has eta <= 1 and c = 1; here "
        "eta <= 1/(200 p L_hat), the units of c are those of 1/L_hat, and c = 1/L_hat serves.",
    ),
    _for(
        "theorem-2.condition.rho_2", _DESCENT, _DESCENT / L_hat,
        "The same c = 1/L_hat multiplies the descent in ||v||^2 that this clause spends.",
    ),
    _for("theorem-3.condition.rho_2", 1 / (6 * L_1), L_hat / (6 * L_1), _AS_IN_2),
    _for("theorem-3.condition.rho_2", 15 * mu / 1174, 15 * mu / (1174 * L_hat), _AS_IN_2),
    _for(
        "theorem-3.term.noise_u", sigma, G,
        "It is four times Theorem 2's noise_u, as noise_v is four times Theorem 2's noise_v, and charges the "
        "samples of the hypergradient.", "consistency",
    ),
)  # fmt: skip


def _read(line: Line) -> Line:
    """u and v are averaged as they are carried into the next iteration, and samples are at (x_t, y_t)."""
    name = line.assigns[0][0]
    if line.when == "round" and name in "uv":
        return Line(f"{name}_t = mean over devices of {name}_t", ((name, 0),), ((name, 0),), when="round")
    calls = tuple((id, ("x", "y")) for id, _ in line.calls)
    return replace(line, text=line.text.replace("sample at x_t", "sample at (x_t, y_t)"), calls=calls)


def _algorithm(printed: Algorithm, reason: str) -> Erratum:
    requires = printed.requires.replace("x_1 and y_1 = y*(x_1)", "x_0 and y_0").replace("> 1", ">= 1")
    start: Any = (("x", 0), ("y", 0))
    read = replace(printed, lines=(*map(_read, printed.lines),), requires=requires, starts_from=start)
    return _for(printed.id, printed, read, reason, "symbol")


_, _TILDE, *_ = HYPERGRADIENT
_AT_Y = replace(_TILDE, arguments=("x", "y"))
_TEXT = (
    _for(_TILDE.id, _TILDE, _AT_Y, "The right side is evaluated at (x, y).", "symbol"),
    _algorithm(
        ALGORITHMS[0],
        "u_{t+1} and v_{t+1} do not exist yet when they are averaged: the momenta carried over are meant (the other "
        "reading, computing them first, is offered by the solver). The hypergradient sample is at (x_t, y_t).",
    ),
    _algorithm(
        ALGORITHMS[1],
        "As Algorithm 1; the loop starts at t = 0, from any y_0, which the bounds charge as ||y_0 - y*(x_0)||.",
    ),
)


_LOGARITHMS = (
    "Q grows like log, and L_hat and G with it: rho (or alpha, beta) cannot be independent of T, the rate has "
    "logarithms, samples are Q + 3 a step, and p >= 1 needs a window in K."
)
_FOLLOWING = tuple(
    _for(read.id, PRINTED[read.id], read, _LOGARITHMS, "corollary, consistency, window") for read in READ
)

ERRATA = (*_CONSTANTS, *_THEOREMS, *_TEXT, *_FOLLOWING)
