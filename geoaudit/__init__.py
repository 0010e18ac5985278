"""Launch-geometry audit of GPU inference engines."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geoaudit import recording
    from geoaudit.recording.session import record

__version__ = "0.1.0"
__all__ = ["__version__", "record", "recording"]


def __getattr__(name: str) -> object:
    """Load `record` and `recording` when first asked for: `import geoaudit` stays light."""
    if name == "recording":
        return importlib.import_module("geoaudit.recording")
    if name == "record":
        return importlib.import_module("geoaudit.recording.session").record
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
