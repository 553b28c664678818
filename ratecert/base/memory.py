"""How much memory a call will take, estimated from its sizes and refused before any of it is taken.

Measured on the methods and worlds of the package, in bytes:

    d         of a world, for each entry of its d x d matrices, of which making it takes a dozen at once
    K         devices that have matrices of their own
    Q         factors of an estimate, or steps of an inner loop: exact moments keep something for each pair of them,
              samples for each
    lanes     runs side by side, with their states and the words that their samples come from
    times     at which curves are read
"""

from ratecert.base.errors import UserError

MOST = 2**32  # bytes
OF_AN_ENTRY, OF_A_PAIR, OF_A_FACTOR, OF_A_LANE, OF_A_TIME = 100, 150, 10_000, 400, 200


def bytes_of(
    *, d: int = 1, K: int = 1, Q: int = 0, lanes: int = 0, times: int = 0, exact: bool = True
) -> int:
    """What a call with these sizes takes, roughly."""
    estimates = OF_A_PAIR * Q**2 if exact else OF_A_FACTOR * Q
    return OF_AN_ENTRY * K * d**2 + estimates + OF_A_LANE * lanes * d + OF_A_TIME * times


def require_memory(
    what: str, *, exact: bool = True, names: dict[str, str] | None = None, **sizes: int
) -> None:
    """Refuse what would not fit, with the estimate, the limit, and the size that has to be smaller.

    `names` has what a size is called by the caller.
    """
    needed = bytes_of(**sizes, exact=exact)
    if needed > MOST:
        alone = {
            name: bytes_of(**{"d": sizes.get("d", 1), name: size}, exact=exact)
            for name, size in sizes.items()
        }
        called = {name: (names or {}).get(name, name) for name in sizes}
        listed = ", ".join(f"{called[name]} = {size}" for name, size in sizes.items() if size > 1)
        raise UserError(
            f"{what} with {listed} would take about {needed / 2**30:.3g} GiB of memory, and at most {MOST >> 30} GiB "
            f"are taken; make {called[max(alone, key=lambda name: alone[name])]} smaller."
        )
