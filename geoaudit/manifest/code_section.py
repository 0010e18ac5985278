"""Reading where a kernel's machine code comes from."""

from collections.abc import Collection
from pathlib import PurePath
from typing import get_args

from geoaudit.manifest.document import Table
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.model import Code, CodeKind

_KINDS: tuple[CodeKind, ...] = get_args(CodeKind)
CODE_KEYS = (*_KINDS, "options", "defines")
"""Keys of a kernel that say what is compiled or loaded."""


def read_code(table: Table, known: Collection[str], directory: str) -> Code:
    """The code of a kernel.

    Args:
        table: the kernel.
        known: the symbols its defines may use.
        directory: what relative paths start from.

    Raises:
        ManifestError: no code or several, or compile options for a ready binary.
    """
    given = [kind for kind in _KINDS if kind in table]
    if not given:
        raise table.location.error(
            "has no code; add source (CUDA C++) or a ready cubin, fatbin or ptx"
        )
    if len(given) > 1:
        raise table[given[1]].location.error(
            f"stands beside {given[0]}; a kernel has one of {', '.join(_KINDS)}"
        )
    kind = given[0]
    for key in ("options", "defines"):
        if key in table and kind != "source":
            raise table[key].location.error(
                f"means nothing for a ready {kind}, which is launched unchanged; drop it"
            )
    return Code(
        kind=kind,
        file=(PurePath(directory) / table[kind].text()).as_posix(),
        location=table[kind].location,
        options=tuple(option.text() for option in table["options"].entries())
        if "options" in table
        else (),
        defines=_read_defines(table, known),
    )


def _read_defines(table: Table, known: Collection[str]) -> dict[str, Formula]:
    if "defines" not in table:
        return {}
    return {name: value.formula(known) for name, value in table["defines"].table().named()}
