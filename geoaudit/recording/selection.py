"""Keeping a part of a recording: the launches inside a range, or some of its tokens.

Pure: a recording in, another out. What was left out is said in the warnings of the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording, TokenOptions
from geoaudit.launches.tokens import Segmentation, segment
from geoaudit.launches.tokens.ranges import (
    NAMES_SHOWN,
    compiled,
    range_instances,
    recorded_range_names,
)
from geoaudit.launches.tokens.sequence import OUTSIDE

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What is kept of a recording; the defaults keep all of it.

    Attributes:
        launch_range: only launches inside a range of this name, or one that matches the whole of
            this regular expression.
        skip_tokens: so many complete tokens are dropped at the beginning.
        max_tokens: at most so many are kept after these; None: all.
    """

    launch_range: str | None = None
    skip_tokens: int = 0
    max_tokens: int | None = None

    @property
    def is_of_tokens(self) -> bool:
        """Whether tokens are chosen."""
        return self.skip_tokens > 0 or self.max_tokens is not None


@dataclass(frozen=True, kw_only=True)
class Selected:
    """What was kept of the recordings of a command's processes.

    Attributes:
        recordings: cut into tokens, and to what was asked for.
        notes: processes that nothing was asked of; no fault.
        troubles: processes that what was asked for could not be done to: they are whole.
    """

    recordings: tuple[Recording, ...]
    notes: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()


def select(recording: Recording, options: TokenOptions, selection: Selection) -> Recording:
    """A recording cut into tokens, and to what was asked for.

    The range comes first, so that tokens are looked for among the launches inside it.

    Args:
        recording: any.
        options: how tokens are found, and the recording's default from then on; all None: its
            default as it is.
        selection: what is kept.

    Raises:
        NotMeasuredError: nothing would be left; says what is there.
        InputError: an expression is not valid, or the token's range or kernel is not there.
    """
    if selection.launch_range is not None:
        recording = in_range(recording, selection.launch_range)
    return _tokens(recording, options, selection)


def select_processes(
    recordings: Sequence[Recording], options: TokenOptions, selection: Selection
) -> Selected:
    """The recordings of several processes, each cut as `select` does.

    A process without the range is left out. One without the tokens is kept whole: a note, or a
    trouble where tokens were to be dropped.

    Raises:
        NotMeasuredError, InputError: what was asked for can be done to none of them.
    """
    inside, notes = _inside_range(recordings, selection)
    kept, without = [], []
    for recording in inside:
        try:
            kept.append(_tokens(recording, options, selection))
        except (NotMeasuredError, InputError) as error:
            kept.append(recording)
            without.append((recording.metadata.source_name, error))
    if inside and len(without) == len(inside):
        raise without[0][1]
    told = tuple(f"{name} is kept whole: {error}" for name, error in without)
    if selection.is_of_tokens:
        return Selected(recordings=tuple(kept), notes=notes, troubles=told)
    return Selected(recordings=tuple(kept), notes=(*notes, *told))


def _inside_range(
    recordings: Sequence[Recording], selection: Selection
) -> tuple[list[Recording], tuple[str, ...]]:
    if selection.launch_range is None:
        return list(recordings), ()
    inside, outside = [], []
    for recording in recordings:
        try:
            inside.append(in_range(recording, selection.launch_range))
        except NotMeasuredError as error:
            outside.append((recording.metadata.source_name, error))
    if recordings and not inside:
        raise outside[0][1]
    return inside, tuple(f"{name} is left out: {error}" for name, error in outside)


def in_range(recording: Recording, launch_range: str) -> Recording:
    """The launches that were called inside a range.

    Args:
        recording: any.
        launch_range: the range's name, with or without its domain, or a regular expression that
            matches the whole of it.

    Raises:
        NotMeasuredError: no launch lies in such a range; names those that are there.
        InputError: the expression is not valid.
    """
    compiled(launch_range, "--range")
    try:
        instances, _ = range_instances(recording.launches, launch_range)
    except InputError as error:
        raise NotMeasuredError(_no_range(recording.launches, launch_range)) from error
    inside = instances != OUTSIDE
    if not (inside & (recording.launches[s.KIND] == s.KIND_KERNEL).to_numpy(dtype=bool)).any():
        raise NotMeasuredError(
            f"--range {launch_range}: only copies and sets lie in this range, and no kernel launch."
        )
    return _kept(recording, inside, f"inside {launch_range} (--range)")


def _no_range(launches: pd.DataFrame, launch_range: str) -> str:
    names = recorded_range_names(launches)[:NAMES_SHOWN]
    there = (
        f"Ranges that are there: {', '.join(names)}."
        if names
        else "The recording holds no ranges that launches are in: open NVTX ranges in the program, "
        "on the thread that launches (and record without --yield)."
    )
    return f"--range {launch_range}: no launch lies in such a range. {there}"


def _tokens(recording: Recording, options: TokenOptions, selection: Selection) -> Recording:
    if options == TokenOptions():
        options = recording.metadata.token_options
    segmentation = segment(recording.launches, options)
    if not selection.is_of_tokens:
        return _cut(recording, segmentation, options)
    chosen = _chosen(segmentation, selection)
    numbers = segmentation.launches.loc[chosen, s.TOKEN]
    what = (
        f"of tokens {int(numbers.min()) + 1} to {int(numbers.max()) + 1} of "
        f"{_tokens_found(segmentation)} ({_asked(selection)})"
    )
    kept = _kept(recording, _between(segmentation, chosen), what)
    return _cut_as_before(kept, options, int(numbers.nunique()))


def _chosen(segmentation: Segmentation, selection: Selection) -> Flags:
    """Which launches belong to the tokens that are kept.

    Raises:
        NotMeasuredError: there are none.
    """
    found = _tokens_found(segmentation)
    if not found:
        raise NotMeasuredError(
            f"{_asked(selection)}: no tokens to choose from: {segmentation.rule}. Say what a "
            "token is with --token-range, --token-kernel or --tokens."
        )
    if selection.skip_tokens >= found:
        raise NotMeasuredError(
            f"{_asked(selection)}: only {found} complete tokens were found "
            f"({segmentation.rule}). Skip fewer, or record more."
        )
    token = segmentation.launches[s.TOKEN]
    end = found if selection.max_tokens is None else selection.skip_tokens + selection.max_tokens
    chosen = _of_default_class(segmentation) & (token >= selection.skip_tokens) & (token < end)
    flags: Flags = chosen.fillna(value=False).to_numpy(dtype=bool)
    return flags


def _of_default_class(segmentation: Segmentation) -> pd.Series:
    return segmentation.launches[s.STEP_CLASS] == segmentation.default_class


def _tokens_found(segmentation: Segmentation) -> int:
    """Complete tokens of the class that is audited, of the device that has most of them."""
    if segmentation.default_class is None:
        return 0
    last = segmentation.launches.loc[_of_default_class(segmentation), s.TOKEN].max()
    return 0 if pd.isna(last) else int(last) + 1


def _between(segmentation: Segmentation, chosen: Flags) -> Flags:
    """The launches from the first to the last chosen one of each device.

    Steps of another kind and launches of no step that lie between them stay; launches of tokens
    that are not chosen do not, where they overlap with the first or the last.
    """
    launches = segmentation.launches
    timed = launches[s.START_NS].notna().to_numpy(dtype=bool)
    keep = chosen.copy()
    for rows in launches.groupby(s.DEVICE, observed=True).indices.values():
        places = rows[chosen[rows]]
        # Untimed launches stand behind the timed ones of their device, not where they were.
        known = places[timed[places]] if timed[places].any() else places
        if len(known):
            keep[known.min() : known.max() + 1] = True
    is_of_token = _of_default_class(segmentation) & launches[s.TOKEN].notna()
    others: Flags = is_of_token.to_numpy(dtype=bool) & ~chosen
    return keep & ~others


def _asked(selection: Selection) -> str:
    parts = []
    if selection.skip_tokens:
        parts.append(f"--skip-tokens {selection.skip_tokens}")
    if selection.max_tokens is not None:
        parts.append(f"--max-tokens {selection.max_tokens}")
    return " ".join(parts)


def _kept(recording: Recording, keep: Flags, what: str) -> Recording:
    """The recording of the launches to keep, its counts with them, and a warning of it."""
    before, metadata = recording.launches, recording.metadata
    launches = before[keep].reset_index(drop=True)
    for column in s.COLUMNS:
        if column.type == "text":
            launches[column.name] = launches[column.name].cat.remove_unused_categories()
    is_kernel = launches[s.KIND] == s.KIND_KERNEL
    of_all, kernels = int((before[s.KIND] == s.KIND_KERNEL).sum()), int(is_kernel.sum())
    seen = metadata.launches_seen
    if seen is not None:
        # Where launches without a record belong is not known: they stay missing.
        seen = kernels + max(seen - of_all, 0)
    warning = f"only launches {what} are kept: {kernels:,} of {of_all:,} kernel launches"
    return replace(
        recording,
        launches=launches,
        metadata=replace(
            metadata,
            launches_seen=seen,
            untimed=int((is_kernel & launches[s.DURATION_NS].isna()).sum()),
            warnings=(*metadata.warnings, warning),
        ),
    )


def _cut(recording: Recording, segmentation: Segmentation, options: TokenOptions) -> Recording:
    return replace(
        recording,
        launches=segmentation.launches,
        metadata=replace(recording.metadata, token_options=options),
    )


def _cut_as_before(recording: Recording, options: TokenOptions, count: int) -> Recording:
    """The kept launches cut into as many tokens as were kept.

    A few tokens need not show by their period any more, nor a count that was told be theirs:
    then their number is told.
    """
    segmentation = segment(recording.launches, options)
    if options.token_count is not None or _tokens_found(segmentation) != count:
        options = TokenOptions(token_count=count)
        segmentation = segment(recording.launches, options)
    return _cut(recording, segmentation, options)
