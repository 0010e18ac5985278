"""The output options every command with a table shares, and the writing they ask for."""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from geoaudit.errors import InputError

FORMATS = ("table", "json", "csv", "markdown")
PARQUET_MAGIC = b"PAR1"

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Where a command's result goes.

    Attributes:
        format: the format of standard output, or of ``file``.
        file: written in ``format`` in place of standard output.
        extra: further (format, file) pairs of the same run.
    """

    format: str
    file: Path | None
    extra: tuple[tuple[str, Path], ...]


class _FormatFile(click.ParamType[tuple[str, Path]]):
    name = "format=file"

    def __init__(self, formats: Sequence[str]) -> None:
        self._formats = formats

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Path]:
        format_name, separator, file = str(value).partition("=")
        if not separator or not file or format_name not in self._formats:
            self.fail(f"{value!r} is not FORMAT=FILE with a format of {', '.join(self._formats)}")
        return format_name, Path(file)


def output_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--format``, ``-o`` and ``--output`` (as format_name, output_file, outputs)."""
    return output_options_of(FORMATS)(command)


def output_options_of(formats: Sequence[str]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The same for a command with these formats; the first is the default."""
    options = (
        click.option(
            "--output",
            "outputs",
            type=_FormatFile(formats),
            multiple=True,
            metavar="FORMAT=FILE",
            help="Also write this format to this file; may be repeated.",
        ),
        click.option(
            "-o",
            "--output-file",
            "output_file",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Write to this file in place of standard output.",
        ),
        click.option(
            "--format",
            "format_name",
            type=click.Choice(formats),
            default=formats[0],
            show_default=True,
            help="Format of standard output, or of -o.",
        ),
    )

    def add(command: Callable[P, R]) -> Callable[P, R]:
        for option in options:
            command = option(command)
        return command

    return add


def write_outputs(renderers: Mapping[str, Callable[[], str]], options: OutputOptions) -> None:
    """Render and write all that the options ask for.

    Args:
        renderers: format name -> function that renders it.
        options: what goes where.

    Raises:
        InputError: a file cannot be written, or two outputs name the same one.
    """
    files = [file.resolve() for _, file in options.extra]
    files += [] if options.file is None else [options.file.resolve()]
    twice = {file for file in files if files.count(file) > 1}
    if twice:
        raise InputError(f"two outputs go to {', '.join(map(str, twice))}: give each its own file.")
    for format_name, file in options.extra:
        write_text(file, renderers[format_name]())
    text = renderers[options.format]()
    if options.file is not None:
        write_text(options.file, text)
        return
    click.echo(_shown(text), nl=not text.endswith("\n"))


def _shown(text: str) -> str:
    """The text, in plain ASCII where standard output cannot take its characters."""
    if sys.stdout is None:
        return text
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        from geoaudit.render.ascii_text import to_ascii

        return to_ascii(text)
    return text


def write_text(file: Path, text: str) -> None:
    """Write a file in one step: it is whole or it is not there.

    A link is followed, a file keeps its permissions, and what is no regular file (a device, a
    pipe) is written into and never replaced.

    Raises:
        InputError: the path cannot be written, or holds a recording.
    """
    content = text if text.endswith("\n") else text + "\n"
    try:
        target = file.resolve()
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", newline="\n") as handle:
                handle.write(content)
            return
        _refuse_recording(target)
        _replace_text(target, content)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"cannot write {file}: {reason}. Give a path in a folder that exists and can be "
            "written to."
        ) from error


def _replace_text(target: Path, content: str) -> None:
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as handle:
            handle.write(content)
        temporary.chmod(mode)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _refuse_recording(target: Path) -> None:
    """A table never takes the place of the recording it was made from."""
    if target.exists():
        with target.open("rb") as handle:
            if handle.read(4) == PARQUET_MAGIC:
                raise InputError(
                    f"{target} is a recording and is not overwritten: choose another -o."
                )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
