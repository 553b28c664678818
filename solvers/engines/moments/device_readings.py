"""What is read of devices that differ: forms of the mean and of deviations, and of single ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from ratecert.base.arrays import Balls, summed
from ratecert.base.exact import ball
from ratecert.solvers.contract.measures import Form, Measure
from ratecert.solvers.engines.moments.device_frames import DeviceFrames, Gathering
from ratecert.solvers.engines.moments.device_measures import DeviceMeasures
from ratecert.solvers.engines.moments.measures import MeasureMap
from ratecert.solvers.engines.moments.measuring import measure_map_of_start

Array = NDArray[Any]  # of doubles or balls


@dataclass(frozen=True)
class DeviceReadings:
    """All measures of a run."""

    gathering: Gathering
    frames: DeviceFrames
    measures: Mapping[str, Measure]
    certified: bool

    def at_start(self, w: Array) -> Array:
        """The measures where all devices are at one point: forms that know no devices once, the others at each."""
        own = {k: self._own_forms(k) for k in range(len(self.gathering.devices))} if self._single else {}
        parts = [(self.gathering.any_device, self._forms_of(lambda form: Fraction(form.of != "own")))]
        parts += [(self.gathering.devices[k], forms) for k, forms in own.items()]
        return summed(
            measure_map_of_start(device, forms, len(self.gathering.devices)).at(w) for device, forms in parts
        )

    def _own_forms(self, k: int) -> dict[str, Measure]:
        """The part of each measure that is read of device k."""

        def share(form: Form) -> Fraction:
            of_device = self.gathering.weights[k] if form.device is None else Fraction(form.device == k)
            return of_device * (form.of == "own")

        return self._forms_of(share)

    def _forms_of(self, share: Callable[[Form], Fraction]) -> dict[str, Measure]:
        """Every measure with its forms in these shares."""
        return {
            name: replace(
                m, forms=tuple((Fraction(c) * part, form) for c, form in m.forms if (part := share(form)))
            )
            for name, m in self.measures.items()
        }

    @property
    def _single(self) -> bool:
        return any(form.of == "own" for measure in self.measures.values() for _, form in measure.forms)

    def by(self, measure_map: Callable[..., MeasureMap]) -> DeviceMeasures:
        """Forms of the mean and of deviations, which know no devices, and forms of single devices."""
        listed = [measure.forms for measure in self.measures.values()]
        own = self._single
        maps = [
            measure_map(device, self.measures, None)
            for device in self.gathering.devices[: None if own else 1]
        ]
        first = maps[0]
        terms = [
            tuple(first.measures[i][j] for j, (_, form) in enumerate(forms) if form.of != "own")
            for i, forms in enumerate(listed)
        ]
        read = DeviceMeasures(
            measures=tuple(terms),
            K=None,
            size=first.size,
            averaged=first.averaged,
            running=first.running,
            exact=first.exact,
            own=self._of_single_devices(listed, maps) if own else None,
        )
        return read if self.certified else read.in_frame(self.frames.mean).rounded()  # type: ignore[return-value]

    def _of_single_devices(self, listed: Sequence[Any], maps: Sequence[MeasureMap]) -> Array:
        """(measures, K, n, n), of the device that a form reads, or of all by their weights."""
        own = Balls.zeros(len(listed), len(maps), maps[0].size, maps[0].size)
        for i, forms in enumerate(listed):
            for j, (_, form) in enumerate(forms):
                for k in [k for k in range(len(maps)) if form.of == "own" and form.device in (None, k)]:
                    term, share = (
                        maps[k].measures[i][j],
                        self.gathering.weights[k] if form.device is None else 1,
                    )
                    L = self.frames.devices[k].read(term.L)
                    own[i, k] = own[i, k] + ball(share) * (L.T @ term.W @ L)
        return own
