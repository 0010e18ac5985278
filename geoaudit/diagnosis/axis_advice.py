"""Which way a starved kernel could get more blocks, and which property stands against it."""

from dataclasses import dataclass
from typing import Literal

from geoaudit.launches.declared import SplitProperties

Answer = Literal["no", "yes", "cannot tell"]


@dataclass(frozen=True, kw_only=True)
class AxisAdvice:
    """What splitting a kernel's grid further would cost.

    Attributes:
        cross_block_reduction, duplicated_reads, layout_change: whether each would come with it.
        sentence: what follows.
    """

    cross_block_reduction: Answer
    duplicated_reads: Answer
    layout_change: Answer
    sentence: str


@dataclass(frozen=True, kw_only=True)
class KnownShape:
    """A launch shape that a reference implementation has for a kind of kernel.

    Attributes:
        words: parts of kernel names it is for; one of them suffices.
        shape: its grid.
        source: where it is from.
    """

    words: tuple[str, ...]
    shape: str
    source: str


KNOWN_SHAPES = (
    KnownShape(
        words=("kda", "gated_delta", "delta_rule", "gdn"),
        shape="value columns in tiles of 32: grid (ceil(V / 32), N * HV)",
        source="Flash Linear Attention, fused_recurrent_gated_delta_rule (BV = 32), which vLLM "
        "ships for decode",
    ),
    KnownShape(
        words=("flash_fwd_splitkv", "attn_split", "decode_split", "flash_decod"),
        shape="the context in slices, joined by a second kernel: grid (slices, heads)",
        source="FlashAttention, flash_fwd_splitkv_kernel: num_splits_heuristic takes the fewest "
        "slices with 85 % of the best wave efficiency",
    ),
)


def axis_advice(split: SplitProperties | None) -> AxisAdvice:
    """What the properties of a split say.

    Args:
        split: as a manifest declares them or the kernel's source tells; None: nobody says.

    Example:
        >>> axis_advice(SplitProperties(cross_block_reduction=False, duplicated_reads=False,
        ...     layout_change=False)).sentence
        'no property stands against more blocks: split the axis'
    """
    properties = split or SplitProperties()
    answers = {
        "a reduction across blocks": _answer(properties.cross_block_reduction),
        "duplicated reads": _answer(properties.duplicated_reads),
        "another memory layout": _answer(properties.layout_change),
    }
    return AxisAdvice(
        cross_block_reduction=answers["a reduction across blocks"],
        duplicated_reads=answers["duplicated reads"],
        layout_change=answers["another memory layout"],
        sentence=_sentence(answers, is_from_source=properties.from_source is not None),
    )


def known_shape(kernel_short: str) -> KnownShape | None:
    """The launch shape that a reference implementation has for a kernel of such a name.

    Example:
        >>> known_shape("kda_decode_step").shape
        'value columns in tiles of 32: grid (ceil(V / 32), N * HV)'
        >>> known_shape("rms_norm") is None
        True
    """
    name = kernel_short.casefold()
    return next((one for one in KNOWN_SHAPES if any(word in name for word in one.words)), None)


def _answer(value: bool | None) -> Answer:
    return "cannot tell" if value is None else "yes" if value else "no"


def _sentence(answers: dict[str, Answer], *, is_from_source: bool) -> str:
    against = [what for what, answer in answers.items() if answer == "yes"]
    unknown = [what for what, answer in answers.items() if answer == "cannot tell"]
    if against:
        return f"more blocks would cost {' and '.join(against)}: weigh it against a wider block"
    if len(unknown) == len(answers):
        known = " and its source is not followed" if is_from_source else ""
        return (
            f"nothing is declared of this kernel{known}: look in its source for an axis whose "
            "parts need no reduction across blocks, read nothing twice and keep the layout"
        )
    if unknown:
        return f"nothing known stands against more blocks; look into {' and '.join(unknown)}"
    return "no property stands against more blocks: split the axis"
