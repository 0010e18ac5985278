"""What a launch of a token changes in place, and what it finds in the L2."""

from dataclasses import dataclass

from geoaudit.manifest.planned import BufferUse, PlannedLaunch, StepPlan

WARM_BYTES = 32 << 20
"""What is touched stays in the L2 until so much else is: less than the L2 of any data center GPU
since 2020 (A100 40 MB, H100 and H200 50 MB), as a part of it holds data twice."""


@dataclass(frozen=True, kw_only=True)
class WarmInput:
    """What a launch reads of a buffer that is in the L2.

    Attributes:
        use: the buffer.
        size_bytes: from its beginning.
    """

    use: BufferUse
    size_bytes: int


def changed_in_place(launch: PlannedLaunch, plan: StepPlan) -> tuple[BufferUse, ...]:
    """The buffers that a launch reads and writes: its second run would not be its first.

    Where the manifest does not say what is written, or what is read, that may be all but weights.
    """
    kinds = {buffer.name: buffer.kind for buffer in plan.buffers}
    passed = [one for one in launch.arguments if isinstance(one, BufferUse)]
    read, written = launch.inputs or passed, launch.outputs or passed
    both = (use for use in written if use in read and kinds[use.buffer] != "weight")
    return tuple(dict.fromkeys(both))


def warm_inputs(plan: StepPlan, index: int) -> tuple[WarmInput, ...]:
    """The inputs of a launch that the launches before it left in the L2, largest first.

    An input is warm where an earlier launch of the token reads or writes it and fewer than
    WARM_BYTES are touched by the launches between. Of a large buffer that is as much as the
    earlier launch writes or reads by its compulsory bytes: an append leaves one row of a cache
    warm. Weights are cold, and so is a state that only this launch uses. Launches whose bytes the
    manifest does not give count as nothing between; where those of the earlier launch itself are
    not given, a buffer larger than WARM_BYTES is cold.

    Args:
        plan: a token.
        index: of the launch.
    """
    buffers = {buffer.name: buffer for buffer in plan.buffers}
    found = []
    for use in dict.fromkeys(plan.launches[index].inputs):
        earlier = _last_use(plan, index, use)
        buffer = buffers[use.buffer]
        if earlier is None or buffer.kind == "weight":
            continue
        shape = earlier.shape
        declared = shape.bytes_written if use in earlier.outputs else shape.bytes_read
        size_bytes = min(buffer.bytes_per_copy, declared or buffer.bytes_per_copy)
        if size_bytes <= WARM_BYTES:
            found.append(WarmInput(use=use, size_bytes=size_bytes))
    return tuple(sorted(found, key=lambda one: -one.size_bytes))


def _last_use(plan: StepPlan, index: int, use: BufferUse) -> PlannedLaunch | None:
    """The last launch before that reads or writes a buffer, unless too much is touched since."""
    touched_bytes = 0
    for earlier in reversed(plan.launches[:index]):
        if use in earlier.inputs or use in earlier.outputs:
            return earlier
        touched_bytes += _bytes(earlier)
        if touched_bytes > WARM_BYTES:
            return None
    return None


def _bytes(launch: PlannedLaunch) -> int:
    """Compulsory bytes of a launch, those that are given."""
    return (launch.shape.bytes_read or 0) + (launch.shape.bytes_written or 0)
