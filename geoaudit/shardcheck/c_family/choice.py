"""Which reading of each function is taken: the one that was understood best."""

import re
from bisect import bisect_left

from geoaudit.shardcheck.c_family.definitions import DEVICE_ONLY
from geoaudit.shardcheck.c_family.items import Context, Item, items_below
from geoaudit.shardcheck.c_family.readings import Candidate, Readings, candidate
from geoaudit.shardcheck.c_family.source_text import SourceText

_KERNEL = re.compile(rb"__global__")


class Spans:
    """Stretches of a file that do not overlap."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def overlap(self, start: int, end: int) -> bool:
        """Whether a stretch meets one of them."""
        index = bisect_left(self._ends, start + 1)
        return index < len(self._starts) and self._starts[index] < end

    def add(self, start: int, end: int) -> None:
        """Adds one that overlaps none."""
        index = bisect_left(self._starts, start)
        self._starts.insert(index, start)
        self._ends.insert(index, end)


def chosen_items(source: SourceText, readings: Readings) -> list[Item]:
    """Functions, classes, declarations and statements of a file, in order, none twice."""
    raw = list(items_below(readings.raw, readings.raw.root, Context()))
    if not readings.raw.root.has_error:
        return raw
    functions, others = _sorted_out(raw)
    is_damaged = any(item.context.is_damaged for item in raw)
    for parsed in readings.branches() if is_damaged else ():
        more, more_others = _sorted_out(list(items_below(parsed, parsed.root, Context())))
        functions += more
        others += more_others
    spans = Spans()
    chosen = _take(spans, [one for one in functions if one.is_clean])
    chosen += _take(spans, _of_islands(source, readings, spans))
    chosen += _take(spans, [one for one in functions if not one.is_clean])
    chosen += _others(spans, others)
    chosen.sort(key=lambda one: (one.start, one.item.is_function))
    return [one.item for one in chosen]


def _sorted_out(items: list[Item]) -> tuple[list[Candidate], list[Candidate]]:
    functions = [candidate(item) for item in items if item.is_function]
    return functions, [candidate(item) for item in items if not item.is_function]


def _take(spans: Spans, candidates: list[Candidate]) -> list[Candidate]:
    """Those that overlap none taken before: well placed first, then those with fewer errors."""
    taken: list[Candidate] = []
    for one in sorted(candidates, key=lambda one: (one.errors, one.item.context.is_damaged)):
        if not spans.overlap(one.start, one.end):
            spans.add(one.start, one.end)
            taken.append(one)
    return taken


def _of_islands(source: SourceText, readings: Readings, spans: Spans) -> list[Candidate]:
    """Functions by themselves, where no reading of the whole file understood them."""
    found: list[Candidate] = []
    for island in readings.islands:
        if spans.overlap(island.start, island.end):
            continue
        header = source.code[island.start : island.body]
        is_device = DEVICE_ONLY.search(header) and not _KERNEL.search(header)
        if is_device and source.code.find(b"<<<", island.body, island.end) < 0:
            continue
        found += readings.of_island(island)
    return found


def _others(spans: Spans, others: list[Candidate]) -> list[Candidate]:
    """What is no function: each once, and none from inside a function that was taken."""
    best: dict[tuple[int, str], Candidate] = {}
    for one in others:
        key = (one.start, one.item.node.type)
        if key not in best or one.errors < best[key].errors:
            best[key] = one
    return [one for one in best.values() if not spans.overlap(one.start, one.start + 1)]
