"""What a manifest declares of a kernel that no recording can tell."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class SplitProperties:
    """What more blocks would cost, along the axis that is best for it. None: not said.

    Attributes:
        cross_block_reduction: blocks would have to join their results.
        duplicated_reads: weights, state or cache would be read more than once.
        layout_change: data would have to lie otherwise in memory.
    """

    cross_block_reduction: bool | None = None
    duplicated_reads: bool | None = None
    layout_change: bool | None = None


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
