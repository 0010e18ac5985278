"""Pages of the columns that come from time."""

from geoaudit.diagnosis.pages.page import Page, Sections, column

_PER_TOKEN = "Over complete tokens of one step class only; per trace where no tokens were found."

TIME_PAGES: tuple[Page, ...] = (
    column(
        "calls_per_token",
        "Launches of the row in a token",
        aliases=("calls/token", "calls"),
        sections=Sections(
            measures="Mean number of launches per token.",
            formula="launches in complete tokens / complete tokens",
            example="327 norms per token, each one block.",
            action="Many calls at the launch floor: fuse them.",
            limits=_PER_TOKEN,
        ),
    ),
    column(
        "time_per_token_ns",
        "Time of the row in a token",
        aliases=("time/token", "time"),
        sections=Sections(
            measures="Sum of the launches' durations per token, in ns.",
            formula="sum of durations in complete tokens / complete tokens. A launch keeps its own "
            "duration; where two overlap on one stream (programmatic dependent launch) the overlap "
            "belongs to the earlier.",
            example="48 launches of 62.11 us: 2.98 ms per token.",
            action="It ranks by what a kernel takes; wasted_sm_time_per_token_ns by what could be "
            "won.",
            limits=_PER_TOKEN,
        ),
    ),
    column(
        "time_fraction",
        "Share of the kernel time",
        aliases=("time %",),
        sections=Sections(
            measures="Time of the row against the time at least one kernel runs on its device.",
            formula="time_per_token_ns of the row / kernel time per token of the row's device",
            example="One kernel with 12 blocks took 11.8 % of all kernel time.",
            action="Start where it and 1 - sm_fill are both large.",
            limits="Shares of launches that run at the same time add up to more than 1.",
        ),
    ),
    column(
        "duration_median_ns",
        "Median duration of a launch",
        aliases=("median", "median ± spread", "duration"),
        sections=Sections(
            measures="Median over the row's launches, in ns.",
            formula="the middle value",
            example="87 us of a kernel with 12 blocks.",
            action="Read it with its spread: 87 us +- 1 us and 87 us +- 30 us are different "
            "diagnoses.",
            limits="Over several call sites see site_spread. Profilers other than CUPTI may time "
            "serialised launches.",
        ),
    ),
    column(
        "duration_mean_ns",
        "Mean duration of a launch",
        aliases=("mean",),
        sections=Sections(
            measures="Mean over the row's launches, in ns.",
            formula="sum / launches",
            example="44.4 among values near 49 moves the mean and not the median.",
            action="Far from the median: look for outliers or two kinds of launch.",
            limits="One outlier moves it.",
        ),
    ),
    column(
        "duration_std_ns",
        "Standard deviation within the call sites",
        aliases=("std", "stddev"),
        sections=Sections(
            measures="How launches of one call site differ from each other, in ns.",
            formula="square root of the sum of squared deviations from each site's mean / "
            "(launches - sites): pooled within sites, never over them.",
            example="982 ns at 87 us: 1.1 %.",
            action="See relative_mad, which one outlier does not move.",
            limits="None where no site has two launches.",
        ),
    ),
    column(
        "overlapped_fraction",
        "Share of its time under other kernels",
        sections=Sections(
            measures="Time of the row during which another kernel runs on the device, 0 to 1.",
            matters="SMs that a small grid leaves may be in use by another stream.",
            formula="overlapped time / time",
            example="A small reduction beside a matrix multiplication on another stream: 100 %.",
            action="Above 50 % judge the pair and not the kernel.",
            limits="It counts time and not SMs.",
        ),
    ),
    column(
        "wasted_sm_time_per_token_ns",
        "SM-time of a token that the row leaves idle",
        aliases=("wasted", "waste", "wasted/token", "wasted SM-time"),
        sections=Sections(
            measures="Whole-device time per token, in ns, for which the SMs had no block.",
            matters="It ranks by what is recoverable and not by duration; the order differs.",
            formula="time_per_token x (1 - sm_fill). In the totals: the integral of 1 - min(1, sum "
            "of sm_fill of what runs), so that concurrent streams are not blamed twice.",
            example="11.8 % of kernel time at 12 of 132 SMs: 10.7 % of kernel time is wasted.",
            action="Work from the top; see explain starved.",
            limits="A ceiling of what can be won and never a saving: work has a floor too.",
        ),
    ),
    column(
        "wasted_fraction",
        "Wasted SM-time as a share of the kernel time",
        aliases=("wasted %", "share"),
        sections=Sections(
            measures="Wasted SM-time of the row against the time at least one kernel runs on its "
            "device: the share column.",
            formula="wasted_sm_time_per_token_ns of the row / kernel time per token of the row's "
            "device",
            example="10.7 % for the kernel of 12 blocks with 11.8 % of the time.",
            action="--fail-on 'waste>N%' gates on the total.",
            limits="A ceiling. Rows blame each launch as if it ran alone, the total counts "
            "launches that run at the same time together: shares of such rows add up to more "
            "than the total's.",
        ),
    ),
    column(
        "wasted_without_communication_per_token_ns",
        "Wasted SM-time without collectives",
        sections=Sections(
            measures="The total of wasted SM-time as if there were no collectives, in ns.",
            formula="integral of 1 - min(1, sum of sm_fill of what runs), over the time at least "
            "one kernel runs that is no collective; its share is of that time, "
            "kernel_time_without_communication_per_token_ns",
            example="On a tensor-parallel trace it is the figure to work on.",
            action="Compare with the whole: the difference is waiting for other ranks.",
            limits="Collectives are recognised by owner and name.",
        ),
    ),
    column(
        "wall_time_per_token_ns",
        "Wall time of a token",
        aliases=("wall",),
        sections=Sections(
            measures="From the start of a token to the start of the next, so that the pause after "
            "a token counts; where no token follows directly, to the end of its last launch. A "
            "mean over the tokens that another follows directly, where there are any, in ns.",
            formula="kernels (union over streams) + copies + gaps, a mean over devices",
            example="18.88 tokens/s: 52.96 ms.",
            action="See which of the three parts is large before reshaping kernels.",
            limits=_PER_TOKEN + " A profiler can slow it: compare within one instrument.",
        ),
    ),
    column(
        "kernel_time_per_token_ns",
        "Time at least one kernel runs",
        aliases=("kernel time",),
        sections=Sections(
            measures="Union over all streams of the kernels' intervals per token, in ns.",
            formula="length of the union",
            example="Two kernels at 0-20 and 18-30: 30, not 32.",
            action="The base of wasted_fraction.",
            limits=_PER_TOKEN,
        ),
    ),
    column(
        "copy_time_per_token_ns",
        "Time only copies or sets run",
        aliases=("copy time",),
        sections=Sections(
            measures="Copies and sets outside any kernel's time, per token, in ns.",
            formula="length of the union of copies less that of kernels",
            example="A token id copied to the host each token.",
            action="Keep values on the device; overlap copies with kernels.",
            limits="Copies that kernels make are kernels.",
        ),
    ),
    column(
        "gap_time_per_token_ns",
        "Time nothing runs",
        aliases=("gap", "gaps", "gap time"),
        sections=Sections(
            measures="Time of a token with neither kernel nor copy, in ns.",
            matters="An audit of kernels that hides a 40 % gap misleads.",
            formula="wall - kernels - copies",
            example="Eager launches of 5 us each under kernels of 2 us.",
            action="CUDA graphs, fewer launches, no host synchronisation.",
            limits="Profilers widen gaps.",
        ),
    ),
    column(
        "kernel_time_without_communication_per_token_ns",
        "Time at least one kernel runs that is no collective",
        sections=Sections(
            measures="Union over all streams of the intervals of kernels but collectives, per "
            "token, in ns.",
            formula="length of the union",
            example="A collective alone for 20 us beside 80 us of other kernels: 80 us.",
            action="The base of the share of wasted_without_communication_per_token_ns.",
            limits=_PER_TOKEN,
        ),
    ),
    column(
        "dud_time_per_token_ns",
        "Time of launches that exit at once beside a twin",
        sections=Sections(
            measures="Sum over the rows of verdict dud, per token, in ns; null: there is none.",
            formula="sum of time_per_token_ns",
            example="48 layers whose self-gated attention launches both kernels: 48 x 1.5 us.",
            action="The price of a choice made on the device; see geoaudit explain dud.",
            limits=_PER_TOKEN,
        ),
    ),
    column(
        "wall_time_median_ns",
        "Wall times of the single tokens",
        aliases=("wall_time_tokens", "wall_time_min_ns", "wall_time_max_ns", "mean of"),
        sections=Sections(
            measures="Shortest, middle and longest wall time of a token, in ns.",
            matters="Where they lie apart, no token took the mean.",
            formula="over the tokens the mean is of",
            example="mean of 12; 6.66 to 55.0 ms, median 41.4 ms",
            action="Printed where the longest is more than 1.1 times the shortest: look for what "
            "the host does in the long ones.",
            limits="Null without tokens.",
        ),
    ),
    column(
        "timed_launches",
        "Launches of the row with a time",
        aliases=("repetitions",),
        sections=Sections(
            measures="How many durations the row's figures rest on; repetitions: the fewest at "
            "one call site.",
            example="120 launches at 10 sites: 12 repetitions.",
            action="Below 10 launches the spread is not judged: record more tokens.",
            limits="Launches without a time are in untimed.",
        ),
    ),
)
