"""The papers that are written down here; a new one is a folder or a file, and one line in `_PAPERS`."""

from importlib import import_module

from theory.paper import Paper

_PAPERS = {"federated-bilevel": "theory.federated_bilevel.paper"}
VARIANTS = ("printed", "repaired")


def paper(variant: str = "printed", key: str = "federated-bilevel") -> Paper:
    if key not in _PAPERS:
        raise ValueError(f"paper must be one of {', '.join(_PAPERS)}, got {key!r}.")
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}.")
    module = import_module(_PAPERS[key])
    found: Paper = getattr(module, variant.upper())
    return found
