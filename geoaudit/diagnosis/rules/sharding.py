"""Rules on grids that sharding shrinks."""

from geoaudit.diagnosis.rule import Observation, rule
from geoaudit.diagnosis.sharded_grid import Dimension, OutgrownConstant, ShardedGrid
from geoaudit.quantities import count, percent, plural


@rule("GA401", "sharded-grid-collapses", since="0.1", severities=("warning", "note"))
def sharded_grid_collapses(evidence: ShardedGrid) -> Observation | None:
    """Sharding takes a grid from half of the SMs or more to fewer.

    What it measures:
        Blocks of the grid, the product of its axes, at each number of ranks, against the SMs.
        Fewer than half at some number where the first has half or more. A note where it depends
        on a condition that the source does not decide.
    Why it matters:
        Each rank has less work, and the kernel takes as long: its blocks are as large as before,
        and the SMs without one wait.
    Formula:
        sm_fill = min(1, blocks / usable SMs), at batch 1 unless told otherwise.

    Example:
        96 heads on 132 SMs: 72.7 % at 1 rank, 12 blocks and 9.1 % at 8. With 4 value tiles for
        each head: 48 blocks, 36.4 %.
    What to do:
        Split an axis that is not sharded: value tiles, the context, groups of experts. Then look
        at every other site that is listed for the dimension.
    Limits:
        A dimension counts as sharded by a division that is seen, by --dim, or by its name; which
        of them is said. Sizes that are not known leave a condition in place of a finding.
    """
    if evidence.behaviour != "collapses":
        return None
    fewest = {ranks: max(0, one) for ranks, one in evidence.blocks.items() if one is not None}
    most = {ranks: blocks for ranks, blocks in evidence.most_blocks.items() if blocks is not None}
    first, last = min(fewest), max(fewest)
    names = ", ".join(dict.fromkeys(one.name for one in evidence.sharded))
    sms = evidence.options.sms
    after = f"{count(fewest[last])} ({_fill(fewest[last], sms)})"
    message = (
        f"{_filled(fewest[first], sms)} at {plural(first, 'rank')}, {after} at {last}: "
        f"{names} is sharded"
    )
    if evidence.taken:
        message += f", with {', '.join(evidence.taken)} taken"
    if most[last] * 2 >= sms:
        return "note", f"{message}; up to {count(most[last])} under conditions not decided"
    return "warning", message


@rule("GA402", "grid-already-small", since="0.1", severities=("note",))
def grid_already_small(evidence: ShardedGrid) -> Observation | None:
    """A sharded grid has fewer blocks than half of the SMs before it is sharded.

    What it measures:
        Blocks at the first number of ranks; the grid shrinks from there.
    Why it matters:
        Sharding makes it worse, and did not cause it.

    Example:
        32 heads on 132 SMs: 24.2 % at 1 rank, 4 blocks at 8.
    What to do:
        As for GA401; a split is worth more here, since it helps without sharding as well.
    Limits:
        At the batch that is said: a larger one may fill the device.
    """
    if evidence.behaviour != "small":
        return None
    known = [(ranks, blocks) for ranks, blocks in evidence.blocks.items() if blocks is not None]
    (first, before), (last, after) = min(known), max(known)
    if (evidence.most_blocks.get(first) or 0) <= 0:
        # Nothing is launched, which is for GA405 to say.
        return None
    return "note", (
        f"{_filled(max(0, before), evidence.options.sms)} at {plural(first, 'rank')} already, "
        f"{plural(max(0, after), 'block')} at {last}"
    )


@rule("GA403", "shard-not-divisible", since="0.1", severities=("warning", "note"))
def shard_not_divisible(evidence: ShardedGrid) -> Observation | None:
    """A sharded dimension is no multiple of the number of ranks.

    What it measures:
        The remainder of the dimension's size at every number of ranks, under the rounding rule of
        its division. Rounded down or exact it is a warning; where ranks share what is left over
        (rounded up, or at least one for each) a note.
    Why it matters:
        Rounded down, the last ones belong to no rank; rounded up, one rank has less to do than
        the others wait for.

    Example:
        12 heads over 8 ranks rounded down: 1 for each, 4 belong to none.
    What to do:
        Pad the dimension, choose a divisor, or give the first ranks one more.
    Limits:
        Only where the size is known. As many ranks for each head as fit is how key-value heads
        are meant to be shared: not raised.
    """
    observed = [one for dimension in evidence.sharded if (one := _uneven(dimension, evidence))]
    return min(observed, key=lambda one: one[0] != "warning", default=None)


@rule("GA404", "stale-launch-constant", since="0.1", severities=("warning", "note"))
def stale_launch_constant(evidence: ShardedGrid) -> Observation | None:
    """A constant in a sharded grid is of another shape or device than this one.

    What it measures:
        A constant that bounds a grid or a split, binds at some number of ranks, and without which
        the grid would have a block for every SM: a warning. A constant that equals the SM count of
        a device or a dimension before it is divided, or whose remark says that it was measured on
        a shape: a note.
    Why it matters:
        It was right when it was written. Sharding changed the other term of the minimum, and the
        constant became the one that binds.

    Example:
        A flat slice floor of 1,024 tokens beside a target of 2 blocks an SM: at 32,768 tokens and
        1 group of heads a rank, 32 slices of the 264 that the target asks for.
    What to do:
        Derive it from the shape and the device it is meant to suit.
    Limits:
        The launch's own block size and a grid that is a number are not asked about.
    """
    if evidence.behaviour == "compensated":
        return None
    stale = [
        one for one in evidence.stale if evidence.sharded or one.why in ("sm_count", "dimension")
    ]
    if not stale:
        return None
    worst = min(stale, key=lambda one: one.why != "binds")
    return ("warning" if worst.why == "binds" else "note"), _stale(worst)


@rule("GA405", "grid-limit", since="0.1", severities=("error",))
def grid_limit(evidence: ShardedGrid) -> Observation | None:
    """A launch breaks a limit of the device, with the numbers the source gives.

    What it measures:
        grid y and z above 65,535, blocks of more than 1,024 threads, grids of 0 or less that no
        guard keeps from the launch.
    Why it matters:
        The launch fails, and without a check of its error the kernel silently does nothing.

    Example:
        n_kv // tp of 4 key-value heads is 0 at 8 ranks.
    What to do:
        Move the long axis to x; give every rank at least one; guard the launch.
    Limits:
        Only what is provable: numbers that are taken by default prove nothing.
    """
    return ("error", "; ".join(evidence.limits)) if evidence.limits else None


SHARD_RULES = (
    sharded_grid_collapses,
    grid_already_small,
    shard_not_divisible,
    stale_launch_constant,
    grid_limit,
)


def _filled(blocks: int, sms: int) -> str:
    return f"{plural(blocks, 'block')} ({_fill(blocks, sms)} of {sms} SMs)"


def _fill(blocks: int, sms: int) -> str:
    return percent(min(1.0, blocks / sms))


def _uneven(dimension: Dimension, evidence: ShardedGrid) -> Observation | None:
    total = dimension.total
    options = evidence.options
    for ranks in (options.ranks_of(dimension.by, ranks) for ranks in options.ranks):
        if total is None or total % ranks == 0:
            continue
        told = f"{dimension.name} = {count(total)} over {plural(ranks, 'rank')}"
        each = total // ranks
        if dimension.rounding == "ceil":
            return "note", f"{told}: {each + 1} for the first, fewer for the last"
        if dimension.rounding == "at_least_one":
            if ranks % total == 0:
                continue
            return "note", f"{told}: {max(1, each)} for each, which does not come out even"
        return "warning", f"{told}: {each} for each, {total % ranks} belong to none"
    return None


def _stale(stale: OutgrownConstant) -> str:
    name = stale.label
    if stale.why == "binds":
        return (
            f"{name} binds at {plural(stale.ranks, 'rank')}: {plural(stale.blocks, 'block')}, and "
            f"{count(stale.blocks_without)} without it, as {stale.told} beside it asks for"
        )
    if stale.why == "measured":
        return f"{name} was measured on a shape: {stale.told}"
    return f"{name} equals {stale.told}"
