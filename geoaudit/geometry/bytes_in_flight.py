"""Bytes in flight against latency x bandwidth (Little's law), per launch and per SM."""


def bytes_in_flight(threads: int, bytes_per_load: int, loads_per_thread: int = 1) -> int:
    """Bytes of loads outstanding at once.

    Args:
        threads: threads that load at the same time.
        bytes_per_load: width of one load, 1 to 16 bytes.
        loads_per_thread: independent loads a thread has outstanding.

    Example:
        >>> bytes_in_flight(128, 4), bytes_in_flight(1024, 16)
        (512, 16384)
    """
    return threads * bytes_per_load * loads_per_thread


def bytes_in_flight_needed_per_sm(
    latency_ns: float, bandwidth_bytes_per_second: float, sms: int
) -> float:
    """Bytes one SM must keep outstanding for its share of the bandwidth: latency x bandwidth / SMs.

    More than this buys no bandwidth: the memory is saturated and a prefetch cannot help.

    Args:
        latency_ns: latency of a load from memory, in ns.
        bandwidth_bytes_per_second: bandwidth of the device.
        sms: SMs that share it.

    Example:
        >>> round(bytes_in_flight_needed_per_sm(700.0, 4.17e12, 132))
        22114
    """
    return latency_ns * 1e-9 * bandwidth_bytes_per_second / sms
