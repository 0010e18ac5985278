"""Launch-geometry audit of GPU inference engines."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geoaudit.recording.session import record

__version__ = "0.1.0"
__all__ = ["__version__", "record"]


def __getattr__(name: str) -> object:
    """Load `record` when it is first asked for, so that `import geoaudit` stays light."""
    if name == "record":
        return importlib.import_module("geoaudit.recording.session").record
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
