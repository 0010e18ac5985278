"""File names that several commands agree on."""

import os
import shlex
from pathlib import Path

import click

DEFAULT_SCAN = Path("geoaudit-scan.parquet")
DEFAULT_REPORT = Path("geoaudit-report")


class GivenPath(click.ParamType[Path]):
    """A path on the command line; an empty one, as of an unset variable, is none."""

    name = "path"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """The path.

        Raises:
            click.BadParameter: it is empty.
        """
        if value == "":
            self.fail("is empty: name a file.", param, ctx)
        return Path(str(value))


def shell_word(path: Path) -> str:
    r"""A path as a shell takes it: quoted where it must be, bytes that are no text as escapes.

    >>> shell_word(Path("run 1.parquet")), shell_word(Path("by" + chr(0xDCFF)))
    ("'run 1.parquet'", "$'by\\xff'")
    """
    name = str(path)
    if name.startswith("-"):
        name = f"./{name}"
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return "$'" + "".join(map(_shell_byte, os.fsencode(name))) + "'"
    return shlex.quote(name)


def _shell_byte(byte: int) -> str:
    plain = 0x20 <= byte < 0x7F and chr(byte) not in "\\'"
    return chr(byte) if plain else f"\\x{byte:02x}"
