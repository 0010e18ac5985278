"""The launches that the steps of a manifest list, each with what is set around it."""

from collections.abc import Iterator
from dataclasses import dataclass

from geoaudit.manifest.location import KeyPath
from geoaudit.shardcheck.manifest.document import Document, UnreadableError

MOST_NESTED = 20
Sets = tuple[KeyPath, ...]


@dataclass(frozen=True, kw_only=True)
class LaunchItem:
    """An entry of ``launches`` that a step reaches.

    Attributes:
        path: of the entry.
        kernel: name of the kernel's table.
        segment: what tells it apart: the named segment it is listed in, the range of one that has
            no name, or the step.
        sets: key paths of the tables ``set`` around it and of its own, outermost first.
    """

    path: KeyPath
    kernel: str
    segment: str
    sets: Sets


def launch_items(document: Document) -> Iterator[LaunchItem]:
    """Every launch of every step, once for each combination of what is set around it.

    Raises:
        UnreadableError: a step or a segment is not what it has to be.
    """
    walk = _Walk(document)
    for name in document.table(("steps",)):
        yield from walk.segment(("steps", name), name, (), 0)


class _Walk:
    """Goes through segments, through each once under what is set around it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._seen: set[tuple[KeyPath, Sets]] = set()

    def segment(self, path: KeyPath, label: str, around: Sets, depth: int) -> Iterator[LaunchItem]:
        table = self._document.table(path)
        if depth > MOST_NESTED:
            raise UnreadableError(self._document.line(path), "segments are nested too deeply")
        if (path, around) in self._seen or table.get("repeat") == 0:
            return
        self._seen.add((path, around))
        sets = self._with_set(path, around)
        for number in range(self._entries((*path, "launches"))):
            yield from self._launch((*path, "launches", number), label, sets)
        for number in range(self._entries((*path, "segments"))):
            inner = (*path, "segments", number)
            named = self._document.table(inner).get("range")
            inner_label = named if named and isinstance(named, str) else label
            yield from self.segment(inner, inner_label, sets, depth + 1)
        name = table.get("segment")
        if isinstance(name, str):
            if self._document.value(("segments", name)) is None:
                line = self._document.line((*path, "segment"))
                raise UnreadableError(line, f"{name} is no segment of this manifest")
            yield from self.segment(("segments", name), name, sets, depth + 1)

    def _entries(self, path: KeyPath) -> int:
        found = self._document.value(path)
        if found is not None and not isinstance(found, list):
            raise UnreadableError(self._document.line(path), f"{path[-1]} is no list")
        return len(found or ())

    def _launch(self, path: KeyPath, label: str, around: Sets) -> Iterator[LaunchItem]:
        entry = self._document.value(path)
        if isinstance(entry, str):
            yield LaunchItem(path=path, kernel=entry, segment=label, sets=around)
        elif isinstance(entry, dict) and isinstance(entry.get("kernel"), str):
            sets = self._with_set(path, around)
            yield LaunchItem(path=path, kernel=entry["kernel"], segment=label, sets=sets)
        elif not isinstance(entry, dict) or "all_reduce" not in entry:
            raise UnreadableError(self._document.line(path), "a launch that names no kernel")

    def _with_set(self, path: KeyPath, around: Sets) -> Sets:
        own = (*path, "set")
        return (*around, own) if self._document.table(own) else around
