"""The readings of a file: as it is, with one branch of each ``#if``, and function by function."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from geoaudit.shardcheck.c_family.blocks import with_blocks
from geoaudit.shardcheck.c_family.conditionals import (
    Conditional,
    branch_at,
    conditionals,
    first_branch,
    last_branch,
    with_branches,
)
from geoaudit.shardcheck.c_family.islands import Island, islands
from geoaudit.shardcheck.c_family.items import Context, Item, items_below
from geoaudit.shardcheck.c_family.source_text import SourceText
from geoaudit.shardcheck.c_family.syntax import Parsed, error_size, parse

_CONTINUED = re.compile(rb"\\\r?\n")
_LINE = re.compile(rb"^[A-Za-z_].*\(", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A reading of an item: its bytes in the file, and how much of it was not understood."""

    item: Item
    start: int
    end: int
    errors: int

    @property
    def is_clean(self) -> bool:
        """Whether all of it was understood."""
        return self.errors == 0


def candidate(item: Item) -> Candidate:
    """A reading of an item as the tree has it."""
    errors = error_size(item.node) if item.node.has_error else 0
    return Candidate(item=item, start=item.start, end=item.end, errors=errors)


@dataclass(frozen=True)
class Readings:
    """Makes the readings of a file, each once."""

    source: SourceText

    @cached_property
    def _conditionals(self) -> list[Conditional]:
        return conditionals(self.source.code)

    @cached_property
    def raw(self) -> Parsed:
        """The file as it is."""
        return parse(self.source.data, first_line=self.source.first_line)

    @cached_property
    def _first_text(self) -> bytes:
        return with_branches(self.source.data, self._conditionals, first_branch)

    @cached_property
    def _last_text(self) -> bytes:
        return with_branches(self.source.data, self._conditionals, last_branch)

    def branches(self) -> Iterator[Parsed]:
        """The file with the first, then with the last branch of each ``#if``."""
        if self._conditionals:
            yield parse(self._first_text, first_line=self.source.first_line)
            yield parse(self._last_text, first_line=self.source.first_line)

    @cached_property
    def islands(self) -> list[Island]:
        """Functions by their braces, of the first branches, then of the last ones."""
        first = islands(self._first_text)
        known = {island.body for island in first}
        return first + [one for one in islands(self._last_text) if one.body not in known]

    def islands_at(self, offset: int) -> list[Island]:
        """The function around an offset, with the branches of ``#if`` in which it stands."""
        text = with_branches(self.source.data, self._conditionals, branch_at(offset))
        return [island for island in islands(text) if island.body < offset < island.end]

    def of_island(self, island: Island, offset: int | None = None) -> list[Candidate]:
        """The best reading of a function by itself; with the branches that keep an offset."""
        best: list[Candidate] = []
        fewest = -1
        for text in self._texts(island, offset):
            found = self._read(island, text)
            errors = sum(one.errors for one in found)
            if found and (fewest < 0 or errors < fewest):
                best, fewest = found, errors
            if fewest == 0:
                return best
        shorter = self._shorter(island)
        again = self.of_island(shorter, offset) if shorter.start > island.start else []
        if again and (fewest < 0 or sum(one.errors for one in again) < fewest):
            return again
        return best

    def _shorter(self, island: Island) -> Island:
        """From the last line of its header that is not indented: what is before may not belong."""
        lines = [match.start() for match in _LINE.finditer(self.source.data, *island.header)]
        return replace(island, start=max(lines, default=island.start))

    def _texts(self, island: Island, offset: int | None) -> Iterator[bytes]:
        if not self._is_read(island):
            yield self._first_text[island.start : island.body] + b"{}"
            return
        whole = [self.source.data, self._first_text, self._last_text]
        if offset is not None:
            whole = [with_branches(self.source.data, self._conditionals, branch_at(offset))]
        cuts = list(dict.fromkeys(text[island.start : island.end] for text in whole))
        yield from cuts
        for cut in cuts:
            head = island.body - island.start
            changed = cut[:head] + with_blocks(cut[head:])
            if changed != cut:
                yield changed

    def _is_read(self, island: Island) -> bool:
        """Whether its body matters: a kernel's does not, unless it launches."""
        code = self.source.code
        is_kernel = code.find(b"__global__", island.start, island.body) >= 0
        return not is_kernel or code.find(b"<<<", island.body, island.end) >= 0

    def _expanded(self, header: bytes) -> bytes:
        """A header; where it is a macro, what that stands for, on as many lines."""
        name = header.strip()
        if b"(" in name:
            return header
        for define in self.source.defines:
            if define.name.encode() == name and define.parameters is None:
                body = self.source.data[define.body_start : define.body_end]
                return header.replace(name, _CONTINUED.sub(b" ", body), 1)
        return header.replace(name, b"void " + name + b"()", 1)

    def _read(self, island: Island, text: bytes) -> list[Candidate]:
        head = island.body - island.start
        expanded = self._expanded(text[:head])
        before = f"struct {island.owner} {{".encode() if island.owner else b""
        parsed = parse(
            before + expanded + text[head:] + (b"};" if before else b""),
            first_line=self.source.line(island.start),
            first_byte=island.start - len(before) - (len(expanded) - head),
        )
        context = Context(namespace=island.namespace, is_hidden=island.is_hidden)
        items = [item for item in items_below(parsed, parsed.root, context) if item.is_function]
        errors = error_size(parsed.root) if parsed.root.has_error else 0
        return [
            Candidate(item=item, start=island.start, end=island.end, errors=errors)
            for item in items[:1]
        ]
