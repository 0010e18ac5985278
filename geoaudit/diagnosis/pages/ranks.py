"""Pages of what several ranks of one run are compared by: `rank --by rank`."""

from geoaudit.diagnosis.pages.page import Page, Sections, column

_ALIGNED = (
    "Calls are aligned by token and position, never by a clock; where that cannot be done it is "
    "null."
)

RANK_PAGES: tuple[Page, ...] = (
    column(
        "distributed_rank",
        "Rank of the distributed run",
        aliases=("ranks", "run_ranks", "missing", "further_devices"),
        sections=Sections(
            measures="The number that the launcher gave the process; rank, in rows, is the place "
            "in the order. run_ranks: how many the run has, missing: those without a launch.",
            example="rank 1 of 2: the second process of torchrun --nproc-per-node 2.",
            action="Record all ranks as one data set, and compare them: geoaudit rank --by rank.",
            limits="Null where neither the launcher nor the profile tells it. Of a rank that "
            "launches on several devices the one with most of its launches is compared.",
        ),
    ),
    column(
        "geometry",
        "Whether all ranks launch the same",
        aliases=("differing", "lacking", "unplaced", "differences"),
        sections=Sections(
            measures="Positions of the token at which kernel, grid, block, cluster or dynamic "
            "shared memory of the ranks are the same, differ (differing), or a rank launches "
            "nothing (lacking). unplaced: launches that the token's template lacks.",
            matters="Ranks of tensor parallelism do the same work on equal shards; what differs "
            "makes one of them late, and the others wait.",
            formula="a position differs where it does in any token that all ranks have",
            example="at position 7: rank 0 gemv grid 12 block 128; rank 1 gemv grid 24 block 128",
            action="Split the dimension evenly, or pad it; see geoaudit explain GA907.",
            limits="Only positions of the audited class of steps. Without tokens there are none, "
            "and a rank whose steps are of another class cannot be compared.",
        ),
    ),
    column(
        "time_difference_fraction",
        "How far the ranks' times of a launch signature lie apart",
        aliases=("apart", "time_difference_ns", "slowest_rank"),
        sections=Sections(
            measures="Time per token of the slowest rank less that of the fastest, in ns, and as "
            "a share of the slowest's, 0 to 1.",
            formula="(longest - shortest) / longest",
            example="240 us on rank 0 and 150 us on rank 1: 0.375.",
            action="slowest_rank is named from 5 % on, and above what the timer's ticks make: "
            "look for a larger shard, other clocks, or another process on its device.",
            limits="Null where a rank does not launch it. Times of one token are not compared.",
        ),
    ),
    column(
        "communication_time_per_token_ns",
        "Time of the collectives on a rank",
        aliases=("collectives",),
        sections=Sections(
            measures="Sum of the durations of a rank's collectives per token, in ns.",
            formula="own time + waiting",
            example="122 us on rank 0, 182 us on rank 1.",
            action="See how much of it is waiting first.",
            limits="Collectives are recognised by owner and name. Where they run beside kernels, "
            "their time is not all on the critical path.",
        ),
    ),
    column(
        "own_time_per_token_ns",
        "Time of the collectives without waiting",
        aliases=("own", "own time", "common_tokens"),
        sections=Sections(
            measures="Sum over a token's calls of a collective of the shortest duration that a "
            "rank has for the call, in ns; a mean over common_tokens, those in which every call "
            "was found on all ranks.",
            formula="sum over calls of min over ranks of duration / tokens",
            example="A call of 30 us on rank 0 and 45 us on rank 1: 30 us.",
            action="A faster algorithm, fewer or fused calls, overlap with kernels.",
            limits="Nearest to the collective's own time where it ends on all ranks together and "
            "all of them take part, which is assumed. The last rank may wait for data too. "
            + _ALIGNED,
        ),
    ),
    column(
        "waiting_per_token_ns",
        "Time of the collectives that a rank waits for others",
        aliases=("waiting", "wait", "waits", "waiting_fraction", "last"),
        sections=Sections(
            measures="What a rank's calls of a collective take longer than the shortest of each, "
            "per token, in ns; waiting_fraction: of all collectives' time on all ranks.",
            matters="Waiting looks like slow communication and is another rank's slow kernels.",
            formula="sum over calls of (duration - min over ranks of duration) / tokens",
            example="30 us and 45 us: rank 0 arrives last and rank 1 waits 15 us for it.",
            action="The rank that waits least arrives last: compare its kernels with the others'.",
            limits="As own_time_per_token_ns. Of a broadcast, a root that is done early looks as "
            "if the others waited.",
        ),
    ),
    column(
        "skew_median_ns",
        "How far a collective's durations on the ranks lie apart",
        aliases=("skew", "skew_p95_ns", "skew_max_ns", "skew_calls", "longest"),
        sections=Sections(
            measures="Longest less shortest duration of one call over the ranks, in ns: the "
            "median, the 95th percentile and the largest over all calls.",
            formula="max over ranks - min over ranks, per call",
            example="median 15 us, p95 15 us: each call waits as long, so one rank is slower "
            "throughout. A small median and a large p95: something happens now and then.",
            action="Even: balance the ranks. Now and then: look at host, clocks and other "
            "processes of the rank that is late.",
            limits=_ALIGNED,
        ),
    ),
)
