"""A module with stated theorems, or with rc.about, is a paper: each is a statement by the name of its variable.

`lemma_3_8_z` is lemma-3-8-z. What stands beside the theorems, corollaries, costs and any record of rc.statements, alone
or in a tuple, is a statement too; `rc.about` says what the paper is called.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import sympy

from ratecert.base.errors import UserError, UserTypeError
from ratecert.binding.binding import Binding
from ratecert.short.conditions import recorded
from ratecert.short.formulas import Comparison, Formula, Place, merged, place, require, require_formula
from ratecert.short.letters import Letter, Letters
from ratecert.short.theorem import MADE, Stated, numbers_of_worlds
from ratecert.theory.notation import names_of
from ratecert.theory.paper import Erratum, Paper
from ratecert.theory.statements import COUNTED, RELATIONS, Corollary, Cost, Counts, Scaling, Statement


@dataclass(frozen=True)
class About:
    """What is said of a paper as a whole: fields of its record."""

    fields: Mapping[str, Any]
    place: Place = field(default_factory=place)


def about(title: str = "", *, authors: str = "", arxiv: str = "", **more: Any) -> About:
    """Say what the paper is called, once in its file: PAPER = rc.about("On local steps", arxiv="1805.09767").

    title, authors, arxiv   shown together
    more                    of `rc.statements.Paper`: key, by which its statements are known (the file's name unless
                            given), certainty (how the print was had), edition, bindings, fractions

    >>> import ratecert as rc
    >>> rc.about("On local steps", authors="A. Author", arxiv="1805.09767").fields["title"]
    'On local steps (A. Author, arXiv:1805.09767)'
    """
    known = {f.name for f in fields(Paper)}
    if unknown := sorted(set(more) - known):
        raise UserTypeError(
            f"{place()}: {unknown[0]} is no field of a paper; those are {', '.join(sorted(known))}."
        )
    beside = ", ".join(filter(None, (authors, f"arXiv:{arxiv}" if arxiv else "")))
    if "fractions" in more:
        more["fractions"] = {
            require_formula("a fraction", each).value: why for each, why in more["fractions"].items()
        }
    return About({"title": f"{title} ({beside})" if beside else title, **more})


@dataclass(frozen=True, eq=False)
class StatedCorollary:
    """A corollary of a stated theorem, which has an id once its module is read."""

    theorem: Stated
    record: Corollary
    letters: Mapping[str, Letter]
    same_as: "StatedCorollary | None"
    place: Place


def corollary(
    theorem: Stated,
    *,
    along: Mapping[Any, Any],
    rate: Any,
    window: Iterable[Comparison] | Comparison = (),
    same_as: StatedCorollary | None = None,
    title: str = "",
    source: str = "",
    note: str = "",
    printed: bool = True,
) -> StatedCorollary:
    """State a corollary: with hyperparameters of these orders the theorem's bound is O(rate).

    theorem   of rc.theorem
    along     letter -> its order, Theta unless it is a pair such as ("O", 1)
    rate      the order of the bound, O unless it is a pair
    window    conditions under which this holds, such as [T >= K]
    same_as   the corollary in T of which this one, in eps, is the other form
    printed   or entered beside the print

    >>> import ratecert as rc
    >>> from sympy import sqrt
    >>> T, K, eta, L, sigma, Delta = rc.letters("T K eta L sigma Delta")
    >>> def sgd(x, grad, *, eta):
    ...     return x - eta * grad(x)
    >>> descent = rc.theorem(sgd, measure=rc.measures.gradient(), where=[eta <= 1 / L],
    ...     bound=2 * Delta / (eta * T) + L * eta * sigma**2 / K)
    >>> rc.corollary(descent, along={eta: sqrt(K / T)}, rate=1 / sqrt(K * T), window=[T >= K]).record.claim.kind
    'O'
    """
    here = place()
    require("theorem", theorem, isinstance(theorem, Stated), "one of rc.theorem")
    require("along", along, isinstance(along, Mapping), "a mapping such as {eta: sqrt(K / T)}")
    require("same_as", same_as, isinstance(same_as, StatedCorollary | None), "one of rc.corollary")
    window = [window] if isinstance(window, Comparison) else window
    conditions = [recorded(each, i) for i, each in enumerate(window)]
    used = [
        each
        for each in (*along, *along.values(), rate)
        for each in (each if isinstance(each, tuple) else (each,))
    ]
    used += [side for each in conditions for side in (each.left, each.right)]
    record = Corollary(
        id="corollary",
        title=title or f"{theorem.theorem.title}, along its orders",
        source=source or here.where,
        theorem="theorem",
        scalings={str(name): _order(each, "Theta") for name, each in along.items()},
        claim=_order(rate, "O"),
        window=tuple(
            RELATIONS[each.relation](each.left.value, each.right.value, evaluate=False) for each in conditions
        ),
        note=note,
        printed=printed,
    )
    letters = {
        name: each for part in used if isinstance(part, Formula) for name, each in part.letters.items()
    }
    made = StatedCorollary(theorem, record, letters, same_as, here)
    MADE.setdefault(here.module, []).append(made)
    return made


@dataclass(frozen=True, eq=False)
class StatedCost:
    """What a corollary is said to cost."""

    corollary: StatedCorollary
    counts: Mapping[str, Scaling]
    linear_speedup: bool | None
    method: str
    title: str
    source: str
    place: Place


def cost(
    corollary: StatedCorollary,
    *,
    linear_speedup: bool | None = None,
    method: str = "",
    title: str = "",
    source: str = "",
    **counts: Any,
) -> StatedCost:
    """State what it costs to reach eps: iterations, samples or rounds, of these orders.

    corollary        in eps, of rc.corollary
    linear_speedup   whether it is said to be proportional to 1/K
    method           what is said to cost that, as a row of a table calls it
    title, source    what is shown
    counts           iterations=, samples=, rounds=: an order, O unless it is a pair such as ("O~", 1 / eps)

    >>> import ratecert as rc
    >>> T, eta, L, Delta, eps = rc.letters("T eta L Delta eps")
    >>> def gradient_descent(x, grad, *, eta):
    ...     return x - eta * grad(x)
    >>> descent = rc.theorem(gradient_descent, measure=rc.measures.gradient(), where=[eta <= 1 / L],
    ...     bound=2 * Delta / (eta * T))
    >>> accuracy = rc.corollary(descent, along={T: 1 / eps, eta: 1}, rate=eps)
    >>> rc.cost(accuracy, iterations=1 / eps).counts["iterations"].order
    1/eps
    """
    here = place()
    require("corollary", corollary, isinstance(corollary, StatedCorollary), "one of rc.corollary")
    if unknown := [name for name in counts if name not in COUNTED]:
        raise UserTypeError(f"{here}: a cost counts {', '.join(COUNTED)}, got {unknown[0]!r}.")
    orders = {name: _order(each, "O") for name, each in counts.items()}
    made = StatedCost(corollary, orders, linear_speedup, method, title, source, here)
    MADE.setdefault(here.module, []).append(made)
    return made


def _order(given: Any, kind: str) -> Scaling:
    kind, order = given if isinstance(given, tuple) else (kind, given)
    return Scaling(require_formula("an order", order).value, kind)


def complete(module: ModuleType) -> None:
    """Give a module with stated theorems, or with rc.about, what every paper has: PRINTED, REPAIRED, RUNS."""
    own = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    for each in MADE.pop(module.__name__, []):
        name, other = each.place.variable, own.get(each.place.variable, each)
        if isinstance(other, Stated) and other.place.line != each.place.line:
            raise UserError(
                f"{each.place}: {name} is another theorem from line {other.place.line} on; rename one."
            )
        alone = not any(isinstance(found, type(each)) for found in own.values())
        if not isinstance(other, type(each)) or alone:
            was = f", and {name} is {other!r:.40} in the end" if name else ""
            kind = "a theorem" if isinstance(each, Stated) else "what follows"
            raise UserError(
                f"{each.place}: {kind} needs a variable of its own, such as theorem_1 = rc.theorem(...){was}."
            )
    if "PRINTED" not in own and any(isinstance(each, Stated | About) for each in own.values()):
        printed, repaired, runs = paper_of(own, Path(str(module.__file__)).stem, module.__doc__ or "")
        vars(module).update(PRINTED=printed, REPAIRED=repaired, RUNS=runs)


def paper_of(
    own: Mapping[str, Any], name: str, says: str = ""
) -> tuple[Paper, Paper | None, dict[str, Binding]]:
    """The printed paper, the repaired one, and what binds its theorems, of the variables of a module."""
    said, *others = [each for each in own.values() if isinstance(each, About)] or [About({})]
    if others and others[0] is not said:
        raise UserError(
            f"{others[0].place}: rc.about says a second time what the paper is called; leave one out."
        )
    ids, objects = dict[int, str](), dict[str, Any]()
    for variable, each in own.items():
        if isinstance(each, Stated | StatedCorollary | StatedCost) and id(each) not in ids:
            ids[id(each)] = getattr(each, "id", "") or variable.replace("_", "-")
            if ids[id(each)] in objects:
                raise UserError(
                    f"{each.place}: there is another theorem with the id {ids[id(each)]!r}; give one of them id='...'."
                )
            objects[ids[id(each)]] = each
    letters, statements, runs = dict[str, Letter](), dict[str, Statement](), dict[str, Binding]()
    errata = list[Erratum]()
    for key, each in objects.items():
        match each:
            case Stated(repairs=None):
                _add(statements, each.statements, each.place)
                _add(statements, [each.called(key)], each.place)
                runs |= {key: each.binding} if each.binding else {}
            case Stated():
                if (printed := ids.get(id(each.repairs))) is None:
                    raise UserError(
                        f"{each.place}: repairs= names a theorem that has no variable in this file."
                    )
                errata += each.errata(printed)
            case StatedCorollary():
                of: dict[str, Any] = {
                    "theorem": ids.get(id(each.theorem), ""),
                    "same_as": ids.get(id(each.same_as)),
                }
                _add(statements, [replace(each.record, id=key, **of)], each.place)
                letters = merged(letters, each.letters)
            case StatedCost():
                row = Cost(each.method or key, ids.get(id(each.corollary)), each.counts, each.linear_speedup)
                title = each.title or f"What {key.replace('-', ' ')} counts"
                made = Counts(id=key, title=title, source=each.source or each.place.where, costs=(row,))
                _add(statements, [made], each.place)
        if isinstance(each, Stated):
            letters = merged(letters, dict(each.letters.ordered))
    beside = [one for each in own.values() for one in (each if isinstance(each, tuple) else (each,))]
    records = {each.id: each for each in beside if isinstance(each, Statement)}
    statements.update({id: each for id, each in records.items() if id not in statements})
    errata += [each for each in beside if isinstance(each, Erratum)]
    corrected = {each.place: names_of(each.read) for each in errata if isinstance(each.read, sympy.Basic)}
    parts = (part for each in records.values() for _, part in each.parts())
    other = _letters(own, names_of(*parts).union(*corrected.values()))
    _add(statements, other.definitions(), other.here)
    letters = merged(letters, dict(other.ordered))
    # A correction may speak of a number of the world that the print has not.
    for where, names in corrected.items():
        for key in runs:
            mine = (f"{id}." for id in (key, *(each.id for each in objects[key].letters.definitions())))
            if where.startswith(tuple(mine)):
                numbers = numbers_of_worlds({name: letters[name] for name in names & {*letters}})
                runs[key] = replace(runs[key], constants={**numbers, **runs[key].constants})
    first = says.strip().partition("\n")[0].rstrip(".:")
    usual = {"key": name.replace("_", "-"), "title": first or name, "bindings": {}}
    known = {field: each for field, each in said.fields.items() if each}
    notation = {name: each.symbol for name, each in letters.items()}
    paper = Paper(notation=notation, statements=statements, **usual | known)
    return paper, paper.repaired(tuple(errata)) if errata else None, runs


def _letters(own: Mapping[str, Any], names: set[str]) -> Letters:
    """The letters of a module with these names, or with a definition that has an id, and those that define them."""
    found = Letters(place(), own, ())
    for each in (each for each in own.values() if isinstance(each, Formula)):
        found.put(
            {n: letter for n, letter in each.letters.items() if n in names or "id" in (letter.named or {})}
        )
    return found


def _add(statements: dict[str, Statement], new: Iterable[Statement], where: Place) -> None:
    for each in new:
        old = statements.setdefault(each.id, each)
        if old != each:
            raise UserError(
                f"{where}: there are two different statements with the id {each.id!r}; give one id='...'."
            )
