"""Reading the buffers."""

from collections.abc import Collection, Mapping
from typing import cast, get_args

from geoaudit.manifest.data_types import BYTES_PER_ELEMENT, INTEGER_RANGES
from geoaudit.manifest.document import Table, Value
from geoaudit.manifest.expressions import parse_expression
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.model import Buffer, BufferKind, InitKind

# Figures of each filling, with their value where none is given; None: it must be given.
_INIT_FIGURES: Mapping[str, Mapping[str, str | None]] = {
    "zeros": {},
    "ones": {},
    "normal": {"scale": "1.0"},
    "uniform": {"low": "0.0", "high": "1.0"},
    "constant": {"value": None},
    "iota": {},
}
_KEYS = ("dtype", "elements", "copies", "init", "kind", "scale", "low", "high", "value")


def read_buffers(table: Table, known: Collection[str]) -> dict[str, Buffer]:
    """All buffers, by name.

    Args:
        table: the section.
        known: the symbols their formulas may use.

    Raises:
        ManifestError: a wrong key or value, or a filling that does not fit the type.
    """
    return {name: _read_buffer(name, value, known) for name, value in table.named()}


def _read_buffer(name: str, value: Value, known: Collection[str]) -> Buffer:
    table = value.table()
    table.check_keys(_KEYS)
    dtype = table["dtype"].choice(BYTES_PER_ELEMENT)
    init = table["init"].choice(get_args(InitKind))
    if init == "normal" and dtype in INTEGER_RANGES:
        raise table["init"].location.error(
            f"normal needs a real data type, not {dtype}; use uniform, constant or iota"
        )
    kind = table["kind"].choice(get_args(BufferKind))
    return Buffer(
        name=name,
        dtype=dtype,
        elements=table["elements"].formula(known),
        copies=table["copies"].formula(known) if "copies" in table else _default("1", table),
        init=cast("InitKind", init),
        init_figures=_read_figures(table, init, known),
        kind=cast("BufferKind", kind),
    )


def _read_figures(table: Table, init: str, known: Collection[str]) -> dict[str, Formula]:
    wanted = _INIT_FIGURES[init]
    for key in ("scale", "low", "high", "value"):
        if key in table and key not in wanted:
            raise table[key].location.error(f"means nothing for init = {init!r}; drop it")
    return {
        key: _default(default, table)
        if key not in table and default is not None
        else table[key].formula(known, is_real=True)
        for key, default in wanted.items()
    }


def _default(text: str, table: Table) -> Formula:
    return Formula(expression=parse_expression(text, is_real=True), location=table.location)
