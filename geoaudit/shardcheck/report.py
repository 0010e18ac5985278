"""The outcome of a check: what was read, every launch site, its behaviour under sharding."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from geoaudit.diagnosis.finding import Finding, Severity
from geoaudit.shardcheck.behaviours import BEHAVIOURS, Behaviour
from geoaudit.shardcheck.program.file_program import NotAnalysed
from geoaudit.shardcheck.sharding.dimensions import ShardedDimension
from geoaudit.shardcheck.slicing.sites import LaunchSite

__all__ = [
    "BEHAVIOURS",
    "AllowedFinding",
    "Behaviour",
    "FileCount",
    "ShardReport",
    "SiteReport",
    "SourceNote",
]


@dataclass(frozen=True, kw_only=True)
class AllowedFinding:
    """A finding that a remark in the source allows, with the reason it gives."""

    finding: Finding
    reason: str


@dataclass(frozen=True, kw_only=True)
class SiteReport:
    """A launch site and what sharding does to it.

    Attributes:
        site: the launch.
        sharded: dimensions that its grid depends on.
        blocks: ranks -> blocks of the grid; None: not a number with what is known.
        sm_fill: ranks -> share of the SMs that have a block, 0 to 1.
        behaviour: what the grid does as ranks grow.
        condition: where an extent is not known: when it collapses, "below 66 blocks when batch x
            splits < 6"; else empty.
        reason: one sentence: what the behaviour rests on, or why it cannot be told.
        findings: rules that fired; a suppressed or known one is not among them.
        suppressed: rules that fired and that a remark in the source allows.
    """

    site: LaunchSite
    sharded: tuple[ShardedDimension, ...] = ()
    blocks: Mapping[int, int | None] = field(default_factory=dict)
    sm_fill: Mapping[int, float | None] = field(default_factory=dict)
    behaviour: Behaviour
    condition: str = ""
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[AllowedFinding, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SourceNote:
    """What is to be said of a line that is no finding on a launch: a remark that allows nothing.

    Without a path it is of the command line.
    """

    path: str
    line: int
    severity: Severity
    text: str


@dataclass(frozen=True, kw_only=True)
class FileCount:
    """Files by what became of them, and what was skipped by reason (``vendored``, ...)."""

    read: int
    skipped: Mapping[str, int]
    not_analysed: Mapping[str, tuple[NotAnalysed, ...]]


@dataclass(frozen=True, kw_only=True)
class ShardReport:
    """All of a check.

    Attributes:
        files: what was read.
        textual, recognised: launches by idiom, from a text search and from the analysis.
        sites: every launch, by path and line.
        device, sms: what the grids are held against.
        by: parallelism that was varied: ``tp``.
        ranks: its numbers of ranks, ascending, the first is the reference.
        assumed: symbol -> value that was taken, with where it is from.
        notes: on remarks that were meant to allow a rule and do not.
    """

    files: FileCount
    textual: Mapping[str, int]
    recognised: Mapping[str, int]
    sites: tuple[SiteReport, ...]
    device: str
    sms: int
    by: str
    ranks: tuple[int, ...]
    assumed: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    notes: tuple[SourceNote, ...] = ()
