"""Reading a Kineto trace into a recording."""

from dataclasses import replace
from pathlib import Path

from geoaudit.launches.recording import Recording
from geoaudit.sources.kineto.activities import Activities
from geoaudit.sources.kineto.assembly import assemble
from geoaudit.sources.kineto.content import read_content
from geoaudit.sources.kineto.document import Document, open_document
from geoaudit.sources.kineto.events import Malformed, wanted_events
from geoaudit.sources.registry import ReadOptions

# Shares of the reading time, for the progress bar.
_CONTENT_READ, _EVENTS_SPLIT, _EVENTS_DECODED = 0.15, 0.35, 0.9


def read(path: Path, options: ReadOptions) -> Recording:
    """The launches of a Kineto trace.

    Times are the trace's, in ns. A kernel's geometry is its own or its launch's, in blocks; its
    ranges are those that enclose its launch on the host. Kineto's occupancy is never used. What the
    profiler left out (it records the body of a graph's loop once) is not in the file and is never
    extrapolated.

    Args:
        path: the trace, JSON or gzipped JSON.
        options: ``allow_partial`` reads the complete events of a cut file.

    Returns:
        The recording. ``launches_seen`` is kernels plus launch calls without any record of the
        GPU, None where the trace holds no launch calls.

    Raises:
        InputError: the file is not a trace, or cut, or damaged.
        NotMeasuredError: the trace holds no kernels.
    """
    document = _document(path, options)
    activities, malformed = Activities(), Malformed(source_name=path.name)
    for share, events in wanted_events(document.events, malformed):
        activities.add(events)
        _report(options, _EVENTS_SPLIT + share * (_EVENTS_DECODED - _EVENTS_SPLIT))
    # Without its events the text of the trace can go before the table is built.
    document = replace(document, events=[])
    recording = assemble(document, activities, malformed)
    _report(options, 1.0)
    return replace(recording, path=path)


def _document(path: Path, options: ReadOptions) -> Document:
    content = read_content(path, allow_partial=options.allow_partial)
    _report(options, _CONTENT_READ)
    document = open_document(content, path.name, allow_partial=options.allow_partial)
    _report(options, _EVENTS_SPLIT)
    return document


def _report(options: ReadOptions, share: float) -> None:
    if options.progress is not None:
        options.progress(share)
