"""Recording a CUDA process: the injected library, the runner, and what it leaves to be read."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geoaudit.recording.wrappers import wrap

__all__ = ["wrap"]


def __getattr__(name: str) -> object:
    """Load `wrap` when it is first asked for: most of this package needs none of it."""
    if name == "wrap":
        return importlib.import_module("geoaudit.recording.wrappers").wrap
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
