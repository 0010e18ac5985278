"""Reading the kernels: their code, their symbols, and how they are launched under each arm."""

from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.manifest.code_section import CODE_KEYS, read_code
from geoaudit.manifest.document import Table, Value
from geoaudit.manifest.location import did_you_mean, shown
from geoaudit.manifest.model import (
    LAYER,
    Arm,
    Buffer,
    Kernel,
    KernelArm,
    LaunchRecipe,
    Split,
)
from geoaudit.manifest.recipe_section import RECIPE_KEYS, read_recipe
from geoaudit.manifest.symbol_section import check_symbol_name, read_symbols

_OWN_KEYS = ("parameters", "symbols", "reference", "tolerance", "split", "arms")
_SPLIT_KEYS = ("cross_block_reduction", "duplicated_reads", "layout_change")


@dataclass(frozen=True, kw_only=True)
class KernelContext:
    """What the kernels of a manifest may refer to.

    Attributes:
        directory: folder of the manifest, before the path of a source.
        taken: names of symbols and arms, with what each is.
        known: the symbols that every formula may use.
        arms: by name.
        buffers: by name.
    """

    directory: str
    taken: Mapping[str, str]
    known: frozenset[str]
    arms: Mapping[str, Arm]
    buffers: Mapping[str, Buffer]


def read_kernels(table: Table, context: KernelContext) -> dict[str, Kernel]:
    """All kernels, by name.

    Raises:
        ManifestError: a wrong key, value, name or formula.
    """
    return {name: _read_kernel(name, value, context) for name, value in table.named()}


def _read_kernel(name: str, value: Value, context: KernelContext) -> Kernel:
    table = value.table()
    table.check_keys((*CODE_KEYS, *RECIPE_KEYS, *_OWN_KEYS))
    parameters = _read_parameters(table, context)
    own = table["symbols"].table() if "symbols" in table else None
    _check_own_names(own, parameters, context)
    known = context.known | {LAYER, *parameters, *(own.values if own else ())}
    recipe = read_recipe(table, known, context.buffers)
    if "tolerance" in table and "reference" not in table:
        raise table["tolerance"].location.error("stands without a reference; name one or drop it")
    return Kernel(
        name=name,
        location=value.location,
        code=read_code(table, known, context.directory),
        parameters=parameters,
        symbols=read_symbols(own, known) if own else {},
        recipe=recipe,
        arms=_read_arms(table, recipe, known, context),
        reference=table["reference"].text() if "reference" in table else None,
        tolerance=table["tolerance"].positive_number() if "tolerance" in table else None,
        split=_read_split(table.get("split")),
    )


def _read_parameters(table: Table, context: KernelContext) -> tuple[str, ...]:
    value = table.get("parameters")
    for entry in value.entries() if value else ():
        if not entry.text().isidentifier() or not entry.text().isascii():
            raise entry.location.error(
                f"{shown(entry.text())} is no name; use letters, digits and underscores"
            )
        check_symbol_name(entry.text(), entry.location, context.taken)
    return value.texts() if value else ()


def _check_own_names(
    own: Table | None, parameters: tuple[str, ...], context: KernelContext
) -> None:
    taken = {**context.taken, **dict.fromkeys(parameters, "a parameter of this kernel")}
    for name, value in own.named() if own else ():
        check_symbol_name(name, value.location, taken)


def _read_arms(
    table: Table, base: LaunchRecipe, known: frozenset[str], context: KernelContext
) -> dict[str, KernelArm]:
    if "arms" not in table:
        return {}
    arms: dict[str, KernelArm] = {}
    for name, value in table["arms"].table().named():
        if name not in context.arms:
            hint = did_you_mean(name, context.arms) or "; declare it under [arms]"
            raise value.location.error(f"unknown arm {name}{hint}")
        changes = value.table()
        changes.check_keys(RECIPE_KEYS)
        if not changes.values:
            raise value.location.error(f"changes nothing; give one of {', '.join(RECIPE_KEYS)}")
        arms[name] = KernelArm(
            changed=frozenset(changes.values),
            recipe=read_recipe(changes.over(table), known, context.buffers),
        )
        _check_conflicts(name, value, arms, context)
    return arms


def _check_conflicts(
    name: str, value: Value, arms: Mapping[str, KernelArm], context: KernelContext
) -> None:
    """Two arms that may be on together must not both have the last word."""
    for other, arm in arms.items():
        shared = arm.changed & arms[name].changed
        if other != name and shared and other not in context.arms[name].excludes:
            key = min(shared)
            raise value.table()[key].location.error(
                f"{other} changes {key} too, and both may be on; write one formula of both arms "
                "in the kernel itself, or let one arm exclude the other"
            )


def _read_split(value: Value | None) -> Split | None:
    if value is None:
        return None
    table = value.table()
    table.check_keys(_SPLIT_KEYS)
    return Split(
        cross_block_reduction=table["cross_block_reduction"].boolean(),
        duplicated_reads=table["duplicated_reads"].boolean(),
        layout_change=table["layout_change"].boolean(),
    )
