"""The smallest edits that give a wrong piece the units it needs: another exponent, another letter, one more factor."""

from collections.abc import Mapping
from typing import Any

import sympy

from ratecert.theory.language.letters import letter
from ratecert.theory.orders.monomials import ONE
from ratecert.theory.units import Misfit, Units

MOST = 3  # suggestions


def suggest(misfit: Misfit, known: Mapping[str, Units], candidates: tuple[str, ...]) -> str:
    """Edited pieces, the likeliest first: a letter that other summands share is the last to be blamed."""
    missing = misfit.needs / misfit.has
    edits = [*_exponents(misfit, missing, known), *_swaps(misfit, missing, known, candidates)]
    alone = not misfit.among.is_Add
    if alone or not edits:
        edits += _factors(misfit, missing, known, candidates)
    best = [text for _, text in sorted(edits, key=lambda edit: edit[0])][:MOST]
    return " or ".join(dict.fromkeys(best)) or f"({misfit.piece}) times something in {as_units(missing)}"


def as_units(units: Units) -> str:
    return "no units" if units == ONE else f"units {units}"


def _letters(misfit: Misfit) -> list[tuple[Any, Any]]:
    """(symbol, exponent) for the letters of a product; rho^T, to the power of another letter, has no units."""
    powers = (factor.as_base_exp() for factor in sympy.Mul.make_args(misfit.piece))
    return [(base, exponent) for base, exponent in powers if base.is_Symbol and exponent.is_Rational]


def _shared(misfit: Misfit, symbol: Any) -> int:
    """How many of the summands beside the misfit have this letter too."""
    siblings = [a for a in misfit.among.args if a != misfit.piece] if misfit.among.is_Add else []
    return sum(symbol in sibling.free_symbols for sibling in siblings)


def _exponents(misfit: Misfit, missing: Units, known: Mapping[str, Units]) -> list[tuple[Any, str]]:
    found = []
    for symbol, exponent in _letters(misfit):
        shift = _power_of(missing, known.get(symbol.name, ONE))
        if shift is not None and abs(shift) <= 4 and exponent + shift != 0:
            rank = (_shared(misfit, symbol), 0, abs(shift), abs(exponent + shift))
            found.append((rank, str(misfit.piece * symbol**shift)))
    return found


def _swaps(
    misfit: Misfit, missing: Units, known: Mapping[str, Units], candidates: tuple[str, ...]
) -> list[tuple[Any, str]]:
    found = []
    for symbol, exponent in _letters(misfit):
        if exponent <= 0:
            continue
        wanted = known.get(symbol.name, ONE) * missing ** (1 / exponent)
        alike = [n for n in candidates if n != symbol.name and _stem(n) == _stem(symbol.name)]
        edited = [misfit.piece.xreplace({symbol: letter(n)}) for n in alike if known.get(n) == wanted]
        found += [((_shared(misfit, symbol), 1, 0, 0), str(edit)) for edit in edited]
    return found


def _factors(
    misfit: Misfit, missing: Units, known: Mapping[str, Units], candidates: tuple[str, ...]
) -> list[tuple[Any, str]]:
    """One more letter, in the order of the candidates; not one that only cancels a letter that is there."""
    found = []
    present = [symbol for symbol, _ in _letters(misfit)]
    for place, name in enumerate(candidates):
        power = _power_of(missing, known.get(name, ONE))
        if power is not None and abs(power) <= 2 and letter(name) not in present:
            found.append(((0, 2, abs(power), place), str(misfit.piece * letter(name) ** power)))
    return found


def _stem(name: str) -> str:
    return name.partition("_")[0]


def _power_of(target: Units, base: Units) -> sympy.Rational | None:
    """n with base^n = target, if there is one."""
    if base == ONE or target == ONE:
        return None
    name, power = base.powers[0]
    n = target.exponent(name) / power
    return sympy.Rational(n.numerator, n.denominator) if n and base**n == target else None
