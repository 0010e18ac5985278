"""Reading a manifest: the one place of this package that opens files."""

from collections.abc import Mapping
from pathlib import Path, PurePath

from geoaudit.errors import InputError
from geoaudit.manifest.arm_effects import arms_of_buffers, kernels_reached
from geoaudit.manifest.arm_section import read_arms
from geoaudit.manifest.buffer_section import read_buffers
from geoaudit.manifest.code_content import HEAD_BYTES, check_content
from geoaudit.manifest.document import LONGEST_DOCUMENT, Table, parse_document
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.kernel_section import KernelContext, read_kernels
from geoaudit.manifest.location import did_you_mean, shown
from geoaudit.manifest.model import TOKEN, Arm, Buffer, Code, Kernel, Manifest, Segment
from geoaudit.manifest.step_section import StepContext, read_steps
from geoaudit.manifest.symbol_section import check_symbol_name, read_symbols

SCHEMA_VERSION = 1
_SECTIONS = ("symbols", "arms", "buffers", "kernels", "segments", "steps")
_KEYS = ("schema_version", "name", "default_step", "ranks", "require", *_SECTIONS)


def read_manifest(path: Path) -> Manifest:
    """The manifest of a file, whose sources and binaries are there.

    Args:
        path: a TOML file.

    Raises:
        InputError: the file cannot be read.
        ManifestError: it is no manifest, contradicts itself, or names a file that is not there
            or no binary of its kind; the message names file, line and key.
    """
    try:
        if path.is_fifo():
            raise InputError(f"{path}: is a pipe, which may wait for ever; name a file (TOML)")
        with path.open("rb") as file:
            # An endless device must not fill the memory; what is too long is refused below.
            content = file.read(4 * LONGEST_DOCUMENT + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; name a manifest (TOML)") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no UTF-8 text; name a manifest (TOML)") from error
    manifest = parse_manifest(text, file=str(path))
    for kernel in manifest.kernels.values():
        check_content(kernel.code, _head(kernel.code))
    return manifest


def _head(code: Code) -> bytes:
    """How the file of a kernel's code begins."""
    path = Path(code.file)
    try:
        if not path.is_file():
            raise code.location.error(
                f"there is no file {shown(code.file)}; paths start from the manifest"
            )
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise code.location.error(
            f"{shown(code.file)} cannot be read: {error.strerror or error}; name another file"
        ) from error


def parse_manifest(text: str, *, file: str) -> Manifest:
    """The manifest that a text holds; nothing is opened.

    Args:
        text: TOML, as described in ``geoaudit.manifest``.
        file: path of the text, for messages, and what the paths of sources start from.

    Raises:
        ManifestError: it is no manifest, or contradicts itself.
    """
    document = _document(text, file)
    arms = read_arms(_section(document, "arms"))
    symbols = _read_symbols(_section(document, "symbols"), arms)
    known = frozenset({*arms, *symbols, TOKEN})
    buffers = read_buffers(_section(document, "buffers"), known)
    kernels = _kernels(document, file, symbols=symbols, arms=arms, buffers=buffers)
    context = StepContext(known=known, symbols=symbols, kernels=kernels, buffers=buffers)
    steps = _steps(document, context)
    manifest = Manifest(
        file=file,
        name=document["name"].text(),
        default_step=_default_step(document, steps),
        ranks_symbol=_ranks_symbol(document, symbols),
        symbols=symbols,
        arms=arms,
        buffers=buffers,
        kernels=kernels,
        steps=steps,
        requirements=_requirements(document, known - {TOKEN}),
    )
    _check_arms_reach_something(manifest)
    return manifest


def _document(text: str, file: str) -> Table:
    document = parse_document(text, file=file)
    value = document["schema_version"]
    version = value.integer(minimum=1)
    if version > SCHEMA_VERSION:
        raise value.location.error(
            f"version {version} is newer than this geoaudit reads ({SCHEMA_VERSION}); update it"
        )
    # After the version: a newer format may have keys that this one does not know.
    document.check_keys(_KEYS)
    return document


def _read_symbols(table: Table, arms: Mapping[str, Arm]) -> dict[str, Formula]:
    for name, value in table.named():
        check_symbol_name(name, value.location, dict.fromkeys(arms, "an arm"))
    return read_symbols(table, {*arms, *table.values, TOKEN})


def _section(document: Table, key: str) -> Table:
    value = document.get(key)
    return value.table() if value else Table(location=document.location, values={})


def _requirements(document: Table, known: frozenset[str]) -> tuple[Formula, ...]:
    value = document.get("require")
    entries = value.entries() if value else ()
    return tuple(entry.formula(known, is_condition=True) for entry in entries)


def _kernels(
    document: Table,
    file: str,
    *,
    symbols: Mapping[str, Formula],
    arms: Mapping[str, Arm],
    buffers: Mapping[str, Buffer],
) -> dict[str, Kernel]:
    context = KernelContext(
        directory=PurePath(file).parent.as_posix(),
        taken={**dict.fromkeys(arms, "an arm"), **dict.fromkeys(symbols, "a symbol")},
        known=frozenset({*arms, *symbols, TOKEN}),
        arms=arms,
        buffers=buffers,
    )
    return read_kernels(document["kernels"].table(), context)


def _steps(document: Table, context: StepContext) -> dict[str, Segment]:
    return read_steps(document["steps"].table(), _section(document, "segments"), context)


def _default_step(document: Table, steps: dict[str, Segment]) -> str:
    if not steps:
        raise document["steps"].location.error("is empty; add a step: [steps.NAME]")
    value = document.get("default_step")
    if value is None and len(steps) > 1:
        raise document.location.error("several steps and no default_step; name one of them")
    name = value.text() if value else next(iter(steps))
    if value and name not in steps:
        hint = did_you_mean(name, steps) or f"; the steps are {', '.join(steps)}"
        raise value.location.error(f"unknown step {shown(name)}{hint}")
    return name


def _ranks_symbol(document: Table, symbols: Mapping[str, Formula]) -> str | None:
    value = document.get("ranks")
    if value is None:
        return None
    name = value.text()
    if name not in symbols:
        hint = did_you_mean(name, symbols) or "; declare it under [symbols]"
        raise value.location.error(f"unknown symbol {shown(name)}{hint}")
    return name


def _check_arms_reach_something(manifest: Manifest) -> None:
    """An arm without effect would be measured, and reported as one that wins nothing."""
    of_buffers = arms_of_buffers(manifest)
    for name, kernels in kernels_reached(manifest).items():
        if not kernels and name not in of_buffers:
            raise manifest.arms[name].location.error(
                "changes no kernel; add [kernels.NAME.arms." + name + "], use it in a formula, or "
                "drop it"
            )
