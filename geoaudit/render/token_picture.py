"""The picture of a token laid out: width is time, height is SM fill, empty area is waste.

A long token is folded into strips, as a text is into lines. Launches that run side by side stand
on each other. Launches thinner than a pixel are drawn together, with their mean fill over their
time, so that the areas stay true and the picture small.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from geoaudit.ranking.audit import Audit
from geoaudit.render.launch_stack import StackedPiece, row_verdicts, span, stacked, without_gaps
from geoaudit.render.numbers import count, duration, percent, plural

PLOT_WIDTH = 1100.0
MARGIN_LEFT = 48.0
MARGIN_RIGHT = 30.0
MARGIN_TOP = 8.0
AXIS_HEIGHT = 24.0
TALL_STRIP, SHORT_STRIP = 180.0, 64.0
LAUNCHES_PER_STRIP, MOST_STRIPS = 150, 8
THINNEST = 0.75
TICKS = 8
# Below this share of time in which anything runs, the gaps get a picture of their own.
SPARSE = 0.6


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One launch, or several drawn together, in pixels from the corner of its strip.

    Attributes:
        x, width: when it ran.
        y, height: the SMs it filled.
        verdict: verdict of its row, ``unlisted`` without one, ``unknown`` without a fill.
        title: what it is, names made visible.
    """

    x: float
    width: float
    y: float
    height: float
    verdict: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A label of the time axis."""

    x: float
    label: str


@dataclass(frozen=True, kw_only=True)
class Strip:
    """One line of the picture.

    Attributes:
        y: top of the strip in the picture.
        bars: what ran.
        ticks: labels of its time axis.
    """

    y: float
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]


@dataclass(frozen=True, kw_only=True)
class TokenPicture:
    """The whole picture, in pixels.

    Attributes:
        width, height: of all of it.
        strip_height: of the plot of one strip.
        strips: from top to bottom.
        gaps: the time between launches is in it.
    """

    width: float
    height: float
    strip_height: float
    strips: tuple[Strip, ...]
    gaps: bool


def token_pictures(audit: Audit) -> tuple[TokenPicture, ...]:
    """The pictures of the audit's token; none where it has no launch with a duration.

    The time axis ends where the next token starts, since the pause after the last kernel is a gap
    too. Where most of the time nothing runs, one low strip shows that, and a second picture the
    same launches with the gaps left out.
    """
    launches = sorted(
        (launch for launch in audit.timeline if launch.duration_ns > 0),
        key=lambda launch: launch.start_ns,
    )
    if not launches:
        return ()
    verdicts = row_verdicts(audit)
    closed = without_gaps(launches)
    whole, busy = max(span(launches), audit.pictured_wall_ns or 0.0), span(closed)
    pieces = stacked(launches, verdicts)
    if busy >= SPARSE * whole:
        return (_picture(pieces, whole, gaps=True, most_strips=MOST_STRIPS),)
    return (
        _picture(pieces, whole, gaps=True, most_strips=1),
        _picture(stacked(closed, verdicts), busy, gaps=False, most_strips=MOST_STRIPS),
    )


def picture_title(audit: Audit) -> str:
    """What is pictured: which token of how many, or the start of the trace.

    Whole tokens only; a picture is cut where it would hold too many launches.
    """
    if audit.pictured_token is None:
        return "The start of the trace"
    # Tokens are counted from 0 in the data and from 1 by people.
    number, tokens = count(audit.pictured_token + 1), count(audit.header.tokens)
    return f"Token {number} of {tokens}, the one of median wall time"


def _picture(
    pieces: Sequence[StackedPiece], length: float, *, gaps: bool, most_strips: int
) -> TokenPicture:
    first = min(piece.start for piece in pieces)
    strip_count = max(1, min(most_strips, math.ceil(len(pieces) / LAUNCHES_PER_STRIP)))
    strip_height = TALL_STRIP if strip_count == 1 < most_strips else SHORT_STRIP
    pitch = strip_height + AXIS_HEIGHT
    step = length / strip_count
    strips = tuple(
        _strip(
            pieces, (first, first + index * step, step), MARGIN_TOP + index * pitch, strip_height
        )
        for index in range(strip_count)
    )
    return TokenPicture(
        width=MARGIN_LEFT + PLOT_WIDTH + MARGIN_RIGHT,
        height=MARGIN_TOP + strip_count * pitch,
        strip_height=strip_height,
        strips=strips,
        gaps=gaps,
    )


def _strip(
    pieces: Sequence[StackedPiece], window: tuple[float, float, float], y: float, height: float
) -> Strip:
    origin, start, length = window
    scale = PLOT_WIDTH / length
    cut = [
        replace(
            piece,
            start=(max(piece.start, start) - start) * scale,
            end=(min(piece.end, start + length) - start) * scale,
        )
        for piece in pieces
        if piece.end > start and piece.start < start + length
    ]
    bars = tuple(_bar(piece, y, height) for piece in _merged(cut, 1 / scale))
    return Strip(y=y, bars=bars, ticks=_ticks(start - origin, length))


def _merged(pieces: Iterable[StackedPiece], ns_per_pixel: float) -> list[StackedPiece]:
    merged: list[StackedPiece] = []
    for piece in pieces:
        previous = merged[-1] if merged else None
        if previous is not None and _draw_together(previous, piece):
            merged[-1] = _joined(previous, piece, ns_per_pixel)
        else:
            merged.append(piece)
    return merged


def _draw_together(previous: StackedPiece, piece: StackedPiece) -> bool:
    thin = piece.end - piece.start < THINNEST and previous.end - previous.start < THINNEST
    apart = piece.start - previous.end
    same_kind = (previous.verdict == "unknown") == (piece.verdict == "unknown")
    return thin and 0 <= apart < THINNEST and same_kind and previous.base == piece.base == 0


def _joined(previous: StackedPiece, piece: StackedPiece, ns_per_pixel: float) -> StackedPiece:
    before = previous.busy or previous.end - previous.start
    added = piece.end - piece.start
    area = (previous.area or before * previous.top) + added * piece.top
    busy = before + added
    launches = previous.launches + 1
    fill = "unknown" if piece.verdict == "unknown" else percent(area / busy)
    return StackedPiece(
        start=previous.start,
        end=previous.start + busy,
        base=0.0,
        top=area / busy,
        verdict=previous.verdict if previous.verdict == piece.verdict else "mixed",
        title=(
            f"{plural(launches, 'launch', 'launches')} too short to draw apart · "
            f"{duration(busy * ns_per_pixel)} in all · SM fill {fill}"
        ),
        launches=launches,
        busy=busy,
        area=area,
    )


def _bar(piece: StackedPiece, y: float, height: float) -> Bar:
    return Bar(
        x=round(MARGIN_LEFT + piece.start, 2),
        width=round(max(piece.end - piece.start, 0.05), 2),
        y=round(y + height * (1 - piece.top), 2),
        height=round(height * (piece.top - piece.base), 2),
        verdict=piece.verdict,
        title=piece.title,
    )


def _ticks(start: float, length: float) -> tuple[Tick, ...]:
    step = _round_step(length / TICKS)
    unit, divisor = ("ms", 1e6) if step >= 1e6 else ("µs", 1e3)
    first = math.ceil(start / step)
    last = math.floor((start + length) / step)
    return tuple(
        Tick(
            x=round(MARGIN_LEFT + (index * step - start) / length * PLOT_WIDTH, 2),
            label=f"{index * step / divisor:,.10g} {unit}",
        )
        for index in range(first, last + 1)
    )


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
