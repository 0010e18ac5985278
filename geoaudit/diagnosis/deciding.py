"""Measurements that would decide a verdict, in words; None: the recording has them already.

What is told depends on what can be done: geoaudit repeats kernels that a manifest describes, and
no others.
"""

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.interventions import is_same_kernel

STALLS = "what its warps wait for: the stall reasons of Nsight Compute"


def first_of(*measurements: str | None) -> str:
    """The first measurement that is not made yet; empty where all are."""
    return next((one for one in measurements if one), "")


def any_of(*measurements: str | None) -> str:
    """All measurements that are not made yet, any of which would do; empty where all are."""
    return ", or ".join(one for one in measurements if one)


def another_shape(evidence: SignatureEvidence) -> str | None:
    """The same kernel under another block count."""
    wanted = "another block count measured against this one"
    if not evidence.interventions:
        return f"{wanted} (geoaudit scan --confirm)" if evidence.can_be_repeated else wanted
    swept = any(is_same_kernel(one, of) for of in evidence.interventions for one in of.sweep)
    return None if swept else f"{wanted}, for which the manifest has no arm of this kernel"


def alone(evidence: SignatureEvidence) -> str | None:
    """The launch without what runs beside it in its token."""
    if any(one.alone_ns for one in evidence.interventions):
        return None
    if evidence.can_be_repeated:
        return "the kernel replayed alone (geoaudit scan --confirm)"
    return "the kernel timed alone, with the same arguments"


def counted(evidence: SignatureEvidence, why: str = "") -> str | None:
    """Hardware counters; None where all of them were read."""
    counters = evidence.counters
    figures = counters and (
        counters.dram_bytes,
        counters.sm_active_fraction,
        counters.sm_throughput_fraction,
    )
    if figures and None not in figures:
        return None
    how = "--counters" if evidence.can_be_repeated else "--counters, or --counters-from FILE"
    return f"counters ({how}){f': {why}' if why else ''}"


def floor(evidence: SignatureEvidence) -> str | None:
    """What the floor of the bytes lacks."""
    known = evidence.floor
    if known is None or known.bytes_source != "compulsory":
        return "the bytes of a launch (--bytes)"
    if known.bandwidth_bytes_per_second is None:
        return "the device's bandwidth (--device NAME)"
    return None
