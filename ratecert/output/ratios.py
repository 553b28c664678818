"""measured/bound, for readers."""

BEYOND = 1e300  # a ratio that stands for a bound of zero


def as_ratio(value: float | None, digits: int = 5, *, attained: bool = True) -> str:
    """In some digits; where 1 is exceeded, or is not attained, no rounding says that it is 1.

    >>> as_ratio(0.999997), as_ratio(0.999997, attained=False), as_ratio(1.000003), as_ratio(0.5)
    ('1', '1 - 3e-06', '1 + 3e-06', '0.5')
    """
    if value is None:
        return ""
    if value >= BEYOND:
        return "∞"
    text = f"{value:.{digits}g}"
    if text == "1" and value > 1:
        return f"1 + {value - 1:.1g}"
    return f"1 - {1 - value:.1g}" if text == "1" and value < 1 and not attained else text
