"""Settings of `shard-check` in ``pyproject.toml`` or ``geoaudit.toml``; the command line wins."""

import difflib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from geoaudit.errors import InputError

TABLES = {
    "geoaudit.toml": ("shard-check",),
    "pyproject.toml": ("tool", "geoaudit", "shard-check"),
}
"""File name -> where in it the settings are; of two in a folder the first counts."""
PARAMETERS = {
    "exclude": "exclude",
    "include-vendored": "include_vendored",
    "shard": "shard",
    "dim": "dimensions",
    "set": "values",
    "model": "model_file",
    "batch": "batch",
    "context": "context",
    "device": "device_name",
    "sms": "sms",
    "show": "behaviours",
    "baseline": "baseline",
    "fail-on": "fail_on",
}
"""Key -> parameter of the command."""
_PATHS = ("model", "baseline")
_BY_NAME = ("dim", "set")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a file says.

    Attributes:
        file: where from; None: there is none.
        values: key -> value, as TOML has it.
    """

    file: Path | None = None
    values: Mapping[str, Any]


def with_settings(
    context: click.Context, choices: Mapping[str, Any], paths: Sequence[Path]
) -> dict[str, Any]:
    """The values of all options, from the settings where the command line does not say.

    Of what the settings list by name (``dim``, ``set``) the command line wins name by name.

    Args:
        context: of the command.
        choices: values by parameter name.
        paths: of the check; the settings of all are those in the folder of the first or above it.
            Others that are passed over are told on standard error.

    Raises:
        InputError: a file of settings cannot be used; names file, line and key.
    """
    settings = find_settings(paths[0])
    _tell_of_others(settings, paths)
    merged = dict(choices)
    parameters = {parameter.name: parameter for parameter in context.command.params}
    for key, value in settings.values.items():
        name = PARAMETERS[key]
        is_given = context.get_parameter_source(name) is not ParameterSource.DEFAULT
        if is_given and key not in _BY_NAME:
            continue
        try:
            told = parameters[name].process_value(context, _as_given(settings, key, value))
        except (click.BadParameter, InputError) as error:
            text = error.message if isinstance(error, click.BadParameter) else str(error)
            raise InputError(f"{_where(settings, key)}: {text}") from error
        merged[name] = _beside(told, choices[name]) if is_given else told
    return merged


def _beside(told: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """What the settings say of names that the command line does not, and what that says."""
    names = {_name(one) for one in given}
    return (*(one for one in told if _name(one) not in names), *given)


def _name(text: str) -> str:
    """The name in ``NAME=NUMBER`` or ``NAME=TOTAL:KIND``."""
    return re.split("[=:]", text, maxsplit=1)[0].strip()


def _tell_of_others(settings: Settings, paths: Sequence[Path]) -> None:
    """Say which settings are passed over: of two files in a folder, and of other paths."""
    file = settings.file
    if file is not None and file.name == "geoaudit.toml":
        other = file.with_name("pyproject.toml")
        if _values(other, TABLES[other.name]) is not None:
            click.echo(f"geoaudit: note: {file} holds; the settings in {other} do not", err=True)
    for path in paths[1:]:
        other_file = find_settings(path).file
        if other_file != file:
            own = f"its own, {other_file}, are not" if other_file else "it has none of its own"
            told = f"the settings of {paths[0]} are used: {file or 'none'}; {own}"
            click.echo(f"geoaudit: note: {path}: {told}", err=True)


def find_settings(path: Path) -> Settings:
    """The settings nearest above a path, no further up than the top of its repository.

    Raises:
        InputError: a file is no TOML, or has a key that is none.
    """
    start = Path(os.path.realpath(path))
    for folder in (start, *start.parents):
        for name, table in TABLES.items():
            values = _values(folder / name, table)
            if values is not None:
                return _checked(Settings(file=folder / name, values=values))
        if (folder / ".git").exists():
            break
    return Settings(values={})


def _values(file: Path, table: tuple[str, ...]) -> Mapping[str, Any] | None:
    try:
        document: Any = tomllib.loads(file.read_bytes().decode())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}. Mend the file's rights.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: not TOML: {error}.") from error
    _refuse_outside(file, table, document)
    for key in table:
        document = document.get(key) if isinstance(document, dict) else None
    if document is None:
        return None
    if not isinstance(document, dict):
        raise InputError(f"{file}: {'.'.join(table)} is no table. Write [{'.'.join(table)}].")
    return document


def _refuse_outside(file: Path, table: tuple[str, ...], document: Any) -> None:
    """Refuse what stands beside the table of settings: misspelled, or above it, it is not seen."""
    for key in table[:-1]:
        document = document.get(key) if isinstance(document, dict) else None
    found = [key for key in document or () if key != table[-1]]
    if found:
        own = ".".join(table)
        raise InputError(
            f"{file}: {', '.join(found)}: outside of [{own}], the one table that is read. Mend the "
            "name, or move it there."
        )


def _checked(settings: Settings) -> Settings:
    for key in settings.values:
        if key not in PARAMETERS:
            near = difflib.get_close_matches(key, PARAMETERS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(PARAMETERS)}."
            raise InputError(f"{_where(settings, key)}: no such setting; {hint}")
    return settings


def _as_given(settings: Settings, key: str, value: Any) -> Any:
    """A value in the form in which the command line gives it."""
    if key == "set" and isinstance(value, dict):
        return tuple(f"{name}={number}" for name, number in value.items())
    if key in ("exclude", "dim", "set"):
        several = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in several):
            raise InputError("give a list of texts, as on the command line.")
        return tuple(several)
    if key in ("show", "fail-on") and isinstance(value, list):
        return ",".join(map(str, value))
    if key in _PATHS and isinstance(value, str) and settings.file is not None:
        return settings.file.parent / value
    if isinstance(value, list | dict):
        raise InputError("give one value, as on the command line.")
    return (value,) if key == "shard" else value


def _where(settings: Settings, key: str) -> str:
    """File, line and key."""
    from geoaudit.manifest.lines import key_lines

    file = settings.file
    if file is None:
        return key
    path = (*TABLES[file.name], key)
    line = key_lines(file.read_bytes().decode()).get(path)
    return f"{file}:{line}: {key}" if line is not None else f"{file}: {key}"
