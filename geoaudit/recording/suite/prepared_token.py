"""A plan made ready: kernels loaded, arguments packed, ranges in their places."""

# ruff: noqa: ANN401 - a wrapped kernel is untyped

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from geoaudit.manifest.planned import LaunchShape, PlannedRange, StepPlan
from geoaudit.recording import wrap
from geoaudit.recording.suite.arguments import PackedArguments
from geoaudit.recording.suite.driver import Dimensions
from geoaudit.recording.suite.driver_kernel import DriverKernel, Stream


class Ranges(Protocol):
    """What opens and closes ranges."""

    def push(self, name: str) -> None:
        """Open a range inside those that are open."""

    def pop(self) -> None:
        """Close the range that was opened last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedLaunch:
    """One launch of a token.

    Attributes:
        kernel: launched while nobody looks.
        noted: the same, wrapped: launched while a session records.
        grid, block: blocks, threads.
        shared_bytes: dynamic shared memory of a block.
        arguments: packed.
        opens: ranges that begin before it, outer ones first.
        sums: what is summed over the ranks after it, inside its ranges.
        closes: how many ranges end after it.
    """

    kernel: DriverKernel
    noted: Any
    grid: Dimensions
    block: Dimensions
    shared_bytes: int
    arguments: PackedArguments
    opens: tuple[str, ...]
    sums: tuple[Callable[[], None], ...]
    closes: int


class PreparedToken:
    """The launches of one token, on one stream.

    Attributes:
        plan: what they were made of.
        launches: in order.
        stream: what they are launched on.
    """

    def __init__(self, plan: StepPlan, launches: Sequence[PreparedLaunch], stream: Stream) -> None:
        self.plan = plan
        self.launches = tuple(launches)
        self.stream = stream
        self._changing = [one.arguments for one in launches if one.arguments.depends_on_token]

    def launch(self, token: int) -> None:
        """Launch a token, and wait for nothing.

        Args:
            token: of the run, from 0; scalars are worked out for it.

        Raises:
            NotMeasuredError: the driver refuses a launch.
            ManifestError: a scalar cannot be worked out for this token.
        """
        self._set_token(token)
        stream = self.stream
        for one in self.launches:
            one.kernel(
                one.grid, one.block, one.arguments, shared_mem=one.shared_bytes, stream=stream
            )
            for add_up in one.sums:
                add_up()

    def launch_noted(self, token: int, ranges: Ranges) -> None:
        """Launch a token inside its ranges, with every launch noted by the session.

        Args:
            token: of the run, from 0.
            ranges: opens and closes them.

        Raises:
            NotMeasuredError, ManifestError: as `launch`.
        """
        self._set_token(token)
        stream = self.stream
        for one in self.launches:
            for name in one.opens:
                ranges.push(name)
            one.noted(
                one.grid, one.block, one.arguments, shared_mem=one.shared_bytes, stream=stream
            )
            for add_up in one.sums:
                add_up()
            for _ in range(one.closes):
                ranges.pop()

    def _set_token(self, token: int) -> None:
        for arguments in self._changing:
            arguments.set_token(token)


def prepare(
    plan: StepPlan,
    kernel_of: Callable[[LaunchShape], DriverKernel],
    pack: Callable[..., PackedArguments],
    stream: Stream,
    sums: Mapping[int, Sequence[Callable[[], None]]] = {},
) -> PreparedToken:
    """A plan, ready to be launched.

    Args:
        plan: one token.
        kernel_of: the loaded kernel of a shape.
        pack: packs the arguments of a launch.
        stream: what is launched on.
        sums: launch -> what is summed over the ranks after it; empty: one rank runs alone.
    """
    kernels = {shape: kernel_of(shape) for shape in {one.shape: None for one in plan.launches}}
    noted = {shape: wrap(kernel, label=shape.kernel) for shape, kernel in kernels.items()}
    opens, closes = _ranges_at(plan.ranges, len(plan.launches))
    launches = [
        PreparedLaunch(
            kernel=kernels[one.shape],
            noted=noted[one.shape],
            grid=one.shape.grid,
            block=one.shape.block,
            shared_bytes=one.shape.shared_bytes,
            arguments=pack(one.arguments),
            opens=tuple(opens[place]),
            sums=tuple(sums.get(place, ())),
            closes=closes[place],
        )
        for place, one in enumerate(plan.launches)
    ]
    return PreparedToken(plan, launches, stream)


def _ranges_at(ranges: Sequence[PlannedRange], count: int) -> tuple[list[list[str]], list[int]]:
    """Names that open before each launch, and how many ranges close after it."""
    opens: list[list[str]] = [[] for _ in range(count)]
    closes = [0] * count
    # By first launch, outer ones first: so they open in this order.
    for one in ranges:
        opens[one.first].append(one.name)
        closes[one.stop - 1] += 1
    return opens, closes
