"""Every number a judgement turns on, with where it is from."""

from dataclasses import dataclass

SMALL_GRID_SM_FILL = 0.5
"""Below it a grid leaves most of the device empty."""

FILLED_SM_FILL = 0.8
"""From it on a grid counts as covering the device; the same lost fifth as WORTHWHILE_TAIL."""

WORTHWHILE_TAIL = 0.8
"""Below this wave efficiency the partial last wave is the verdict (Nsight Compute's tail rule
asks for achieved below 0.8 x theoretical occupancy)."""

NOTABLE_TAIL_LOSS = 0.05
"""A smaller ideal loss is within what unequal block times blur."""

TAIL_FULL_WAVES = 4
"""Above it a tail is diluted and blocks no longer run in step (Nsight Compute: 1 to 4)."""

LOW_THEORETICAL_OCCUPANCY = 0.5
"""Below it residency is reported. Nsight Compute warns below 0.8, which most tensor-core kernels
of a decode step are by design; half the warp slots is where latency hiding starts to depend on
independent loads within a thread."""

UNFILLED_THREADS = 0.5
"""Below it a grid that covers every SM still leaves most thread slots empty."""

BARELY_FILLED_THREADS = 0.25
"""Below it the same is a warning and not a note."""

LAUNCH_FLOOR_NS = 2_500.0
"""Where nothing was measured, median durations up to it are the launch's own cost: on an H200
launches that exit at once take 1.3 to 1.5 µs, one-block elementwise kernels 0.9 to 1.9 µs, and a
small state update with a bandwidth floor of 0.37 µs, reshaped as far as it goes, still takes
2.25 µs. Where an empty kernel was measured, see `recognition.launch_bound_ns`."""

NEAR_LAUNCH_FLOOR = 0.2
"""Medians above the default floor by no more than this share of it say so: it is no measurement
of the device, and such a row may be on either side of it."""

TIGHT_SPREAD = 0.03
"""Upper bound of the relative MAD of a tight spread (a starved kernel alone on an H200: 1.1 %)."""

WIDE_SPREAD = 0.08
"""Lower bound of the relative MAD of a wide spread."""

TIMER_TICK_NS = 32.0
"""Granularity of the device timer, measured on an H200."""

TIGHT_TICKS = 2
"""A spread within so many timer ticks is the timer's."""

SPREAD_LAUNCHES = 10
"""Fewer launches of a call site do not make a spread."""

NEAR_FLOOR_RATIO = 1.6
"""Up to it a launch is near its floor."""

LARGE_FLOOR_RATIO = 4.0
"""From it on a launch is far above its floor."""

IDLE_SMS = 0.5
"""Below it, counted, SMs that have a block by the grid have no warp for most of the time."""

BUSY_SMS = 0.8
"""From it on, counted, SMs have a warp nearly all of the time."""

BUSY_COMPUTE = 0.6
"""From it on, counted, an arithmetic unit is what a kernel waits for (Nsight Compute's speed of
light calls 60 % of peak the point from which a unit is likely the bottleneck)."""

BOUND_MEMORY = 0.7
"""From it on, counted, a launch moves so much of what a copy moves that memory is its limit."""

MOST_TRAFFIC = 1.15
"""Above it, counted traffic is more than memory can move in the launch's time. (A read reaches up
to 1.05 times a copy's rate on an H200.)"""

BELOW_FLOOR = 0.5
"""A launch below this share of its floor contradicts its bytes or the bandwidth."""

TWO_GROUPS = 0.2
"""Groups of a site's launches that lie further apart than this share of its median are two kinds
of launch."""

MOST_SITES = 0.5
"""Groups and trends at fewer of the sites are not those of the kernel."""

FEWEST_SLICES = 3
"""Fewer launches of a time slice more are an accident."""

WORTHWHILE_SLICES = 0.1
"""From this share of a kernel's time on, launches cut by another process's time slices are its
verdict."""

OVERLAPPED = 0.5
"""Above it a launch mostly shares the device, and its own small grid is not the device's."""

NOTABLE_UNKNOWN_GEOMETRY = 0.05
"""Share of the kernel time without a grid from which an audit's ranking may be wrong."""

MINIMUM_COVERAGE = 0.8
"""Below it a recording is too incomplete to be judged, and GA903 is an error: a fifth of the
launches, as much as WORTHWHILE_TAIL calls worth a verdict, could be anything."""

JUDGED_TIME = 0.8
"""A gate passes only where what it names could be told on more than this share of the kernel
time: what is left could hide as much as WORTHWHILE_TAIL calls worth a verdict."""

NOTABLE_RANK_DIFFERENCE = 0.05
"""Share of the slowest rank's time from which a kernel that is quicker on another rank is marked:
above what the middle of repeated durations of one launch moves by."""

NOTABLE_UNTIMED = 0.01
"""Share of the launches without a time from which per-token times may be wrong."""


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """What a user may set for his machine; the defaults are the constants above.

    Attributes:
        launch_floor_ns: median durations up to it are launch-bound, where nothing was measured.
        timer_tick_ns: granularity of the device timer.
        tight_spread, wide_spread: bounds of the relative MAD, fractions.
        near_floor_ratio, large_floor_ratio: bounds of duration / floor.
    """

    launch_floor_ns: float = LAUNCH_FLOOR_NS
    timer_tick_ns: float = TIMER_TICK_NS
    tight_spread: float = TIGHT_SPREAD
    wide_spread: float = WIDE_SPREAD
    near_floor_ratio: float = NEAR_FLOOR_RATIO
    large_floor_ratio: float = LARGE_FLOOR_RATIO


DEFAULT_THRESHOLDS = Thresholds()
