"""What the sources of a plan's kernels say of splitting their grids."""

from collections.abc import Mapping
from pathlib import Path

from geoaudit.launches.declared import SourceLine, SplitOrigin, SplitProperties
from geoaudit.manifest.planned import LaunchShape, StepPlan
from geoaudit.recording.suite.headers import headers_of
from geoaudit.source_axes.answers import SourceAnswer
from geoaudit.source_axes.kernels import split_of_kernel


def splits_from_sources(plan: StepPlan) -> Mapping[str, SplitProperties]:
    """Of the kernels of which the manifest declares nothing, by their names in the manifest.

    A kernel without a readable source, or of which a plan launches several entries, is left out.
    """
    found = {}
    for name, kernel in plan.kernels.items():
        shapes = [one.shape for one in plan.launches if one.shape.kernel == name]
        entries = {(one.module.file, one.entry) for one in shapes}
        if kernel.split is None and kernel.source is not None and len(entries) == 1:
            split = _split(shapes)
            if split is not None:
                found[name] = split
    return found


def _split(shapes: list[LaunchShape]) -> SplitProperties | None:
    """Of launches of one entry."""
    file = Path(shapes[0].module.file)
    try:
        text, headers = _text(file), tuple(map(_text, headers_of(file)))
    except OSError:
        return None
    block_x = max(one.block[0] for one in shapes)
    answers = split_of_kernel(text, shapes[0].entry, headers=headers, block_x=block_x)
    reduction, reads, layout = (
        answers.cross_block_reduction,
        answers.duplicated_reads,
        answers.layout_change,
    )
    return SplitProperties(
        cross_block_reduction=reduction.value,
        duplicated_reads=reads.value,
        layout_change=layout.value,
        from_source=SplitOrigin(
            axis=answers.axis,
            cross_block_reduction=_line(reduction),
            duplicated_reads=_line(reads),
            layout_change=_line(layout),
        ),
    )


def _line(answer: SourceAnswer) -> SourceLine:
    return SourceLine(line=answer.line, reason=answer.reason)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
