"""What a call of many settings has asked for, checked before any work: every number by setting, or one for all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np

from ratecert.base.errors import UserError
from ratecert.base.validation import require_whole
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.problem import spaces_of
from ratecert.solvers.engines.batch.arrays import Array, constants, namespace, on_host
from ratecert.solvers.engines.batch.congruences import Counts
from ratecert.solvers.engines.batch.many import ManyOf, joined, require_doubles
from ratecert.solvers.engines.experiment import prepare

LONGEST = 2**63  # devices or iterations


@dataclass(frozen=True)
class Settings:
    """What a call has asked for: everything by setting, K and T as whole numbers of Python."""

    worlds: Any
    solvers: Any
    K: Any  # (N,): devices in doubles
    T: Counts
    start: dict[str, Array]  # (N, d), or (1, d)
    measures: Mapping[str, Measure]
    pattern: Array

    def __len__(self) -> int:
        return len(self.K)

    def one(self, i: int) -> tuple[Any, Any, dict[str, Any]]:
        """World, method and the rest of setting i, as `expect` takes them."""
        world = self.worlds[i % len(self.worlds)] if isinstance(self.worlds, ManyOf) else self.worlds
        solver = self.solvers[i % len(self.solvers)] if isinstance(self.solvers, ManyOf) else self.solvers
        start = {name: on_host(rows[i % rows.shape[0], ...]) for name, rows in self.start.items()}
        return (
            world,
            solver,
            {"K": int(self.K[i]), "T": int(self.T[i]), "start": start, "measures": self.measures},
        )


def settings_of(
    worlds: Any,
    solvers: Any,
    K: Any,
    T: Any,
    starts: Mapping[str, Any],
    measures: Mapping[str, Measure] | None,
) -> Settings:
    """What was asked for, or a refusal before any work."""
    worlds, solvers = joined(worlds, "worlds"), joined(solvers, "solvers")
    counted = {name: _whole(name, value) for name, value in (("K", K), ("T", T))}
    given = {name: value for name, value in starts.items() if value is not None}
    arrays = {name: array for name, array in given.items() if _is_array(array)}
    lengths = {"worlds": length(worlds), "solvers": length(solvers)}
    lengths |= {name: len(value) for name, value in counted.items()}
    lengths |= {f"{name}0": int(array.shape[0]) for name, array in arrays.items()}
    for name, array in arrays.items():
        require_doubles(f"{name}0", array)
    N = max(lengths.values())
    wrong = {name: n for name, n in lengths.items() if n not in (1, N)}
    if wrong:
        raise UserError(
            f"everything must have one entry for each of {N} settings, or one for all, got {wrong}."
        )
    pattern = _pattern([*arrays.values(), *_arrays(worlds), *_arrays(solvers)])
    first_world = worlds[0] if isinstance(worlds, ManyOf) else worlds
    first_solver = solvers[0] if isinstance(solvers, ManyOf) else solvers
    spaces = spaces_of(first_world)
    one = {name: (on_host(value[0, ...]) if name in arrays else value) for name, value in given.items()}
    short = {f"{name}0": value for name, value in one.items()}
    experiment = prepare(
        first_world,
        first_solver,
        K=int(counted["K"][0]),
        T=int(counted["T"][0]),
        times=[0],
        measures=measures,
        **short,
    )
    C = len(getattr(first_world, "devices", ()))
    if C and (counted["K"] != C).any():
        wrong_K = int(counted["K"][counted["K"] != C][0])
        raise UserError(f"K must be {C}, the number of devices of these worlds, got {wrong_K}.")
    begin = {}
    for name, d in spaces.items():
        if name in arrays:
            begin[name] = namespace(arrays[name]).reshape(arrays[name], (arrays[name].shape[0], d))
        else:
            begin[name] = constants(pattern, experiment.start[name][None])
    K_T = {name: np.broadcast_to(value, N) for name, value in counted.items()}
    K, lengths_of_runs = K_T["K"].astype(np.float64), K_T["T"]
    return Settings(worlds, solvers, K, lengths_of_runs, begin, experiment.measures, pattern)


def _whole(name: str, value: Any) -> Counts:
    """Whole numbers from 1 to 2^63."""
    found = on_host(value) if _is_array(value) else None
    whole = found is not None and found.size > 0 and found.dtype.kind in "iu"
    if found is not None and whole and found.min() >= 1 and int(found.max()) <= LONGEST:
        counts: Counts = found.reshape(-1).astype(np.uint64)
        return counts
    listed = value if found is None else found.tolist()
    if not isinstance(listed, Sequence):
        return np.array([require_whole(name, listed, least=1, most=LONGEST)], dtype=np.uint64)
    if not len(listed):
        raise UserError(f"{name} must be a whole number, or one for each setting, got an empty list.")
    each = [require_whole(f"{name}[{i}]", one, least=1, most=LONGEST) for i, one in enumerate(listed)]
    return np.array(each, dtype=np.uint64)


def _is_array(value: Any) -> bool:
    return bool(array_api_compat.is_array_api_obj(value)) and value.ndim > 0


def length(records: Any) -> int:
    return len(records) if isinstance(records, ManyOf) else 1


def _arrays(records: Any) -> list[Array]:
    return list(records.arrays.values()) if isinstance(records, ManyOf) else []


def _pattern(arrays: Sequence[Array]) -> Array:
    """An array of the one library that all come from."""
    libraries = {array_api_compat.array_namespace(array).__name__ for array in arrays}
    if len(libraries) > 1:
        names = ", ".join(sorted(name.rsplit(".", 1)[-1] for name in libraries))
        raise UserError(f"arrays of one call must come from one library, got {names}; convert them to one.")
    if not arrays:
        return np.zeros(1)
    xp = namespace(arrays[0])
    return xp.zeros(1, dtype=xp.float64, device=array_api_compat.device(arrays[0]))
