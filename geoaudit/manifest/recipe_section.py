"""Reading how a kernel is launched: its grid and all else that an arm may change."""

import re
from collections.abc import Collection, Mapping

from geoaudit.manifest.arguments import (
    Argument,
    ArgumentList,
    BufferArgument,
    ScalarArgument,
)
from geoaudit.manifest.data_types import REAL_SCALARS, SCALARS
from geoaudit.manifest.document import Table, Value
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.location import did_you_mean, shown
from geoaudit.manifest.model import Buffer, EntryName, LaunchRecipe

RECIPE_KEYS = (
    "entry",
    "enabled",
    "grid",
    "block",
    "cluster",
    "shared_bytes",
    "programmatic_launch",
    "arguments",
    "inputs",
    "outputs",
    "bytes_read",
    "bytes_written",
    "working_threads",
    "bytes_in_flight_per_thread",
)
"""Keys of a kernel that an arm may give anew; each is a field of LaunchRecipe."""

_FORMULA_IN_NAME = re.compile(r"\{([^{}]*)\}")


def read_recipe(
    table: Table, known: Collection[str], buffers: Mapping[str, Buffer]
) -> LaunchRecipe:
    """How a kernel is launched.

    Args:
        table: the kernel, or what an arm changes laid over it.
        known: the symbols its formulas may use.
        buffers: by name.

    Raises:
        ManifestError: a wrong value, an unknown buffer, an input or output that is not passed.
    """
    arguments = _read_arguments(table["arguments"], known, buffers)
    passed = {one.buffer for one in arguments.entries if isinstance(one, BufferArgument)}
    return LaunchRecipe(
        entry=_read_entry(table["entry"], known),
        enabled=_condition(table, "enabled", known),
        grid=_dimensions(table["grid"], known),
        block=_dimensions(table["block"], known),
        cluster=_dimensions(table["cluster"], known) if "cluster" in table else (),
        shared_bytes=_formula(table, "shared_bytes", known),
        programmatic_launch=_condition(table, "programmatic_launch", known),
        arguments=arguments,
        inputs=_read_uses(table, "inputs", passed),
        outputs=_read_uses(table, "outputs", passed),
        bytes_read=_formula(table, "bytes_read", known),
        bytes_written=_formula(table, "bytes_written", known),
        working_threads=_formula(table, "working_threads", known),
        bytes_in_flight_per_thread=_formula(table, "bytes_in_flight_per_thread", known),
    )


def _formula(table: Table, key: str, known: Collection[str]) -> Formula | None:
    return table[key].formula(known) if key in table else None


def _condition(table: Table, key: str, known: Collection[str]) -> Formula | None:
    return table[key].formula(known, is_condition=True) if key in table else None


def _dimensions(value: Value, known: Collection[str]) -> tuple[Formula, ...]:
    entries = value.entries()
    if not 1 <= len(entries) <= 3:
        raise value.location.error(
            f"has {len(entries)} entries; write 1 to 3 dimensions: [x], [x, y] or [x, y, z]"
        )
    return tuple(entry.formula(known) for entry in entries)


def _read_entry(value: Value, known: Collection[str]) -> EntryName:
    parts = _FORMULA_IN_NAME.split(value.text())
    texts, formulas = parts[::2], parts[1::2]
    if any(bracket in text for text in texts for bracket in "{}"):
        raise value.location.error(
            f"{shown(value.raw)} has a bracket without its other; write {{expression}}"
        )
    return EntryName(
        texts=tuple(texts),
        formulas=tuple(value.with_raw(formula).formula(known) for formula in formulas),
    )


def _read_arguments(
    value: Value, known: Collection[str], buffers: Mapping[str, Buffer]
) -> ArgumentList:
    return ArgumentList(
        location=value.location,
        entries=tuple(_read_argument(entry, known, buffers) for entry in value.entries()),
    )


def _read_argument(value: Value, known: Collection[str], buffers: Mapping[str, Buffer]) -> Argument:
    if value.is_a(dict):
        return _read_scalar(value.table(), known)
    name = value.text()
    if not name.startswith("@"):
        raise value.location.error(
            f'{shown(name)} is no argument; write "@name" for a buffer, or {{ i32 = "..." }} '
            "for a scalar"
        )
    if name[1:] not in buffers:
        hint = did_you_mean(name[1:], buffers) or "; declare it under [buffers]"
        raise value.location.error(f"unknown buffer {shown(name[1:])}{hint}")
    return BufferArgument(buffer=name[1:])


def _read_scalar(table: Table, known: Collection[str]) -> ScalarArgument:
    table.check_keys(SCALARS)
    if len(table.values) != 1:
        raise table.location.error(f'has {len(table.values)} types; write one: {{ i32 = "..." }}')
    ((dtype, value),) = table.values.items()
    formula = value.formula(known, is_real=dtype in REAL_SCALARS)
    return ScalarArgument(dtype=dtype, formula=formula)


def _read_uses(table: Table, key: str, passed: Collection[str]) -> tuple[str, ...]:
    value = table.get(key)
    for entry in value.entries() if value else ():
        if entry.text() not in passed:
            hint = did_you_mean(entry.text(), passed) or "; add it there or drop it here"
            raise entry.location.error(
                f"{shown(entry.text())} is not among the kernel's arguments{hint}"
            )
    return value.texts() if value else ()
