"""What a reader of the audit may choose."""

from dataclasses import dataclass
from typing import Literal

from geoaudit.devices.resolve import DeviceOverride
from geoaudit.diagnosis.finding import Confidence, VerdictName
from geoaudit.launches.recording import TokenOptions

Order = Literal["wasted", "time", "calls", "fill"]
Group = Literal["kernel", "signature", "position", "rank"]


@dataclass(frozen=True, kw_only=True)
class RankOptions:
    """Choices of one audit.

    Attributes:
        token_options: how tokens are found; None: as the recording's default says.
        step_class: class of steps to audit; None: the default class.
        device: device and SM count given by the user.
        order: what the rows are sorted by, the worst first.
        group: what a row is.
        minimum_time_ns: rows of less time per token are left out.
        kernel_pattern: regular expression on the whole kernel name; None: all.
        owner: ``own``, ``library`` (all that is not own) or an owner's name; None: all.
        target_ns: wall time per token aimed at, for the distance account.
        verdicts: only rows of these verdicts; empty: all.
        minimum_confidence: only rows whose verdict is at least so sure; None: all.
    """

    token_options: TokenOptions | None = None
    step_class: str | None = None
    device: DeviceOverride = DeviceOverride()
    order: Order = "wasted"
    group: Group = "signature"
    minimum_time_ns: float = 0.0
    kernel_pattern: str | None = None
    owner: str | None = None
    target_ns: float | None = None
    verdicts: frozenset[VerdictName] = frozenset()
    minimum_confidence: Confidence | None = None
