"""The papers that are written down here; a new one is a folder or a file, and one line in `_PAPERS`."""

from importlib import import_module

from theory.paper import Paper

_PAPERS = {
    "federated-bilevel": "theory.federated_bilevel.paper",
    "parallel-sgd": "theory.parallel_sgd",
}
KEYS = tuple(_PAPERS)
FIRST = KEYS[0]
VARIANTS = ("printed", "repaired")


def paper(variant: str = "printed", key: str = FIRST) -> Paper:
    if key not in _PAPERS:
        raise ValueError(f"paper must be one of {', '.join(_PAPERS)}, got {key!r}.")
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}.")
    module = import_module(_PAPERS[key])
    found: Paper = getattr(module, variant.upper())
    return found


def key_of(statement: str) -> str:
    """The paper that has a statement with this id; ids are unique over all papers."""
    for key in _PAPERS:
        if statement in paper(key=key).statements:
            return key
    paper()[statement]  # refuses, with what it might have meant
    raise AssertionError("unreachable")


def holding(statement: str, variant: str = "printed") -> Paper:
    """The paper with this statement."""
    return paper(variant, key_of(statement))
