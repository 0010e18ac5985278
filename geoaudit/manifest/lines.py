"""The line of every key of a TOML document, which the standard library's parser does not tell."""

import re
import tomllib
from bisect import bisect_right

from geoaudit.manifest.location import KeyPath

_BLANK = re.compile(r"(?:[\s]|#[^\n]*)*")
_KEY_PART = re.compile(r"""[ \t]*([A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*""")
# The longest delimiter first: a multi-line string may begin with quotes of its own kind.
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|'
    r"'''.*?'{3,5}|"
    r'"(?:[^"\\\n]|\\.)*"|'
    r"'[^'\n]*'",
    re.DOTALL,
)
# Dates may hold a space, so a bare value ends only where something else must begin.
_BARE_VALUE = re.compile(r"[^,\]}#\n]+")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Key path -> line, from 1, of every key, table, list entry and inline table.

    Args:
        text: a document that tomllib accepts; of any other the answer is of no use.
    """
    return _Scanner(text).lines


class _Scanner:
    """One pass over the text, which keeps to what a valid document can hold."""

    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._text = text
        self._position = 0
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._tables_of: dict[KeyPath, int] = {}
        self._scan_document()

    def _scan_document(self) -> None:
        table: KeyPath = ()
        self._skip_blank()
        while self._position < len(self._text):
            if self._at("["):
                table = self._scan_header()
            else:
                self._scan_pair(table)
            self._skip_blank()

    def _scan_header(self) -> KeyPath:
        line = self._line()
        is_list = self._at("[[")
        self._position += 2 if is_list else 1
        path: KeyPath = ()
        keys = self._scan_key()
        for key in keys[:-1]:
            path = self._newest_of((*path, key))
            self.lines.setdefault(path, line)
        path = (*path, keys[-1])
        if is_list:
            self._tables_of[path] = self._tables_of.get(path, 0) + 1
            self.lines.setdefault(path, line)
            path = self._newest_of(path)
        self._position += 2 if is_list else 1
        self.lines[path] = line
        return path

    def _newest_of(self, path: KeyPath) -> KeyPath:
        """The table that a header means by this path: the last one of a list of tables."""
        count = self._tables_of.get(path)
        return path if count is None else (*path, count - 1)

    def _scan_pair(self, table: KeyPath) -> None:
        line = self._line()
        path = table
        for key in self._scan_key():
            path = (*path, key)
            self.lines.setdefault(path, line)
        self._position += 1  # the equals sign
        self._skip_blank()
        self._scan_value(path)

    def _scan_key(self) -> list[str]:
        keys = []
        while match := _KEY_PART.match(self._text, self._position):
            self._position = match.end()
            keys.append(_unquoted(match[1]))
            if not self._at("."):
                break
            self._position += 1
        return keys

    def _scan_value(self, path: KeyPath) -> None:
        if self._at("["):
            self._scan_list(path)
        elif self._at("{"):
            self._scan_inline_table(path)
        else:
            match = _STRING.match(self._text, self._position)
            match = match or _BARE_VALUE.match(self._text, self._position)
            self._position = match.end() if match else len(self._text)

    def _scan_list(self, path: KeyPath) -> None:
        index = 0
        self._next_entry()
        while self._position < len(self._text) and not self._at("]"):
            self.lines[*path, index] = self._line()
            self._scan_value((*path, index))
            index += 1
            self._next_entry(after_value=True)
        self._position += 1

    def _scan_inline_table(self, path: KeyPath) -> None:
        self._next_entry()
        while self._position < len(self._text) and not self._at("}"):
            self._scan_pair(path)
            self._next_entry(after_value=True)
        self._position += 1

    def _next_entry(self, *, after_value: bool = False) -> None:
        """Go to the next entry, or to the closing bracket."""
        if not after_value:
            self._position += 1
        self._skip_blank()
        if after_value and self._at(","):
            self._position += 1
            self._skip_blank()

    def _at(self, token: str) -> bool:
        return self._text.startswith(token, self._position)

    def _skip_blank(self) -> None:
        match = _BLANK.match(self._text, self._position)
        self._position = match.end() if match else self._position

    def _line(self) -> int:
        return bisect_right(self._line_starts, self._position)


def _unquoted(key: str) -> str:
    if key.startswith("'"):
        return key[1:-1]
    if key.startswith('"'):
        # TOML's escapes are the parser's own business.
        return next(iter(tomllib.loads(f"{key} = 0")))
    return key
