"""PyTorch profiler traces: Chrome-trace JSON as Kineto writes it, 2021 to 2026."""

from geoaudit.sources.kineto.content import recognises
from geoaudit.sources.kineto.reader import read
from geoaudit.sources.registry import Source

SOURCE = Source(
    name="kineto",
    description="PyTorch profiler (Kineto) trace, Chrome-trace JSON, plain or gzip",
    recognises=recognises,
    read=read,
)

__all__ = ["SOURCE"]
