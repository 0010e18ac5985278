"""One thing looked at, and what it means for a recording."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "problem", "not here"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """A judged finding about a machine.

    Attributes:
        name: what was looked at.
        status: ``problem`` stops a recording, ``warning`` may spoil one or its figures,
            ``not here`` is missing and not needed, or hidden by another problem.
        found: a sentence on what was found.
        remedy: a sentence on what to do; empty where there is nothing to do.
    """

    name: str
    status: Status
    found: str
    remedy: str = ""

    @property
    def stops_recording(self) -> bool:
        """Whether `geoaudit scan -- COMMAND` cannot record here."""
        return self.status == "problem"
