"""The outcome of a check in words and numbers: what is printed, kept, and held against a baseline.

Unlike the report it is made of it holds no expressions, so that a run on an unchanged tree needs
nothing of the analysis to read it back.
"""

from typing import Literal

import msgspec

from geoaudit.diagnosis.finding import Severity
from geoaudit.shardcheck.behaviours import Behaviour

Outcome = Literal["agrees", "differs", "not_recorded", "unknown"]
Texts = tuple[str, str, str]
Names = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Base of what a listing is made of."""


class ListedHop(Record, frozen=True, kw_only=True):
    """A line on the way from a launch to what its grid is made of."""

    path: str
    line: int
    text: str


class ListedFinding(Record, frozen=True, kw_only=True):
    """A rule that fired at a site."""

    rule_id: str
    rule_name: str
    severity: Severity
    message: str


class ListedAllowance(Record, frozen=True, kw_only=True):
    """A rule that fired and that a remark in the source allows, with the reason it gives."""

    finding: ListedFinding
    reason: str


class ListedDimension(Record, frozen=True, kw_only=True):
    """As `geoaudit.shardcheck.report.ShardedDimension`."""

    name: str
    rounding: str
    by: str
    total: int | None
    reason: str
    is_certain: bool


class ListedSite(Record, frozen=True, kw_only=True):
    """A launch site; fields as in `LaunchSite` and `SiteReport`, extents as text.

    Attributes:
        blocks: 0 where an axis is 0 or less and nothing is launched.
        known: rules that fired and that the baseline holds; not among `findings`.
    """

    path: str
    line: int
    kernel: str
    launcher: str | None
    idiom: str
    function: str
    language: str
    grid: Texts
    block: Texts | None
    roots: Names
    symbols: Names
    sharded: tuple[ListedDimension, ...]
    blocks: dict[int, int | None]
    sm_fill: dict[int, float | None]
    behaviour: Behaviour
    condition: str
    reason: str
    findings: tuple[ListedFinding, ...]
    suppressed: tuple[ListedAllowance, ...]
    known: tuple[ListedFinding, ...] = ()
    chain: tuple[ListedHop, ...]
    is_launcher: bool
    callers_followed: int
    measured_ns_per_token: float | None = None


class ListedNote(Record, frozen=True, kw_only=True):
    """What is to be said of a line, of a file (line 0), or of the command line (no path)."""

    path: str
    line: int
    severity: Severity
    text: str


class Unanalysed(Record, frozen=True, kw_only=True):
    """What was seen and not understood; line 0: the whole file."""

    path: str
    line: int
    reason: str


class ComparedLaunch(Record, frozen=True, kw_only=True):
    """Launches of a kernel in a function that are predicted the same, and what was recorded.

    Attributes:
        lines: where they stand.
        predicted: ranks -> blocks of the grid; None: cannot be told.
        recorded: ranks -> recorded blocks of the kernel: the predicted ones where that agrees,
            else those that no launch of it predicts.
        outcomes: ranks -> ``agrees``; ``differs``: the kernel was recorded with blocks that
            nothing predicts; ``not_recorded``: no launch with so many blocks was; ``unknown``.
    """

    kernel: str
    function: str
    path: str
    lines: tuple[int, ...]
    predicted: dict[int, int | None]
    recorded: dict[int, tuple[int, ...]]
    outcomes: dict[int, Outcome]

    @property
    def is_recorded(self) -> bool:
        """Whether it may be among what was recorded, at any number of ranks."""
        outcomes = self.outcomes.items()
        return any(one in ("agrees", "differs") or self.recorded[n] for n, one in outcomes)


class UnpredictedBlocks(Record, frozen=True, kw_only=True):
    """A recorded kernel with a number of blocks that no launch in the source predicts."""

    kernel: str
    ranks: int
    blocks: int
    launches: int


class Agreement(Record, frozen=True, kw_only=True):
    """What was predicted held against what was recorded.

    Attributes:
        ranks: numbers of ranks that were recorded, ascending.
        recordings: ranks and name of each.
        launches: by path and line.
        unpredicted: recorded signatures that no launch predicts.
        agreeing, signatures: recorded signatures (a kernel with a number of blocks, at a number of
            ranks) that a launch predicts, and all.
        communication, libraries, without_grid: recorded launches that are left out: of
            collectives, of libraries, and those whose grid is not known.
    """

    ranks: tuple[int, ...]
    recordings: tuple[tuple[int, str], ...]
    launches: tuple[ComparedLaunch, ...]
    unpredicted: tuple[UnpredictedBlocks, ...]
    agreeing: int
    signatures: int
    communication: int = 0
    libraries: int = 0
    without_grid: int = 0


class Listing(Record, frozen=True, kw_only=True):
    """All of a check; fields as in `ShardReport`.

    Attributes:
        read: files that were analysed.
        skipped: reason -> files that were left out.
        unanalysed: by path and line.
        textual, recognised: idiom -> launches.
        assumed: symbol -> value that was taken, and where it is from.
        agreement: with recordings; None: none was given whose number of ranks is known.
        notes: on suppressions, the baseline and recordings.
    """

    read: int
    skipped: dict[str, int]
    unanalysed: tuple[Unanalysed, ...]
    textual: dict[str, int]
    recognised: dict[str, int]
    sites: tuple[ListedSite, ...]
    device: str
    sms: int
    by: str
    ranks: tuple[int, ...]
    assumed: dict[str, tuple[int, str]]
    unmatched_kernels: tuple[tuple[str, float], ...] = ()
    agreement: Agreement | None = None
    notes: tuple[ListedNote, ...] = ()

    @property
    def files_not_analysed(self) -> tuple[str, ...]:
        """Paths of the files of which nothing was analysed."""
        return tuple(one.path for one in self.unanalysed if one.line == 0)
