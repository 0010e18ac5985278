"""What a recording of a distributed run lacks, and which rank a warning is of."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from geoaudit.launches.rank_words import missing_ranks_sentence, ranks_named
from geoaudit.launches.ranks import ranks_held, ranks_missing
from geoaudit.launches.recording import Recording

_CUT = "cut; only its complete part was read"


def with_missing_ranks(recording: Recording) -> Recording:
    """A data set that is partial where ranks of its run have no launch in it, and warns of it.

    A data set is meant to hold a whole run: a rank that is not in it failed, or was not recorded.
    """
    metadata = recording.metadata
    missing = ranks_missing(recording.launches, metadata.ranks)
    if not missing or metadata.ranks is None:
        return recording
    held = ranks_named(ranks_held(recording.launches))
    warning = (
        f"{missing_ranks_sentence(missing, metadata.ranks)}: all figures are of {held}, and how "
        "long they wait for what is missing cannot be told"
    )
    return replace(
        recording,
        metadata=replace(
            metadata, missing_ranks=missing, partial=True, warnings=(*metadata.warnings, warning)
        ),
    )


def with_rank_alone(recording: Recording) -> Recording:
    """A single file that warns where its run has more ranks than it holds.

    It is not partial by that: one rank out of several is what a recording of one process holds on
    purpose, on each machine of a larger run or where one rank was picked, and every figure of that
    rank is whole. Only what takes several ranks, waiting and skew, cannot be told of it.
    """
    metadata = recording.metadata
    missing = ranks_missing(recording.launches, metadata.ranks)
    if not missing or metadata.ranks is None:
        return recording
    held = ranks_named(ranks_held(recording.launches))
    warning = (
        f"this is {held} of {metadata.ranks:,} alone: what the others launch, and how long ranks "
        "wait for each other, is not in it"
    )
    return replace(recording, metadata=replace(metadata, warnings=(*metadata.warnings, warning)))


def joined_warnings(parts: Sequence[Recording]) -> tuple[str, ...]:
    """The warnings of all parts, each once; with its rank in front where not all parts have it.

    A part that was cut is named where others were not, since the joined recording only says that
    it is partial.
    """
    told = [part.metadata.warnings for part in parts]
    shared = set(told[0]).intersection(*told)
    cut = [part.metadata.partial for part in parts]
    found = []
    for part, lines in zip(parts, told, strict=True):
        held = ranks_held(part.launches)
        before = f"rank {held[0]}: " if len(held) == 1 else ""
        if before and part.metadata.partial and not all(cut):
            found.append(f"{before}{_CUT}")
        found += [line if line in shared else f"{before}{line}" for line in lines]
    return tuple(dict.fromkeys([*found, *_held_twice(parts)]))


def _held_twice(parts: Sequence[Recording]) -> list[str]:
    """A sentence for each rank that several parts hold: a helper process, or a part of another run.

    All of them count, so that one copy too many would double the rank.
    """
    holding = Counter(rank for part in parts for rank in ranks_held(part.launches))
    return [
        f"rank {rank}: {count} parts hold it, and all are counted; leave out what is not of this "
        "run"
        for rank, count in sorted(holding.items())
        if count > 1
    ]
