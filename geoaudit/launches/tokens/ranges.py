"""Steps marked in the recording itself: one range or one marker kernel per step."""

import difflib
import re
from collections import Counter

import numpy as np
import pandas as pd

from geoaudit.errors import InputError
from geoaudit.launches import schema as s
from geoaudit.launches.tokens.sequence import (
    OUTSIDE,
    Ints,
    LaunchSequence,
    Steps,
    dense_codes,
    steps_from_bounds,
)

NAMES_SHOWN = 10
_NEAREST_SHOWN = 5
_SMALLEST_LIKENESS = 0.4
_COMPARED_LETTERS = 200
_INSTANCE = re.compile(r"#\d+$")


def bare_name(component: str) -> str:
    """A range's name without the number of its instance: ``decode#3`` is ``decode``."""
    return _INSTANCE.sub("", component)


def recorded_range_names(launches: pd.DataFrame) -> tuple[str, ...]:
    """Names of the ranges that launches lie in, those of the most launches first."""
    counts: Counter[str] = Counter()
    for path, launched in launches[s.RANGES].value_counts().items():
        for name in {bare_name(component) for component in str(path).split("/")}:
            counts[name] += int(launched)
    del counts[""]
    return tuple(sorted((name for name in counts if counts[name]), key=lambda n: (-counts[n], n)))


def range_instances(launches: pd.DataFrame, token_range: str) -> tuple[Ints, list[str]]:
    """The instance of the range that each row lies in.

    Args:
        launches: the launches table; its ``ranges`` are read.
        token_range: a range's name, with or without its domain, or a regular expression that
            matches the whole of it. Of nested ranges that match, the outermost counts.

    Returns:
        For each row the number of its instance, or OUTSIDE; and for each instance the range's
        bare name.

    Raises:
        InputError: no range of the recording matches, or the expression is not valid.
    """
    pattern = compiled(token_range, "--token-range")
    paths = launches[s.RANGES].cat
    found = [_matching_prefix(str(path), token_range, pattern) for path in paths.categories]
    instances = {prefix: index for index, prefix in enumerate(dict.fromkeys(filter(None, found)))}
    of_path = np.array([instances.get(prefix or "", OUTSIDE) for prefix in found] + [OUTSIDE])
    of_row = of_path[paths.codes.to_numpy()].astype(np.int64)
    if not (of_row != OUTSIDE).any():
        raise InputError(_range_not_found(launches, token_range))
    return of_row, [bare_name(prefix.split("/")[-1]) for prefix in instances]


def steps_of_instances(sequence: LaunchSequence, of_row: Ints, names: list[str]) -> Steps:
    """The steps of one device: one per instance that launched a kernel there.

    The first and the last of several steps of one name may be cut by the recording's ends.
    """
    of_launch = of_row[sequence.rows]
    inside = of_launch != OUTSIDE
    step_of = np.full(len(sequence), OUTSIDE, dtype=np.int64)
    step_of[inside] = dense_codes(of_launch[inside])
    order = list(dict.fromkeys(of_launch[inside].tolist()))
    labels = tuple(names[instance] for instance in order)
    ends = {0, len(labels) - 1}
    cut = frozenset(step for step in ends if labels and labels.count(labels[step]) > 1)
    return Steps(step_of=step_of, labels=labels, possibly_cut=cut)


def marker_kernels(launches: pd.DataFrame, token_kernel: str) -> tuple[Ints, tuple[str, ...]]:
    """Codes and names of the kernels whose name matches, without regard to case.

    Raises:
        InputError: no kernel matches, or the expression is not valid.
    """
    pattern = compiled(token_kernel, "--token-kernel", re.IGNORECASE)
    kernels = launches.loc[launches[s.KIND] == s.KIND_KERNEL, s.KERNEL]
    launched = np.unique(kernels.cat.codes.to_numpy())
    all_names = [str(kernels.cat.categories[code]) for code in launched]
    matching = [index for index, name in enumerate(all_names) if pattern.search(name)]
    if not matching:
        short_names = launches.loc[kernels.index, s.KERNEL_SHORT]
        raise InputError(_kernel_not_found(short_names, token_kernel))
    codes = launched[matching].astype(np.int64)
    return codes, tuple(all_names[index] for index in matching)


def steps_of_markers(sequence: LaunchSequence, codes: Ints) -> Steps:
    """The steps of one device: each launch of a marker kernel starts one.

    A step lasts until the next marker. The last may be cut by the recording's end; launches
    before the first marker are in no step.
    """
    starts = np.flatnonzero(np.isin(sequence.names, codes))
    ends = np.append(starts[1:], len(sequence))
    bounds = [(int(first), int(end)) for first, end in zip(starts, ends, strict=False)]
    return steps_from_bounds(len(sequence), bounds, frozenset({len(bounds) - 1} if bounds else ()))


def compiled(expression: str, option: str, flags: int = 0) -> re.Pattern[str]:
    """The compiled expression.

    Raises:
        InputError: it is not a valid regular expression.
    """
    try:
        return re.compile(expression, flags)
    except re.error as error:
        raise InputError(
            f"{option}: {expression!r} is not a regular expression: {error}. "
            "Put a backslash before a character that is meant as itself."
        ) from error


def _matching_prefix(path: str, name: str, pattern: re.Pattern[str]) -> str | None:
    components = path.split("/")
    for depth, component in enumerate(components):
        bare = bare_name(component)
        without_domain = bare.partition(":")[2]
        spellings = {component, bare, without_domain} - {""}
        if name in spellings or any(map(pattern.fullmatch, spellings)):
            return "/".join(components[: depth + 1])
    return None


def _range_not_found(launches: pd.DataFrame, token_range: str) -> str:
    names = recorded_range_names(launches)
    if not names:
        return (
            f"--token-range {token_range}: the recording holds no ranges. "
            "Use --token-kernel or --tokens, or record with NVTX or profiler ranges."
        )
    return (
        f"--token-range {token_range}: no range of the recording has this name. "
        f"Ranges that are there: {', '.join(names[:NAMES_SHOWN])}."
    )


def _kernel_not_found(short_names: pd.Series, token_kernel: str) -> str:
    by_frequency = [str(name) for name in short_names.value_counts().index]
    wanted = "".join(re.findall(r"\w", token_kernel.lower()))
    likeness = {name: _likeness(wanted, name.lower()) for name in by_frequency}
    near = sorted(by_frequency, key=lambda name: -likeness[name])[:_NEAREST_SHOWN]
    shown = [name for name in near if likeness[name] >= _SMALLEST_LIKENESS]
    listed = ", ".join(
        name if len(name) <= 80 else f"{name[:77]}..."
        for name in shown or by_frequency[:_NEAREST_SHOWN]
    )
    return (
        f"--token-kernel {token_kernel}: no kernel name of the recording matches. "
        f"Nearest: {listed or 'the recording holds no kernel'}."
    )


def _likeness(wanted: str, name: str) -> float:
    """How like the words of a name are to what was asked for, 0 to 1.

    The most that a word, or the name as a whole, has in common with it; 1 where the letters stand
    in a word one after another, whatever is between them.
    """
    words = {name, *re.findall(r"[^\W_]+", name)}
    in_order = re.compile(".*".join(map(re.escape, wanted)))
    matcher = difflib.SequenceMatcher(b=wanted, autojunk=False)
    best = 0.0
    for word in words:
        if len(word) <= 4 * len(wanted) and in_order.search(word):
            return 1.0
        matcher.set_seq1(word[:_COMPARED_LETTERS])
        best = max(best, matcher.ratio())
    return best
