"""What a manifest declares of a kernel, or its source tells, that no recording can."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class SourceLine:
    """Where in a kernel's source an answer is from.

    Attributes:
        line: from 1; None: no single one.
        reason: why the source does not tell; empty where it does.
    """

    line: int | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class SplitOrigin:
    """Where answers about splitting a grid are from, where a source gave them.

    Attributes:
        axis: the axis they are for, in words; empty: the source was not followed.
        cross_block_reduction, duplicated_reads, layout_change: of each answer.
    """

    axis: str
    cross_block_reduction: SourceLine
    duplicated_reads: SourceLine
    layout_change: SourceLine


@dataclass(frozen=True, kw_only=True)
class SplitProperties:
    """What more blocks would cost, along the axis that is best for it. None: not said.

    Attributes:
        cross_block_reduction: blocks would have to join their results.
        duplicated_reads: weights, state or cache would be read more than once.
        layout_change: data would have to lie otherwise in memory.
        from_source: where in the kernel's source that is from; None: a manifest says it.
    """

    cross_block_reduction: bool | None = None
    duplicated_reads: bool | None = None
    layout_change: bool | None = None
    from_source: SplitOrigin | None = None


@dataclass(frozen=True, kw_only=True)
class DeclaredKernel:
    """One kernel of a manifest.

    Attributes:
        kernel_short: its name in the launches table.
        split: what more blocks would cost.
        source: file of its code, from the manifest's folder; None: a ready binary.
    """

    kernel_short: str
    split: SplitProperties = SplitProperties()
    source: str | None = None
