"""The buffers of a step worked out: their sizes, and fillings that their types can hold."""

from collections.abc import Mapping

from geoaudit.manifest.arithmetic import LARGEST_INTEGER, Number
from geoaudit.manifest.data_types import BYTES_PER_ELEMENT, INTEGER_RANGES
from geoaudit.manifest.environment import Environment, resolve, whole_number
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.model import Buffer, Manifest, Segment
from geoaudit.manifest.planned import PlannedBuffer, fitting
from geoaudit.manifest.segments import distinct_launches

_MOST_BYTES = 2**48
"""Bytes of all copies of a buffer: 256 TiB, a thousand times what the largest device has."""


def plan_buffers(
    manifest: Manifest, step: Segment, symbols: Environment
) -> tuple[PlannedBuffer, ...]:
    """Every buffer that a launch of the step passes under any arm, in the manifest's order.

    Raises:
        ManifestError: a size or a figure cannot be worked out, or is beyond the data type.
    """
    passed: set[str] = set()
    for launch in distinct_launches(step):
        for recipe in manifest.kernels[launch.kernel].recipes:
            passed |= {launch.binds.get(buffer, buffer) for buffer in recipe.buffers}
    return tuple(
        _plan_buffer(buffer, symbols)
        for buffer in manifest.buffers.values()
        if buffer.name in passed
    )


def _plan_buffer(buffer: Buffer, symbols: Environment) -> PlannedBuffer:
    figures = {key: _figure(formula, symbols) for key, formula in buffer.init_figures.items()}
    planned = PlannedBuffer(
        name=buffer.name,
        dtype=buffer.dtype,
        elements=_size(buffer.elements, symbols),
        copies=_size(buffer.copies, symbols),
        init=buffer.init,
        init_figures={key: float(figure) for key, figure in figures.items()},
        kind=buffer.kind,
    )
    if planned.bytes > _MOST_BYTES:
        raise buffer.elements.location.error(
            f"{planned.elements} elements of {BYTES_PER_ELEMENT[buffer.dtype]} bytes in "
            f"{planned.copies} copies: no device has so much memory; give smaller symbols"
        )
    _check_filling(buffer, planned, figures)
    return planned


def _check_filling(buffer: Buffer, planned: PlannedBuffer, figures: Mapping[str, Number]) -> None:
    """A number that the type does not hold would be filled in as another."""
    locations = {key: formula.location for key, formula in buffer.init_figures.items()}
    if buffer.init == "iota":
        fitting(planned.elements - 1, buffer.dtype, buffer.elements.location)
    elif buffer.init == "constant":
        fitting(figures["value"], buffer.dtype, locations["value"])
    elif buffer.init == "normal":
        fitting(figures["scale"], buffer.dtype, locations["scale"])
        if figures["scale"] <= 0:
            raise locations["scale"].error(
                f"is {figures['scale']}, but a standard deviation is above 0; for one value "
                "throughout write init = 'constant'"
            )
    elif buffer.init == "uniform":
        low, high = figures["low"], figures["high"]
        if not low < high:
            raise locations["high"].error(f"low is {low} and high {high}; write high above low")
        fitting(low, buffer.dtype, locations["low"])
        # Integers lie below it.
        largest = high - 1 if buffer.dtype in INTEGER_RANGES else high
        fitting(largest, buffer.dtype, locations["high"])


def _size(formula: Formula, symbols: Environment) -> int:
    return whole_number(formula, symbols.values, minimum=1, maximum=LARGEST_INTEGER)


def _figure(formula: Formula, symbols: Environment) -> Number:
    value = resolve(formula, symbols.values)
    if isinstance(value, Formula):
        raise formula.location.error("depends on the token, but buffers are filled once")
    return value
