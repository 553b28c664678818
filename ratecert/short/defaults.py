"""What follows from the letters of a theorem: its assumptions, the names of its terms, what else was taken.

Which worlds it speaks of follows from the constants that its letters stand for (binding/outcomes.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ratecert.binding.outcomes import APART, ASKS
from ratecert.short.letters import Letter
from ratecert.theory.statements import Assumption

STARTS = {"distance", "squared_distance", "gap", "lower_distance"}


def name_of(source: Any) -> str:
    """Of the constant that a letter stands for; empty for a function of the user's."""
    return source if isinstance(source, str) else str(getattr(source, "constant", ""))


def said(constants: Mapping[str, Any], worlds: Iterable[Any], devices: str, local: bool) -> Iterator[str]:
    """What was taken where the statement says nothing."""
    names = set(map(name_of, constants.values()))
    if not devices:
        yield f"there {'are a few devices' if local else 'is one device'}: no letter counts them"
    if not worlds and "mu" not in names:
        yield "nothing is known of the least curvature: no letter stands for the strong convexity"


VARIANCE = "Samples of the gradient have no bias and a variance of at most {}^2"
USUAL = {  # constant -> id, title, sentence of the assumption that a letter for it makes
    "L": ("smooth", "Smoothness", "The gradient of F is {}-Lipschitz."),
    "L_max": ("smooth-terms", "Smooth terms", "The gradient of every term is {}-Lipschitz."),
    "L_average": ("average-smooth", "Average smoothness", "The terms are {}-smooth on average."),
    "calL": (
        "expected-smoothness",
        "Expected smoothness",
        "E||g(x) - g(x*)||^2 is at most 2 {} (F(x) - F*).",
    ),
    "mu": ("strongly-convex", "Strong convexity", "F is {}-strongly convex."),
    "sigma": ("bounded-variance", "Bounded variance", f"{VARIANCE}."),
    "sigma_star": ("noise-at-the-minimiser", "Noise at the minimiser", f"{VARIANCE} at the minimiser."),
    "largest_gradient": (
        "bounded-gradients",
        "Bounded samples",
        "Samples have a second moment of at most {}^2.",
    ),
    "heterogeneity": ("alike", "Bounded heterogeneity", "The mean of ||grad F_k(x*)||^2 is at most {}^2."),
}


def _assumption(constant: str, letter: str) -> Assumption:
    id, title, sentence = USUAL[constant]
    said: dict[str, Any] = {"id": id, "title": title, "source": "", "sentence": sentence.format(letter)}
    return Assumption(**said, constants={letter: 0.0}, strict=constant == "mu", printed=False)


smooth, strongly_convex, bounded_variance = (_assumption(each, each) for each in ("L", "mu", "sigma"))


def assumptions(known: Mapping[str, Letter]) -> list[Assumption]:
    """Those that the letters of a theorem make."""
    of = {name_of(each.source): name for name, each in known.items()}
    return [_assumption(constant, of[constant]) for constant in USUAL if constant in of]


def about(sources: Iterable[Any]) -> str:
    """What a term speaks of: the start, the noise, devices that differ, or the rest."""
    names = set(map(name_of, sources))
    for name, constants in (("noise", set(ASKS)), ("drift", APART), ("start", STARTS)):
        if names & constants:
            return name
    return "rest"
