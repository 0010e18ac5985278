"""What was predicted beside what was recorded, in words and cells: one place for all formats."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from geoaudit.quantities import CANNOT_TELL, count, percent, plural
from geoaudit.shardcheck.listing import Agreement, ComparedLaunch, Listing

AGREEMENT_TITLE = "predicted and recorded"
MOST_BLOCKS = 3
MOST_TOLD = 20
LEGEND = (
    "Blocks: = recorded as predicted, by any launch of the kernel; ≠ recorded with others; "
    "– predicted and not recorded; ? cannot tell. ↓ fewer at the most ranks than at the fewest."
)


def agreement_headings(listing: Listing) -> list[str]:
    """Headings of the cells of `agreement_rows`; the first two are of names."""
    agreement = listing.agreement
    if agreement is None:
        return []
    figures = [f"{listing.by} {ranks}" for ranks in agreement.ranks]
    first, last = agreement.ranks[0], agreement.ranks[-1]
    return ["kernel", "in", *figures, *[f"SM fill, {first} → {last}"] * (first != last)]


def compared_launches(agreement: Agreement) -> tuple[ComparedLaunch, ...]:
    """The launches that were recorded: those that shrank first, the emptiest of them first."""
    recorded = [one for one in agreement.launches if one.is_recorded]
    return tuple(sorted(recorded, key=lambda one: _order(one, agreement)))


def agreement_rows(listing: Listing) -> list[list[str]]:
    """Kernel, function, blocks at each number of ranks and how full the SMs are; see `LEGEND`."""
    agreement = listing.agreement
    if agreement is None:
        return []
    return [_row(one, agreement, listing.sms) for one in compared_launches(agreement)]


def agreement_sentences(listing: Listing) -> tuple[str, ...]:
    """How many signatures agree, what shrank, what has no counterpart, what is left out."""
    agreement = listing.agreement
    if agreement is None:
        return ()
    at = ", ".join(f"{listing.by} {ranks}" for ranks in agreement.ranks)
    told = [
        f"{count(agreement.agreeing)} of {plural(agreement.signatures, 'launch signature')} "
        f"agree at {at}"
    ]
    told += _shrinking(listing, agreement)
    told += _unpredicted(listing, agreement)
    told += _never_recorded(agreement)
    left = [
        (agreement.communication, "of collectives"),
        (agreement.libraries, "of libraries"),
        (agreement.without_grid, "without a grid"),
    ]
    parts = [f"{count(number)} {what}" for number, what in left if number]
    told += [f"left out of the recorded launches: {', '.join(parts)}"] * bool(parts)
    return tuple(told)


def is_disagreeing(cells: Sequence[str]) -> bool:
    """Whether a row of cells has one that differs, or that cannot be told."""
    return any("≠" in cell or cell.startswith(CANNOT_TELL) for cell in cells[2:])


def blocks_at(launch: ComparedLaunch, ranks: int) -> int | None:
    """Blocks that were predicted and recorded; None: they do not agree."""
    return launch.predicted[ranks] if launch.outcomes[ranks] == "agrees" else None


def shrinks(launch: ComparedLaunch, agreement: Agreement) -> bool:
    """Whether it was recorded with fewer blocks at the most ranks than at the fewest."""
    first, last = (blocks_at(launch, agreement.ranks[place]) for place in (0, -1))
    return first is not None and last is not None and last < first


def _order(launch: ComparedLaunch, agreement: Agreement) -> tuple[object, ...]:
    last = blocks_at(launch, agreement.ranks[-1])
    is_disagreeing = any(one in ("differs", "unknown") for one in launch.outcomes.values())
    place = (launch.path, launch.lines)
    return not is_disagreeing, not shrinks(launch, agreement), last or 0, place


def _row(launch: ComparedLaunch, agreement: Agreement, sms: int) -> list[str]:
    times = f" × {len(launch.lines)}" if len(launch.lines) > 1 else ""
    row = [f"{launch.kernel}{times}", launch.function or launch.path]
    row += [_cell(launch, ranks) for ranks in agreement.ranks]
    if agreement.ranks[0] != agreement.ranks[-1]:
        fills = [_fill(blocks_at(launch, agreement.ranks[place]), sms) for place in (0, -1)]
        arrow = "↓ " if shrinks(launch, agreement) else ""
        row.append(f"{arrow}{percent(fills[0])} → {percent(fills[1])}")
    return row


def _fill(blocks: int | None, sms: int) -> float | None:
    return None if blocks is None else min(1.0, blocks / sms)


def _cell(launch: ComparedLaunch, ranks: int) -> str:
    recorded = launch.recorded[ranks]
    shown = ", ".join(count(blocks) for blocks in recorded[:MOST_BLOCKS])
    shown += " …" * (len(recorded) > MOST_BLOCKS)
    predicted = count(launch.predicted[ranks])
    match launch.outcomes[ranks]:
        case "agrees":
            return f"= {predicted}"
        case "differs":
            return f"{predicted} ≠ {shown}"
        case "not_recorded":
            return f"{predicted} –"
        case _:
            return f"{CANNOT_TELL} {shown}".rstrip()


def _shrinking(listing: Listing, agreement: Agreement) -> list[str]:
    first, last = agreement.ranks[0], agreement.ranks[-1]
    found = [one for one in agreement.launches if shrinks(one, agreement)]
    if first == last or not found:
        return []
    recorded = sum(len(one.lines) for one in agreement.launches if one.is_recorded)
    short = [one for one in found if 2 * (blocks_at(one, last) or 0) < listing.sms]
    return [
        f"{_launches(found)} of {plural(recorded, 'recorded launch', 'recorded launches')} shrank "
        f"from {listing.by} {first} to {listing.by} {last}; with fewer blocks than half of "
        f"{listing.sms} SMs at {listing.by} {last}: {_launches(short)}"
    ]


def _launches(compared: Iterable[ComparedLaunch]) -> str:
    return count(sum(len(one.lines) for one in compared))


def _unpredicted(listing: Listing, agreement: Agreement) -> list[str]:
    found: dict[tuple[int, str], list[int]] = defaultdict(list)
    for one in agreement.unpredicted:
        found[one.ranks, one.kernel].append(one.blocks)
    told = [
        f"recorded at {listing.by} {ranks}, and predicted by no launch: {kernel} with "
        f"{_blocks(blocks, ', ')}"
        for (ranks, kernel), blocks in found.items()
    ]
    return _first_of(told, "recorded kernel")


def _never_recorded(agreement: Agreement) -> list[str]:
    found: dict[str, list[ComparedLaunch]] = defaultdict(list)
    for one in agreement.launches:
        if not one.is_recorded:
            found[one.function].append(one)
    told = []
    for function, several in found.items():
        launches = [
            f"{one.kernel} with {_blocks(one.predicted.values(), ' / ')}" for one in several
        ]
        within = f" in {function}" * bool(function)
        told.append(f"predicted{within}, and never recorded: {', '.join(launches)}")
    return _first_of(told, "function")


def _first_of(told: list[str], what: str) -> list[str]:
    more = len(told) - MOST_TOLD
    rest = [f"and {plural(more, f'more {what}')} so (--format json lists all)"] * (more > 0)
    return [*told[:MOST_TOLD], *rest]


def _blocks(numbers: Iterable[int | None], between: str) -> str:
    told = between.join(dict.fromkeys(count(one) for one in numbers))
    return f"{told} {'block' if told == '1' else 'blocks'}"
