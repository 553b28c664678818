"""A stand-in for a world whose devices differ: quadratic devices, and the truth of their mean."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ratecert.synthetic import Quadratic

SHARED = ("a", "b")
AVERAGED = ("A", "B", "c", "P", "D")


class Mixed:
    """f and g are the means over devices; all devices have the same centre (a, b) of f."""

    def __init__(self, devices: Sequence[Quadratic]) -> None:
        self.devices = tuple(devices)
        fields = {name: np.mean([getattr(d, name) for d in devices], axis=0) for name in AVERAGED}
        self.mean = Quadratic(**fields, **{name: getattr(devices[0], name) for name in SHARED})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.mean, name)


def device(
    i: int, *, d: int = 1, spread: float = 0.3, E: float = 0.0, s_g: float = 0.0, s_f: float = 0.0
) -> Quadratic:
    """Device i of a family around a common mean; spread = 0 makes them all alike."""
    eye = np.eye(d)
    return Quadratic(
        A=(1.5 + spread * i) * eye,
        E=E * eye,
        B=(1.0 + spread * i / 3) * eye,
        c=spread * i * np.ones(d),
        P=eye,
        D=1.2 * eye,
        a=np.ones(d),
        b=0.5 * np.ones(d),
        s_g=s_g,
        s_f=s_f,
    )
