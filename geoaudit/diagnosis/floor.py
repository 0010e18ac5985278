"""The floor of a kernel: the time below which no launch shape brings it."""


def floor_ns(
    compulsory_bytes: float | None,
    copy_bytes_per_second: float,
    launch_floor_ns: float,
) -> float | None:
    """The floor of one launch, ns: max(launch floor, compulsory bytes ÷ copy bandwidth).

    Args:
        compulsory_bytes: each input once and each output once, of one launch; from the manifest
            or the user, never the measured traffic. None: not known.
        copy_bytes_per_second: measured on this device, bytes read plus bytes written. What the
            data sheet says is not reached by any kernel.
        launch_floor_ns: what a launch that does nothing takes on this device.

    Returns:
        The floor, or None where the bytes are not known.

    Example:
        >>> floor_ns(3_100_000, 4.17e12, 1_300)
        1300
        >>> round(floor_ns(3_100_000, 3.4e12, 0))
        912
        >>> floor_ns(None, 4.17e12, 1_300) is None
        True
    """
    if compulsory_bytes is None:
        return None
    return max(launch_floor_ns, compulsory_bytes / copy_bytes_per_second * 1e9)


def floor_ratio(median_ns: float | None, floor: float | None) -> float | None:
    """Median duration ÷ floor, or None where one is not known.

    Example:
        >>> round(floor_ratio(87_000, 900), 1)
        96.7
    """
    if median_ns is None or floor is None or floor <= 0:
        return None
    return median_ns / floor
