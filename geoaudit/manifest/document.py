"""A TOML document whose every value is asked for by type, and whose errors name line and key."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from geoaudit.manifest.arithmetic import LARGEST_INTEGER, ExpressionError
from geoaudit.manifest.expressions import parse_expression
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.hostile_text import DEEPEST_KEY, line_of_deep_key, with_short_integers
from geoaudit.manifest.lines import key_lines
from geoaudit.manifest.location import KeyPath, Location, did_you_mean, key_text, shown

LONGEST_DOCUMENT = 1_000_000
"""Characters of the longest manifest."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_LINE_OF_SYNTAX_ERROR = re.compile(r"\(at line (\d+), column \d+\)$")
_KINDS: dict[type, str] = {
    str: "text",
    bool: "true or false",
    int: "an integer",
    float: "a real number",
    list: "a list",
    dict: "a table",
}


@dataclass(frozen=True, kw_only=True)
class Value:
    """One value of the document, not yet known to be what it should be.

    Attributes:
        raw: as the TOML parser gave it.
        path: keys and indices from the top.
        file: the manifest's name, for messages.
        lines: key path -> line of the whole document.
    """

    raw: Any
    path: KeyPath
    file: str
    lines: Mapping[KeyPath, int]

    @property
    def location(self) -> Location:
        """Where it stands: its own line, or that of the nearest key around it."""
        around = (self.path[:length] for length in range(len(self.path), -1, -1))
        line = next((self.lines[path] for path in around if path in self.lines), 1)
        return Location(file=self.file, line=line, key=key_text(self.path))

    def text(self, *, may_be_empty: bool = False) -> str:
        """The value as text without control characters.

        Raises:
            ManifestError: it is something else, or empty.
        """
        text: str = self._of(str)
        if not text and not may_be_empty:
            raise self.location.error("is empty; write a text")
        if not text.isprintable():
            raise self.location.error(f"{shown(text)} holds control characters; leave them out")
        return text

    def choice(self, choices: Collection[str]) -> str:
        """The value as one of some words.

        Raises:
            ManifestError: it is none of them.
        """
        text = self.text()
        if text not in choices:
            raise self.location.error(
                f"{shown(text)} is not known{did_you_mean(text, choices)}; allowed are "
                f"{', '.join(choices)}"
            )
        return text

    def boolean(self) -> bool:
        """The value as true or false.

        Raises:
            ManifestError: it is something else.
        """
        value: bool = self._of(bool)
        return value

    def integer(self, *, minimum: int) -> int:
        """The value as an integer.

        Raises:
            ManifestError: it is something else, or smaller than the minimum.
        """
        value: int = self._of(int)
        if value < minimum:
            raise self.location.error(f"is {value}; write an integer from {minimum} up")
        return value

    def positive_number(self) -> float:
        """The value as a positive, finite number.

        Raises:
            ManifestError: it is something else.
        """
        value = float(self.raw) if type(self.raw) in (int, float) else 0.0
        if not 0 < value < float("inf"):
            raise self.location.error(f"is {shown(self.raw)}; write a number above 0")
        return value

    def formula(
        self, known: Collection[str], *, is_real: bool = False, is_condition: bool = False
    ) -> Formula:
        """The value as a formula: a number, or text with an expression.

        Args:
            known: the symbols it may use.
            is_real: allow floats.
            is_condition: allow true and false, which become 1 and 0.

        Raises:
            ManifestError: it is no expression, or uses an unknown symbol.
        """
        raw = int(self.raw) if is_condition and isinstance(self.raw, bool) else self.raw
        if isinstance(raw, bool) or not isinstance(raw, str | int | float):
            raise self._mismatch("a number or an expression in quotes")
        try:
            expression = parse_expression(str(raw), is_real=is_real)
        except ExpressionError as error:
            raise self.location.error(str(error)) from error
        for name in sorted(name for name in expression.names if name not in known):
            hint = did_you_mean(name, known) or "; declare it under [symbols]"
            raise self.location.error(f"unknown symbol {name[:100]}{hint}")
        return Formula(expression=expression, location=self.location)

    def entries(self) -> tuple["Value", ...]:
        """The entries of a list.

        Raises:
            ManifestError: it is no list.
        """
        return tuple(self._part(index, raw) for index, raw in enumerate(self._of(list)))

    def texts(self) -> tuple[str, ...]:
        """The value as a list of texts, each of which occurs once.

        Raises:
            ManifestError: it is something else.
        """
        found: list[str] = []
        for entry in self.entries():
            if entry.text() in found:
                raise entry.location.error(f"{shown(entry.text())} stands here twice; drop one")
            found.append(entry.text())
        return tuple(found)

    def table(self) -> "Table":
        """The value as a table.

        Raises:
            ManifestError: it is something else.
        """
        parts = {key: self._part(key, raw) for key, raw in self._of(dict).items()}
        return Table(location=self.location, values=parts)

    def with_raw(self, raw: str) -> "Value":
        """A part of this value's text, at the same place."""
        return Value(raw=raw, path=self.path, file=self.file, lines=self.lines)

    def is_a(self, kind: type) -> bool:
        """Whether the TOML value is of this type."""
        return isinstance(self.raw, kind)

    def _of(self, kind: type) -> Any:  # noqa: ANN401 - each caller asks for one type
        # Not isinstance: TOML's true is no integer.
        if type(self.raw) is not kind:
            raise self._mismatch(_KINDS[kind])
        return self.raw

    def _mismatch(self, wanted: str) -> Exception:
        kind = _KINDS.get(type(self.raw), "a date or time")
        return self.location.error(f"is {kind}; write {wanted}")

    def _part(self, key: str | int, raw: object) -> "Value":
        part = Value(raw=raw, path=(*self.path, key), file=self.file, lines=self.lines)
        # Refused before a message may show it: Python writes no integer of 5,000 digits.
        if type(raw) is int and abs(raw) > LARGEST_INTEGER:
            raise part.location.error("is a number beyond 64 bits; write a smaller one")
        return part


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of the document.

    Attributes:
        location: where it stands.
        values: key -> value, in the document's order.
    """

    location: Location
    values: Mapping[str, Value]

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __getitem__(self, key: str) -> Value:
        """The value of a key that must be there.

        Raises:
            ManifestError: the key is missing.
        """
        if key not in self.values:
            raise self.location.error(f"the key {key} is missing; add it")
        return self.values[key]

    def get(self, key: str) -> Value | None:
        """The value of a key, or None."""
        return self.values.get(key)

    def check_keys(self, allowed: Collection[str]) -> None:
        """Accept no other keys than these.

        Raises:
            ManifestError: there is another; names the nearest that is allowed.
        """
        for key, value in self.values.items():
            if key not in allowed:
                hint = did_you_mean(key, allowed) or f"; allowed are {', '.join(sorted(allowed))}"
                raise value.location.error(f"unknown key{hint}")

    def named(self) -> Iterator[tuple[str, Value]]:
        """The entries of a table whose keys are the user's own names.

        Raises:
            ManifestError: a key is not made of letters, digits and underscores.
        """
        for key, value in self.values.items():
            if not _NAME.fullmatch(key):
                raise value.location.error(
                    "is no name; use up to 100 letters, digits and underscores, not a digit first"
                )
            yield key, value

    def over(self, base: "Table") -> "Table":
        """This table, completed with the values of another for the keys that it lacks."""
        return Table(location=self.location, values={**base.values, **self.values})


def parse_document(text: str, *, file: str) -> Table:
    """The top table of a document.

    Args:
        text: TOML.
        file: its name, for messages.

    Raises:
        ManifestError: it is no TOML, or too large or too deep to be a manifest.
    """
    top = Location(file=file, line=1, key="")
    if len(text) > LONGEST_DOCUMENT:
        raise top.error(
            f"has {len(text)} characters, a manifest at most {LONGEST_DOCUMENT}; is this the "
            "right file?"
        )
    deep = line_of_deep_key(text)
    if deep is not None:
        place = Location(file=file, line=deep, key="")
        raise place.error(f"a key of more than {DEEPEST_KEY} parts; write fewer")
    try:
        raw = tomllib.loads(with_short_integers(text))
        lines = key_lines(text)
    except RecursionError as error:
        raise top.error("is nested too deeply; write tables under [headers]") from error
    except ValueError as error:
        line = _line_of(str(error), text)
        message = f"{_LINE_OF_SYNTAX_ERROR.sub('', str(error)).strip()}; mend the TOML here"
        raise Location(file=file, line=line, key="").error(message) from error
    return Value(raw=raw, path=(), file=file, lines=lines).table()


def _line_of(message: str, text: str) -> int:
    match = _LINE_OF_SYNTAX_ERROR.search(message)
    if match:
        return int(match[1])
    return max(1, len(text.splitlines()))
