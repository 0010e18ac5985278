"""The segments and launches of a step, each once however often it runs."""

from collections.abc import Iterator

from geoaudit.manifest.model import Launch, Segment


def distinct_segments(segment: Segment) -> tuple[Segment, ...]:
    """A segment and all that it holds, each once, outer ones before inner ones."""
    found: dict[int, Segment] = {}
    waiting = [segment]
    while waiting:
        one = waiting.pop()
        if id(one) not in found:
            found[id(one)] = one
            waiting.extend(member for member in one.members if isinstance(member, Segment))
    return tuple(found.values())


def distinct_launches(segment: Segment) -> Iterator[Launch]:
    """All launches that a segment lists, each once."""
    for one in distinct_segments(segment):
        yield from (member for member in one.members if isinstance(member, Launch))
