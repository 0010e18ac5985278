"""Pages of the columns that come from hardware counters."""

from geoaudit.diagnosis.pages.page import Page, Sections, column

_COUNTED = (
    "None where no counters were read: geoaudit scan --counters, or rank --counters-from FILE. "
    "Nsight Compute counts one launch, alone and with caches flushed; a launch whose work depends "
    "on its data may have done other work in the timed run."
)

COUNTER_PAGES: tuple[Page, ...] = (
    column(
        "measured_wasted_sm_time_per_token_ns",
        "SM-time per token without a resident warp, as measured",
        aliases=("measured wasted", "measured waste"),
        sections=Sections(
            measures="The row's time per token times the measured share of SM-time in which no "
            "warp was resident, in ns of the whole device.",
            formula="sum of durations x (1 - sm_active_fraction) / complete tokens",
            example="264 blocks on 132 SMs of which one does the work: sm_fill 100 %, so "
            "wasted_sm_time_per_token_ns is 0; the SMs are busy 3 % of the time, so 97 % of the "
            "kernel's time is wasted.",
            action="Far above wasted_sm_time_per_token_ns: the grid is full and its blocks are "
            "not equal. Even the work out, or split the long blocks. Close to it: the grid is "
            "what leaves the SMs empty.",
            limits=f"A warp that waits is resident: it counts as busy. {_COUNTED}",
        ),
    ),
    column(
        "sm_active_fraction",
        "Measured share of SM-time with a resident warp",
        aliases=("SM busy", "busy"),
        sections=Sections(
            measures="Over all SMs, how much of the launch's time they held at least one warp; "
            "median of the row's launches.",
            formula="sm__cycles_active.avg / sm__cycles_elapsed.max",
            example="0.09 for 12 equal blocks on 132 SMs; 0.03 for 264 blocks of which one works "
            "and the others exit at once.",
            action="Compare it with sm_fill, which is what the grid could keep busy.",
            limits="A launch of a few microseconds is never near 1, since the time before its "
            "first block and after its last counts: 200 equal blocks of 2.5 us on an H200 measure "
            f"0.29. It tells of uneven blocks only well above the launch floor. {_COUNTED}",
        ),
    ),
    column(
        "sm_throughput_fraction",
        "Measured throughput of the SM's busiest unit",
        aliases=("compute throughput",),
        sections=Sections(
            measures="Of the SM's pipelines, issue slots and paths to memory the one nearest to "
            "its peak, as a share of that peak over the whole launch.",
            formula="sm__throughput.avg.pct_of_peak_sustained_elapsed / 100",
            example="0.06 for a copy that DRAM bounds; 0.85 for a matrix product that the tensor "
            "pipelines bound.",
            action="Near 1 the SMs do all they can: only less work helps.",
            limits="The busiest unit may be the load and store path: beside much DRAM traffic a "
            f"high value need not be arithmetic. {_COUNTED}",
        ),
    ),
    column(
        "dram_bytes",
        "Measured DRAM traffic of a launch",
        aliases=("traffic", "dram"),
        sections=Sections(
            measures="Bytes read from and written to DRAM in one launch; median of the row's.",
            formula="dram__bytes_read.sum + dram__bytes_write.sum",
            example="3.1 MB for a state update of 12 heads.",
            action="Against the bytes that the launch cannot do without: the ratio is its "
            "amplification.",
            limits="Caches are cold, so all that is read comes from DRAM, also what the L2 would "
            "have had in the token; what is written may stay in the L2 after the launch and is "
            f"not counted. {_COUNTED}",
        ),
    ),
)
