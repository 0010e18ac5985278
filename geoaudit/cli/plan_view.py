"""What `geoaudit scan --plan` prints: the launches of a token, those of one shape together."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from geoaudit.quantities import byte_count, plural

if TYPE_CHECKING:
    from geoaudit.manifest.planned import Argument, LaunchShape, PlannedLaunch, StepPlan

PLAN_SCHEMA_VERSION = 1
_NOT_SAID = "not said"


@dataclass(frozen=True, kw_only=True)
class ShapeGroup:
    """The launches of a token that have one shape.

    Attributes:
        first: index in the token of the first of them, from 0.
        calls_per_token: how many there are.
        launch: the first of them.
    """

    first: int
    calls_per_token: int
    launch: "PlannedLaunch"


def shape_groups(plan: "StepPlan") -> tuple[ShapeGroup, ...]:
    """The launches of a token by shape, in the order of each one's first launch."""
    places: dict[LaunchShape, list[int]] = {}
    for place, launch in enumerate(plan.launches):
        places.setdefault(launch.shape, []).append(place)
    return tuple(
        ShapeGroup(first=of[0], calls_per_token=len(of), launch=plan.launches[of[0]])
        for of in places.values()
    )


def plan_lines(name: str, plan: "StepPlan") -> list[str]:
    """The plan as text.

    Args:
        name: title of the manifest.
        plan: one token.
    """
    groups = shape_groups(plan)
    on = " ".join(f"{arm}={value}" for arm, value in plan.arms.items() if value) or "all off"
    copies = {buffer.name: buffer.copies for buffer in plan.buffers}
    lines = [
        f"{name}, step {plan.step}: {plural(len(plan.launches), 'launch', 'launches')} a token in "
        f"{plural(len(groups), 'shape')}, {byte_count(plan.device_bytes)} of device memory",
        f"arms: {on}",
        *_sums_text(plan),
    ]
    for group in groups:
        lines += ["", *_group_text(group, copies)]
    return lines


def plan_document(name: str, plan: "StepPlan") -> dict[str, Any]:
    """The plan as a JSON document; what the manifest does not say is null.

    Args:
        name: title of the manifest.
        plan: one token.
    """
    return {
        "schema_version": PLAN_SCHEMA_VERSION,
        "manifest": name,
        "step": plan.step,
        "arms": dict(plan.arms),
        "symbols": dict(plan.symbols),
        "launches_per_token": len(plan.launches),
        "device_bytes": plan.device_bytes,
        "all_reduces": [
            {"buffer": buffer, "elements": elements, "calls_per_token": calls}
            for buffer, elements, calls in _sums(plan)
        ],
        "shapes": [_group_document(group) for group in shape_groups(plan)],
    }


def _sums(plan: "StepPlan") -> list[tuple[str, int, int]]:
    """Buffer, elements and calls per token of what is summed over the ranks."""
    elements = {buffer.name: buffer.elements for buffer in plan.buffers}
    calls = Counter(one.buffer for one in plan.all_reduces)
    return [(buffer, elements[buffer], count) for buffer, count in calls.items()]


def _sums_text(plan: "StepPlan") -> Iterator[str]:
    sums = _sums(plan)
    if sums:
        each = ", ".join(f"{calls} × {buffer} [{size:,}]" for buffer, size, calls in sums)
        yield f"with --ranks, summed over the ranks: {each}"


def _group_text(group: ShapeGroup, copies: dict[str, int]) -> Iterator[str]:
    shape = group.launch.shape
    calls = plural(group.calls_per_token, "call")
    where = "/".join(group.launch.ranges)
    yield (
        f"{shape.kernel}: {calls} per token, first as launch {group.first + 1}"
        f"{f' in {where}' if where else ''}"
    )
    defines = "".join(f" -D{name}={value}" for name, value in shape.module.defines)
    yield f"  entry {shape.entry} of {shape.module.kind} {shape.module.file}{defines}"
    yield (
        f"  grid {_product(shape.grid)}, block {_product(shape.block)}, "
        f"cluster {_product(shape.cluster)}, dynamic shared memory {byte_count(shape.shared_bytes)}"
        f"{', programmatic launch' if shape.programmatic_launch else ''}"
    )
    yield (
        f"  read {_bytes(shape.bytes_read)}, written {_bytes(shape.bytes_written)}, working "
        f"threads of a block {_said(shape.working_threads)}, in flight per thread "
        f"{_bytes(shape.bytes_in_flight_per_thread)}"
    )
    arguments = ", ".join(_argument_text(one, copies) for one in group.launch.arguments)
    yield f"  arguments of the first: {arguments or 'none'}"


def _group_document(group: ShapeGroup) -> dict[str, Any]:
    shape = group.launch.shape
    return {
        "kernel": shape.kernel,
        "entry": shape.entry,
        "code": {
            "kind": shape.module.kind,
            "file": shape.module.file,
            "defines": dict(shape.module.defines),
        },
        "calls_per_token": group.calls_per_token,
        "first_launch": group.first,
        "first_ranges": list(group.launch.ranges),
        "grid_blocks": list(shape.grid),
        "block_threads": list(shape.block),
        "cluster_blocks": list(shape.cluster),
        "dynamic_shared_bytes": shape.shared_bytes,
        "programmatic_launch": shape.programmatic_launch,
        "bytes_read": shape.bytes_read,
        "bytes_written": shape.bytes_written,
        "working_threads": shape.working_threads,
        "bytes_in_flight_per_thread": shape.bytes_in_flight_per_thread,
        "first_arguments": [_argument_document(one) for one in group.launch.arguments],
    }


def _argument_text(argument: "Argument", copies: dict[str, int]) -> str:
    from geoaudit.manifest.planned import BufferUse

    if isinstance(argument, BufferUse):
        of_copies = copies[argument.buffer] > 1
        return f"@{argument.buffer}[{argument.copy}]" if of_copies else f"@{argument.buffer}"
    varying = argument.formula
    text = f"{argument.dtype} {argument.value}"
    return text if varying is None else f"{text} at token 0, {varying.expression.text}"


def _argument_document(argument: "Argument") -> dict[str, Any]:
    from geoaudit.manifest.planned import BufferUse

    if isinstance(argument, BufferUse):
        return {"buffer": argument.buffer, "copy": argument.copy}
    varying = argument.formula
    formula = {} if varying is None else {"of_token": varying.expression.text}
    return {"dtype": argument.dtype, "value": argument.value, **formula}


def _product(sizes: Sequence[int]) -> str:
    """Dimensions without the ones at their end: 12 x 4."""
    x, y, z = sizes
    return f"{x} x {y} x {z}" if z > 1 else f"{x} x {y}" if y > 1 else str(x)


def _bytes(value_bytes: int | None) -> str:
    return _NOT_SAID if value_bytes is None else byte_count(value_bytes)


def _said(value: int | None) -> str:
    return _NOT_SAID if value is None else str(value)
