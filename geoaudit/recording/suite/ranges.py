"""The NVTX ranges of a token."""

# ruff: noqa: ANN401 - nvtx is untyped

import importlib
from typing import Any


class NvtxRanges:
    """Opens and closes ranges of NVTX' default domain.

    Make one only where a listener is there already: the first NVTX call of a process binds it to
    the listener of that moment, or to none for good.
    """

    def __init__(self) -> None:
        self._domain: Any = importlib.import_module("nvtx").get_domain()
        self._attributes: dict[str, Any] = {}

    def push(self, name: str) -> None:
        """Open a range inside those that are open."""
        attributes = self._attributes.get(name)
        if attributes is None:
            attributes = self._domain.get_event_attributes(message=name)
            self._attributes[name] = attributes
        self._domain.push_range(attributes)

    def pop(self) -> None:
        """Close the range that was opened last."""
        self._domain.pop_range()
