"""Numbers as the sentences of findings and verdicts spell them."""


def percent(fraction: float) -> str:
    """A fraction as a percentage of one decimal: ``9.1 %``."""
    return f"{100 * fraction:.1f} %"


def duration(nanoseconds: float) -> str:
    """A duration in the largest unit that keeps a digit before the point: ``87.1 us``."""
    for limit, factor, unit in ((1e3, 1.0, "ns"), (1e6, 1e3, "us"), (1e9, 1e6, "ms")):
        if abs(nanoseconds) < limit:
            return f"{nanoseconds / factor:.4g} {unit}"
    return f"{nanoseconds / 1e9:.4g} s"


def counted(count: int, noun: str) -> str:
    """A count with its noun: ``1 block``, ``12 blocks``, ``1 launch``, ``69 launches``."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}{'es' if noun.endswith(('h', 's')) else 's'}"
