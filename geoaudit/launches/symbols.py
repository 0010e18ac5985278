"""Reading demangled C++ names: brackets matched once, then scanned without backtracking."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_OPENERS = frozenset("([{<")
# The brackets within an operator's name are none: they are shifted out of the way while scanning.
_OPERATOR = re.compile(r"\boperator\s?(\(\)|\[\]|<=>|<<=?|>>=?|->\*?|<=|>=|<|>)")
_SHIFT = 0xE000
_HIDDEN = {ord(sign): _SHIFT + ord(sign) for sign in "()[]<>=-*"}
_SHOWN = {shifted: sign for sign, shifted in _HIDDEN.items()}
# Parts that say nothing about which kernel it is, in the spellings of GNU, EDG, LLVM and nsys.
_NOISE = re.compile(
    r"\(anonymous namespace\)::|<unnamed>::|\{anonymous\}::|`anonymous namespace'::"
    r"|_GLOBAL__N__[0-9a-zA-Z_]{1,200}::|\(\.kd\)|\.kd$|(?<=\))\sconst\b|\[abi:\w{1,40}\]"
    r"|\[clone [^\[\]]*\]"
)
_LAMBDA_NAME = re.compile(r"'?(lambda|unnamed)\b.*|\$_\d+")


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a qualified name.

    Attributes:
        name: its identifier; empty for a lambda.
        template: (start, end) of its template arguments in the symbol's text, or None.
        is_lambda: a lambda, which has no name.
    """

    name: str
    template: tuple[int, int] | None
    is_lambda: bool = False


class Symbol:
    """A demangled name whose brackets are matched, so that any part of it can be read."""

    def __init__(self, name: str) -> None:
        self.text = _OPERATOR.sub(
            lambda match: "operator" + match[1].translate(_HIDDEN), _NOISE.sub("", name)
        )
        self._close = _matching(self.text)

    def path(self, span: tuple[int, int] | None = None) -> list[Component]:
        """The qualified name in a span of the text; by default, of the function itself.

        Returns:
            The parts of the last name that has an argument list, or of the last name where none
            has one (so that a return type is passed over); empty where there is no name.
        """
        start, end = span or (0, len(self.text))
        called: list[Component] = []
        last: list[Component] = []
        for components, has_arguments in self._names(start, end):
            last = components
            if has_arguments:
                called = components
        return called or last

    def arguments(self, span: tuple[int, int]) -> list[tuple[int, int]]:
        """The spans of the comma-separated arguments in a span of the text."""
        start, end = span
        spans, index = [], start
        while index < end:
            closing = self._close.get(index)
            if closing is not None and closing < end:
                index = closing
            elif self.text[index] == ",":
                spans.append((start, index))
                start = index + 1
            index += 1
        return [*spans, (start, end)]

    def unwrapped(self, span: tuple[int, int]) -> tuple[int, int]:
        """A span without the ``&( )`` that a function as template argument is written in."""
        start, end = span
        while start < end and (self.text[start].isspace() or self.text[start] == "&"):
            start += 1
        if start < end and self.text[start] == "(" and self._close.get(start) == end - 1:
            return start + 1, end - 1
        return span

    def _names(self, start: int, end: int) -> Iterator[tuple[list[Component], bool]]:
        """Each blank-separated qualified name in a span, and whether arguments follow it."""
        reader = _NameReader()
        index = start
        while index < end:
            character, closing = self.text[index], self._close.get(index)
            if closing is not None and closing < end:
                reader.bracket(character, (index + 1, closing))
                index = closing
            elif character == ":" and self.text.startswith("::", index):
                reader.part()
                index += 1
            elif character.isspace() or character in "*&":
                if reader.part():
                    yield reader.components, reader.has_arguments
                reader = _NameReader()
            else:
                reader.characters.append(character)
            index += 1
        if reader.part():
            yield reader.components, reader.has_arguments


class _NameReader:
    """Collects one qualified name part by part."""

    def __init__(self) -> None:
        self.components: list[Component] = []
        self.characters: list[str] = []
        self.template: tuple[int, int] | None = None
        self.has_arguments = False
        self.is_lambda = False

    def bracket(self, opener: str, span: tuple[int, int]) -> None:
        if opener == "<":
            self.template = span
        elif opener == "(":
            # A cast such as (int)4 stands before any name and is no argument list.
            self.has_arguments = self.has_arguments or bool(self.characters or self.components)
        else:
            self.is_lambda = True

    def part(self) -> bool:
        """End the current part; whether the name has any."""
        name = "".join(self.characters).translate(_SHOWN)
        is_lambda = self.is_lambda or _LAMBDA_NAME.fullmatch(name) is not None
        if name or is_lambda:
            self.components.append(
                Component(
                    name="" if is_lambda else name, template=self.template, is_lambda=is_lambda
                )
            )
        self.characters, self.template, self.is_lambda = [], None, False
        return bool(self.components)


def _matching(text: str) -> dict[int, int]:
    """Position of each opening bracket that is closed -> position that closes it.

    An angle bracket inside parentheses that none opened there is a comparison; one that is never
    closed, or closed by another kind, is no bracket.
    """
    close: dict[int, int] = {}
    stack: list[int] = []
    open_of = dict.fromkeys("([{<", 0)
    for index, character in enumerate(text):
        if character in _OPENERS:
            stack.append(index)
            open_of[character] += 1
            continue
        opener = _CLOSERS.get(character)
        if opener is None or not open_of[opener]:
            continue
        if opener == "<" and text[stack[-1]] != "<":
            continue
        while text[stack[-1]] != opener:
            open_of[text[stack.pop()]] -= 1
        start = stack.pop()
        open_of[opener] -= 1
        close[start] = index
    return close
