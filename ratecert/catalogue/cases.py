"""Statements on trial by id, and the witnesses and conjectures that speak of them.

The witnesses that are stored lie in witnesses/ beside the sources, and inside the package where it is installed. What a
file of data names is only looked up (find.meant); nothing that it names is run.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ratecert.base.asked import FIRST, full_id, resolved
from ratecert.base.errors import UserError, WitnessError
from ratecert.base.files import come_along
from ratecert.base.words import near_to
from ratecert.catalogue import find
from ratecert.catalogue.load import registered
from ratecert.proofs import prove
from ratecert.search import witness
from ratecert.search.blame import all_places
from ratecert.search.case import Case
from ratecert.search.finding import Confirmed, confirm
from ratecert.search.witness import Conjecture, Witness
from ratecert.theory.statements import Theorem


def case_of(id: str, variant: str) -> Case:
    """A theorem that is bound to a run, by its id; constants of a world are joint ones."""
    found = find.statement(id, variant)
    key, inside = find.split(id)
    if inside not in find.bindings(key):
        why = "bound to no run" if isinstance(found, Theorem) else "no inequality"
        theorems = ", ".join(bound(key))
        those = f"of {key} those that are: {theorems}" if theorems else f"nothing of {key} is"
        raise UserError(
            f"{id} is {why} that an instance could break; {those}. For the others there is `ratecert verify`."
        )
    return bound_case(key, inside, variant)


def bound_case(key: str, theorem: str, variant: str, *, archived: bool = False) -> Case:
    """The same by the paper's key and the id inside it; `archived` stores all that is drawn in this process."""
    binding, source = find.bindings(key)[theorem], find.paper(variant, key)
    binding.require(source, source.the(Theorem, theorem))
    return Case(
        key=key,
        statement=theorem,
        variant=variant,
        printed=find.paper("printed", key),
        repaired=find.paper("repaired", key),
        binding=binding,
        archive=[] if archived else None,
        made_by=(bound_case, (resolved(key), theorem, variant)),
        registered=registered(key) is not None,
    )


def bound(key: str) -> list[str]:
    """The theorems of a paper that are bound to runs."""
    return [full_id(key, inside) for inside in find.bindings(key)]


def known() -> list[str]:
    """The theorems bound to runs, of all papers of the package."""
    return [id for key in find.KEYS for id in bound(key)]


# Witnesses.


def stored(key: str = "") -> list[Path]:
    """The files of all witnesses that come with ratecert, or those of one paper, in the order of their names."""
    return come_along("witnesses", "witnesses", "toml", key)


def file_of(name: str) -> Path:
    """The file of the stored one of this name, of the first paper with or without its key, or the one at this path."""
    if not name:
        raise WitnessError(
            "the name of a counterexample is missing; `ratecert check` lists those that are stored."
        )
    names = {path.stem: path for path in stored()}
    names |= {name.removeprefix(f"{FIRST}."): path for name, path in names.items()}
    path = names.get(name, Path(name))
    if path.is_file() and path.suffix != ".py":
        return path
    if name.endswith(".py") or ".py:" in name:
        paper, _, inside = name.partition(":")
        raise WitnessError(
            f"{name} is a paper, no counterexample: `ratecert falsify {paper}:{inside or 'theorem-1'}` searches for "
            f"one and writes it, and `ratecert verify {paper}` judges all that the paper says."
        )
    near = _near(name.removeprefix(f"{FIRST}."), [each.removeprefix(f"{FIRST}.") for each in names])
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise WitnessError(
        f"{name} is neither a file nor one of the counterexamples that are stored; {hint}`ratecert check` lists those."
    )


def _near(name: str, names: Iterable[str]) -> list[str]:
    """Up to three that have the name in theirs; otherwise those of which it, or its beginning, is alike."""
    names = list(dict.fromkeys(names))
    if found := [other for other in names if name in other]:
        return found[:3]
    begins = {
        ".".join(other.split(".")[:n]): other
        for other in reversed(names)
        for n in range(1, other.count(".") + 2)
    }
    return list(dict.fromkeys(begins[each] for each in near_to(name, begins)))[:3]


def read(path: Path) -> Witness:
    """The witness in a file, of a statement that is known."""
    found = witness.read(path)
    return replace(found, statement=find.meant(found.statement, path))


def parsed(name: str, text: str) -> Witness:
    """The witness that a text stands for, of a statement that is known."""
    found = witness.parsed(name, text)
    return replace(found, statement=find.meant(found.statement, name))


def case_for(read: Witness) -> Case:
    """What a witness is tried on, its instance and place checked."""
    found = replace(case_of(read.statement, read.variant), factors=read.factors)
    found.require(read.instance)
    if read.place and read.place not in (places := sorted(all_places(found))):
        raise WitnessError(f"place must be empty or one of {', '.join(places)}, got {read.place!r}.")
    return found


def confirmed(read: Witness) -> Confirmed:
    """Both sides, by all ways that there are."""
    return confirm(case_for(read), read.instance, read.place)


def replayed(read: Witness) -> Confirmed:
    """The same, the standing of the assumptions on the whole space, and what proofs say."""
    found = confirmed(read)
    tried = found.case
    printed = tried.variant == "printed" and not read.factors
    proofs = proofs_of(tried.key, tried.statement) if printed else []
    for path in proofs:
        prove.run_again(path.stem, path.read_text(encoding="utf-8"))
    said = tuple(tried.standings(found.tried))
    return replace(found, assumptions=said, proofs=tuple(path.stem for path in proofs))


def proofs_of(key: str, statement: str, mistake: str = "") -> list[Path]:
    """Those stored that a packaged statement is false, or the one for a mistake; a namesake from outside is another."""
    if key.endswith(".py") or registered(key):
        return []
    name = prove.proof_name(key, statement, mistake)
    return [path for path in prove.stored(key) if f"{path.stem}.".startswith(f"{name}.")]


# Conjectures.


def read_conjecture(path: Path) -> Conjecture:
    """The conjecture in a file, on a statement that is known."""
    found = witness.read_conjecture(path)
    return replace(found, statement=find.meant(found.statement, path))


def conjectured(read: Conjecture) -> Case:
    """What is tried of a conjecture, in which every term has a factor."""
    found = case_of(read.statement, read.variant)
    if missing := sorted({f"term.{name}" for name in found.theorem.terms} - set(read.factors)):
        raise WitnessError(
            f"{read.statement}: {missing[0]} has no factor; write 1.0 where its constant stays, 0.0 where it goes."
        )
    return replace(found, factors=read.factors)
