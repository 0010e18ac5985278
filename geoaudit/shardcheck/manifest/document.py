"""A manifest as TOML has it, with the line of every key."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from geoaudit.manifest.lines import key_lines
from geoaudit.manifest.location import KeyPath
from geoaudit.shardcheck.manifest.formulas import FormulaError, read_formula
from geoaudit.shardcheck.program.expressions import Expression

_PLACE = re.compile(r"\(at line (\d+)")


class UnreadableError(ValueError):
    """A part of a manifest that is not what it has to be; with line and a reason in words."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


class Document:
    """The tables of a manifest by key path."""

    def __init__(self, text: str) -> None:
        """Read a text.

        Raises:
            UnreadableError: it is no TOML.
        """
        try:
            self._root: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            place = _PLACE.search(str(error))
            line = int(place[1]) if place else text.rstrip().count("\n") + 1
            raise UnreadableError(line, f"TOML cannot be parsed: {error}") from error
        self._lines = key_lines(text)

    def line(self, path: KeyPath) -> int:
        """The line of a key, or of the nearest table around it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def value(self, path: KeyPath) -> Any:  # noqa: ANN401 (whatever TOML holds)
        """What stands at a path; None: nothing."""
        found: Any = self._root
        for key in path:
            if isinstance(found, dict):
                found = found.get(key)
            elif isinstance(found, list) and isinstance(key, int) and key < len(found):
                found = found[key]
            else:
                return None
        return found

    def table(self, path: KeyPath) -> Mapping[str, Any]:
        """The table at a path; empty where there is none.

        Raises:
            UnreadableError: something else stands there.
        """
        found = self.value(path)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise UnreadableError(self.line(path), f"{path[-1]} is no table")
        return found

    def formula(self, path: KeyPath) -> Expression:
        """The formula at a path.

        Raises:
            UnreadableError: none stands there.
        """
        try:
            return read_formula(self.value(path))
        except FormulaError as error:
            raise UnreadableError(self.line(path), f"{path[-1]}: {error}") from error
