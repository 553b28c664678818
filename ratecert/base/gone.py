"""What the face says of a name that it does not have: what stands for one that has gone, or which names come near.

A name that has gone raises ImportError, so that `from ratecert.statements import Executable` tells it, too.
"""

from collections.abc import Callable, Collection
from typing import Any

from ratecert.base.words import did_you_mean

GONE = {
    "ratecert.rates": "rc.fit_slope, rc.assert_slope, rc.assert_bound and rc.verify_rate are there",
    "ratecert.statements.Executable": "rc.statements.Binding has taken its place",
    "ratecert.errors.BrokenCopyError": "`ratecert power`, which raised it, is a test of ratecert now",
    "ratecert.errors.NoMPIError": "rc.contract.in_lockstep runs devices one by one, without MPI",
    "ratecert.errors.NotTracedError": "no engine traces a step any more; numpy samples all of them",
    "ratecert.errors.StaleEditError": "`ratecert power`, which raised it, is a test of ratecert now",
    "ratecert.errors.StoreError": "a damaged entry of the store is computed again",
}
FEW = 12  # names, that a sentence can list


def face(module: str, known: Collection[str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module of the face, which has the names `known`: all of them, where they are few."""

    def refuse(name: str) -> Any:
        if instead := GONE.get(f"{module}.{name}"):
            raise ImportError(f"{module}.{name} has gone: {instead}.")
        every = f"it has {', '.join(sorted(known))}" if len(known) <= FEW else ""
        hint = did_you_mean(name, known, every)
        raise AttributeError(f"module {module!r} has no attribute {name!r}{f'; {hint}' if hint else ''}")

    return refuse
