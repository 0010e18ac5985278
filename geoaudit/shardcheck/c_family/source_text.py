"""A file as text: comments and strings blanked, positions, preprocessor lines, launches."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_TOKENS = re.compile(
    rb"//(?:[^\\\n]|\\\r?\n|\\.)*"
    rb"|/\*.*?(?:\*/|\Z)"
    rb'|R"([^()\\\s]{0,16})\(.*?\)\1"'
    rb'|"(?:[^"\\\n]|\\.)*"'
    rb"|'(?<![0-9A-Fa-f]')(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)
BLANK = bytes(10 if byte == 10 else 32 for byte in range(256))
_TABLE = re.compile(rb"(?<=\{)[\s\w.,+-]{20000,}(?=\})")
_DEFINE = re.compile(
    rb"#[ \t]*define[ \t]+(\w+)(\((?:[^()\\]|\\\r?\n)*\))?((?:[^\\\n]|\\\r?\n|\\.)*)"
)
_UNDEFINE = re.compile(rb"#[ \t]*undef[ \t]+(\w+)")
_USING = re.compile(
    rb"\busing\s+namespace\s+(?P<all>[\w:]+)\s*;"
    rb"|\busing\s+(?P<one>\w*(?:::\w+)+)\s*;"
    rb"|\bnamespace\s+(?P<alias>\w+)\s*=\s*(?P<of>[\w:]+)\s*;"
)
_INCLUDE = re.compile(rb'#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]')


@dataclass(frozen=True, kw_only=True)
class Define:
    """A ``#define``: offsets of its name and of its body, parameters None for a constant."""

    name: str
    parameters: tuple[str, ...] | None
    start: int
    body_start: int
    body_end: int


@dataclass(frozen=True)
class SourceText:
    """The bytes of a file and what is found in them without a parser.

    Attributes:
        data: UTF-8.
        first_line: number of the first line, 1 but for a text inside another file.
    """

    data: bytes
    first_line: int = 1

    @cached_property
    def _blanked(self) -> tuple[bytes, tuple[tuple[int, int], ...]]:
        comments: list[tuple[int, int]] = []

        def blank(match: re.Match[bytes]) -> bytes:
            token = match.group()
            if token[:1] == b"/":
                comments.append(match.span())
                return token.translate(BLANK)
            if len(token) < 2:
                return token
            return token[:1] + token[1:-1].translate(BLANK) + token[-1:]

        code = _TOKENS.sub(blank, self.data)
        return code, tuple(comments)

    @property
    def code(self) -> bytes:
        """The text with comments and the inside of strings as spaces; offsets stay."""
        return self._blanked[0]

    @property
    def comments(self) -> tuple[tuple[int, int], ...]:
        """Start and end of every comment."""
        return self._blanked[1]

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer(rb"\n", self.data)]

    def line(self, offset: int) -> int:
        """Line of an offset in bytes."""
        return self.first_line + bisect_left(self._line_ends, offset)

    @property
    def last_line(self) -> int:
        """Number of the last line."""
        return self.first_line + len(self._line_ends)

    def line_text(self, line: int) -> bytes:
        """Code of a line, without comments and the inside of strings."""
        ends = self._line_ends
        index = line - self.first_line
        if index > len(ends):
            return b""
        start = ends[index - 1] + 1 if index else 0
        return self.code[start : ends[index] if index < len(ends) else None]

    @cached_property
    def defines(self) -> tuple[Define, ...]:
        """Every ``#define`` of the file, in order."""
        return tuple(
            _define(match)
            for match in _DEFINE.finditer(self.code)
            if self._begins_line(match.start())
        )

    @cached_property
    def undefinitions(self) -> tuple[tuple[str, int], ...]:
        """Name and offset of every ``#undef``, in order."""
        return tuple(
            (match.group(1).decode("utf-8", "replace"), match.start(1))
            for match in _UNDEFINE.finditer(self.code)
            if self._begins_line(match.start())
        )

    def usings(self) -> Iterator[tuple[str, str]]:
        """Local name and what it stands for, of ``using`` and of aliases of namespaces.

        ``using namespace a`` has no local name.
        """
        for match in _USING.finditer(self.code):
            whole, one, alias, of = (
                (match[name] or b"").decode("utf-8", "replace")
                for name in ("all", "one", "alias", "of")
            )
            yield alias or one.rpartition("::")[2], (whole or one or of).removeprefix("::")

    def open_end(self, define: Define) -> int | None:
        """Where a body ends that is a launch without its arguments; None: it is none."""
        body = self.code[define.body_start : define.body_end].rstrip()
        return define.body_start + len(body) if body.endswith(b">>>") else None

    def _begins_line(self, offset: int) -> bool:
        start = self.code.rfind(b"\n", 0, offset) + 1
        return not self.code[start:offset].strip()

    def includes(self) -> Iterator[str]:
        """Paths of ``#include`` lines, as written."""
        for match in _INCLUDE.finditer(self.data):
            if self._begins_line(match.start()):
                yield match.group(1).decode("utf-8", "replace")


def with_closed_brackets(text: str) -> str:
    """A part of a source with the parentheses closed that it leaves open, and a statement's end."""
    code = SourceText(text.encode("utf-8", "replace")).code
    still_open = code.count(b"(") - code.count(b")")
    if still_open <= 0:
        return text
    return text.rstrip().removesuffix(",") + ")" * still_open + ";"


def without_tables(data: bytes) -> bytes:
    """A text whose very long initialisers of plain numbers, embedded data, are blank."""
    return _TABLE.sub(lambda match: match.group().translate(BLANK), data)


def _define(match: re.Match[bytes]) -> Define:
    parameters = None
    if match.group(2) is not None:
        inside = match.group(2)[1:-1].replace(b"\\", b" ").decode("utf-8", "replace")
        parameters = tuple(part.strip() for part in inside.split(",") if part.strip())
    return Define(
        name=match.group(1).decode("utf-8", "replace"),
        parameters=parameters,
        start=match.start(1),
        body_start=match.start(3),
        body_end=match.end(3),
    )
