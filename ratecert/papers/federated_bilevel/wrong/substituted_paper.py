"""Another paper in the place of the one that everybody looks up, for a while and in this process only."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from ratecert.theory.language.paper import Paper


@contextmanager
def substituted(wrong: Paper) -> Iterator[None]:
    """Within the block `ratecert.registry.paper(variant)` is this paper, for the variant that it is of."""
    module, name = import_module("ratecert.papers.federated_bilevel.paper"), wrong.variant.upper()
    before = getattr(module, name)
    setattr(module, name, wrong)
    try:
        yield
    finally:
        setattr(module, name, before)
