"""Ranks of a distributed run in words."""

from collections.abc import Collection

_NAMED = 8


def ranks_named(ranks: Collection[int]) -> str:
    """Ranks as text, the first of many.

    >>> ranks_named([1]), ranks_named([0, 2]), ranks_named(range(3))
    ('rank 1', 'ranks 0 and 2', 'ranks 0, 1 and 2')
    """
    shown = [str(rank) for rank in ranks][:_NAMED]
    if len(ranks) > _NAMED:
        return f"ranks {', '.join(shown)} and {len(ranks) - _NAMED:,} more"
    if len(shown) == 1:
        return f"rank {shown[0]}"
    return f"ranks {', '.join(shown[:-1])} and {shown[-1]}"


def missing_ranks_sentence(missing: Collection[int], ranks: int) -> str:
    """That ranks of a run have no recording.

    >>> missing_ranks_sentence([1], 2), missing_ranks_sentence([1, 3], 4)
    ('rank 1 of 2 has no recording', 'ranks 1 and 3 of 4 have no recording')
    """
    return (
        f"{ranks_named(missing)} of {ranks:,} {'has' if len(missing) == 1 else 'have'} no recording"
    )
