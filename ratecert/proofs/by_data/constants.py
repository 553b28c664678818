"""Constants that theorems name, as lines of a proof: of the world, and of the start of a run.

L is any number that no curvature exceeds, mu any that none falls below: they are those of the whole world, and what is
left out of it is checked to lie between them.
"""

from collections.abc import Sequence
from typing import Any

from ratecert.base.errors import NotExactError
from ratecert.proofs.by_data.directions import Direction
from ratecert.proofs.by_data.formulas import Formulas
from ratecert.synthetic.worlds.finite_sum import FiniteSum
from ratecert.synthetic.worlds.linear_map import LinearMap

OF_SAMPLES = "[curvature for _, samples in world for curvature, _ in samples]"
AXES = "zip(curvatures, centers, world, strict=True)"
GAP = f"sum(half*h*square(x - center) for h, center, (x, _) in {AXES})"
SQUARED_DISTANCE = f"sum(square(x - center) for _, center, (x, _) in {AXES})"
VARIANCE = (
    f"sum(mean([square(line(sample)(center)) for sample in samples]) for _, center, (_, samples) in {AXES})"
)


def write_constant(formulas: Formulas, every: Sequence[Direction], source: str, name: str) -> None:
    """The letter `name` for what the setting calls `source`, in all directions of the world."""
    script, curvatures = formulas.script, [axis.curvature for axis in every]
    of_samples = [c for axis in every for c, _ in axis.samples]
    if source == "L":
        script.set(name, max(curvatures))
        script.compared("at_most", f"no curvature is above {name}", "max(curvatures)", name)
    elif source == "mu":
        script.set(name, min(curvatures))
        script.compared("at_most", f"no curvature is below {name}", name, "min(curvatures)")
    elif source in ("L_max", "L_sample") and min(of_samples) >= 0:
        script.set(name, max(of_samples))
        script.compared("at_most", f"no sample is curved by more than {name}", f"max({OF_SAMPLES})", name)
    elif source == "gap":
        script.line(f"{name} = {GAP}")
    elif source == "squared_distance":
        script.line(f"{name} = {SQUARED_DISTANCE}")
    elif source == "distance":
        formulas.root_of(name, SQUARED_DISTANCE)
    elif source == "sigma":
        formulas.root_of(name, VARIANCE)
    else:
        raise NotExactError(f"the constant {source} of this world is not known in fractions")


def check_world(formulas: Formulas, world: Any) -> None:
    """What is said of all worlds of its kind: a map is nonexpansive, a function or each of its terms convex."""
    script = formulas.script
    if isinstance(world, LinearMap):
        sentence, left = "x minus the gradient is nonexpansive", "max(abs(one - h) for h in curvatures)"
        script.compared("at_most", sentence, left, "one")
    elif isinstance(world, FiniteSum):
        script.compared("at_most", "every term is convex", "zero", f"min({OF_SAMPLES})")
    else:
        script.compared("at_most", "F is convex", "zero", "min(curvatures)")
