"""A step written out: its launches in order, with the ranges that open and close between them."""

from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.manifest.arithmetic import LARGEST_INTEGER
from geoaudit.manifest.environment import Environment, resolve_symbol, settle, whole_number
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.model import AllReduce, Launch, Segment

MOST_LAUNCHES = 200_000
"""How many launches, openings and closings of ranges one token may have."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Site:
    """A launch with the symbols of its place; the same object wherever it is repeated.

    Attributes:
        launch: as listed.
        environment: what symbols are worth there.
    """

    launch: Launch
    environment: Environment


@dataclass(frozen=True, kw_only=True)
class Opening:
    """A range begins here.

    Attributes:
        name: its name.
    """

    name: str


@dataclass(frozen=True, kw_only=True)
class Closing:
    """The innermost range ends here."""


Event = Site | AllReduce | Opening | Closing


def expand(symbols: Mapping[str, Formula], step: Segment, outer: Environment) -> list[Event]:
    """The launches of a step, in order, with their ranges.

    Args:
        symbols: name -> formula, each after those it uses.
        step: a step of the same manifest.
        outer: what symbols are worth around it.

    Raises:
        ManifestError: a formula cannot be worked out, or there are too many launches.
    """
    return _Expansion(symbols=symbols).events(step, outer)


@dataclass(kw_only=True)
class _Expansion:
    symbols: Mapping[str, Formula]
    _segments: int = 0

    def events(self, segment: Segment, outer: Environment) -> list[Event]:
        # Counted, because segments that launch nothing could still nest without end.
        self._segments += 1
        self._check(segment, self._segments)
        repeats = 1
        if segment.repeat is not None:
            repeats = whole_number(segment.repeat, outer.values, minimum=0, maximum=LARGEST_INTEGER)
        if repeats == 0:
            return []
        once = self._once(segment, self._within(outer, segment.sets))
        self._check(segment, len(once) * repeats)
        return once * repeats

    def _once(self, segment: Segment, inner: Environment) -> list[Event]:
        events: list[Event] = [Opening(name=segment.range)] if segment.range else []
        for member in segment.members:
            if isinstance(member, Launch):
                environment = self._within(inner, member.sets)
                events.append(Site(launch=member, environment=environment))
            elif isinstance(member, AllReduce):
                events.append(member)
            else:
                events.extend(self.events(member, inner))
            self._check(segment, len(events))
        return [*events, Closing()] if segment.range else events

    def _within(self, outer: Environment, sets: Mapping[str, Formula]) -> Environment:
        if not sets:
            return outer
        given = {name: resolve_symbol(formula, outer.values) for name, formula in sets.items()}
        return settle(self.symbols, {**outer.given, **given})

    def _check(self, segment: Segment, count: int) -> None:
        if count > MOST_LAUNCHES:
            raise segment.location.error(
                f"more than {MOST_LAUNCHES} launches, ranges or segments in one token; repeat less"
            )
