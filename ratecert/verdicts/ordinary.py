"""An ordinary run of a theorem's method: not the worst world, but one on which rates and terms can be seen."""

from ratecert.binding.binding import Binding
from ratecert.binding.setting import Setting


def ordinary(run: Binding, K: int, T: int) -> Setting:
    """The usual member of the first family."""
    own = run.families[0]
    world = own.member(own.ordinary())
    return Setting(world, K, T, own.begin(world, own.ordinary()))


def devices_of(run: Binding, choice: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of devices that can be tried: those of the world, where it has a number of its own."""
    own = run.families[0]
    fixed = own.count(own.ordinary())
    if fixed is not None:
        return (fixed,)
    return choice if run.devices else (1,)
