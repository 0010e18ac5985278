"""Pages of the columns on how durations spread, within call sites and between them."""

from geoaudit.diagnosis.pages.page import Page, Sections, column

_TEN = "None where no site has ten launches; sites with fewer are left out."

SPREAD_PAGES: tuple[Page, ...] = (
    column(
        "relative_mad",
        "Spread of the durations within a call site",
        aliases=("spread", "mad", "±", "+-"),
        sections=Sections(
            measures="How far a launch lies from the median of its own call site, relative to it: "
            "the median over all launches at the row's sites; 0 to 1.",
            matters="Starvation repeats like a metronome; work that comes and goes beside a kernel "
            "makes it spread. Work that stays may leave it steady: see contended.",
            formula="median of |x - median of its site| / that median, of each site all but the "
            "smallest, which the median takes up. Tight: upper bound (95 %) at most 3 % or two "
            "timer ticks of 32 ns; wide: lower bound at least 8 %; undecided between, and where no "
            "site has 10 launches.",
            example="1.0 % over 828 launches at 69 sites: tight.",
            action="Wide: replay the kernel alone before reshaping it.",
            limits="A starved kernel can be noisy too (24.6 % was seen on an idle machine), so a "
            "wide spread never proves contention by itself.",
        ),
    ),
    column(
        "relative_mad_low",
        "Lower bound of the spread",
        sections=Sections(
            measures="Lower end of the 95 % interval of the relative MAD within a site, 0 to 1.",
            formula="order statistics of the launches' relative deviations from their own site's "
            "median",
            example="4.1 % to 9.3 %: neither tight nor wide, undecided.",
            action="From 8 % on the spread is wide.",
            limits="None where no site has ten launches. Each bound is wrong in about one sample "
            "of 40; on a tail above a hard floor it is a little too high.",
        ),
    ),
    column(
        "relative_mad_high",
        "Upper bound of the spread",
        sections=Sections(
            measures="Upper end of the 95 % interval of the relative MAD within a site, 0 to 1.",
            formula="order statistics of the launches' relative deviations from their own site's "
            "median",
            example="0.6 % to 1.4 %: tight.",
            action="Up to 3 % the spread is tight. Wide bounds ask for more tokens.",
            limits="None where no site has ten launches.",
        ),
    ),
    column(
        "relative_iqr",
        "Middle half of the durations",
        sections=Sections(
            measures="Interquartile range / median of a call site, a median over the sites.",
            formula="(upper quartile - lower quartile) / median",
            example="Twice the relative MAD where durations lie evenly about their median.",
            action="Far more than twice the relative MAD: look for skew or two groups.",
            limits=_TEN,
        ),
    ),
    column(
        "p99_to_median",
        "The slowest hundredth",
        sections=Sections(
            measures="99th percentile of the launches' durations, each over its own site's median.",
            formula="p99 of (duration / median of its site)",
            example="1.02 of a kernel alone; 1.4 under bursts of another process.",
            action="Well above 1 with a tight spread: see outliers.",
            limits="None below a hundred launches at sites of ten or more: fewer have no last "
            "hundredth.",
        ),
    ),
    column(
        "bimodal_fraction",
        "Sites with two kinds of launch",
        sections=Sections(
            measures="Share of the call sites whose durations fall into two groups, 0 to 1.",
            formula="excess mass test (the dip test) on each site at 1 %, equal durations spread "
            "over a timer tick, groups up to two ticks apart not counted; of more than 500 "
            "sites 500 are tested",
            example="A kernel that takes 20 us or 30 us by turns: 100 %.",
            action="Two groups are two causes: another input, another clock, or a neighbour that "
            "is there or not. Rank by position, and compare the tokens.",
            limits="A dozen launches show groups of about equal size only. None where no site has "
            "ten launches.",
        ),
    ),
    column(
        "mode_distance",
        "How far the two groups lie apart",
        sections=Sections(
            measures="Difference of the groups' medians / median of the site, a median over the "
            "bimodal sites.",
            formula="(median of the slower group - median of the faster) / median",
            example="20 us and 30 us: 0.4.",
            action="Compare with what a neighbour or a lower clock would cost.",
            limits="None without a bimodal site.",
        ),
    ),
    column(
        "drift_fraction",
        "Sites that get slower or faster",
        sections=Sections(
            measures="Share of the sites whose durations rise or fall over the recording, 0 to 1.",
            formula="Mann-Kendall test over the order of the launches of each site at 1 %, long "
            "sites joined to 24 medians; of more than 500 sites 500 are tested",
            example="1 % is chance; 100 % is a recording that began before the device was warm.",
            action="Drop the first tokens, or record longer; see drift for how much it is.",
            limits="Launches that depend on one another, as under bursts, count more often. None "
            "where no site has ten launches.",
        ),
    ),
    column(
        "drift",
        "How much slower the end is than the beginning",
        sections=Sections(
            measures="Last third of a site's launches against its first, signed, a median over the "
            "sites.",
            formula="(median of the last third - median of the first) / median of all",
            example="+0.04: the end takes 4 % longer.",
            action="With most sites in drift_fraction: clocks or memory that fills; see "
            "common_factor_range.",
            limits=_TEN,
        ),
    ),
    column(
        "outliers",
        "Launches far slower than their site's others",
        sections=Sections(
            measures="Count; they are kept in all figures.",
            formula="above the upper quartile by more than 3 interquartile ranges and more than 6 "
            "timer ticks",
            example="3 of 828 launches, a millisecond each, the median unchanged: time slices of "
            "another process.",
            action="See what they took: outlier_excess_ns. Rare and about a millisecond: another "
            "process has the device by turns.",
            limits=_TEN,
        ),
    ),
    column(
        "outlier_excess_ns",
        "What an outlier took beyond the median",
        sections=Sections(
            measures="Median over the outliers of duration - median of their site, in ns.",
            formula="median of (duration - median of its site)",
            example="1.1 ms: a time slice. 2 us: a page that was not there, a cold cache.",
            action="Stop other processes on the device and record again.",
            limits="None without outliers.",
        ),
    ),
    column(
        "outlier_max_excess_ns",
        "What the slowest outlier took beyond the median",
        sections=Sections(
            measures="Largest duration - median of its site among the outliers, in ns.",
            formula="maximum of (duration - median of its site)",
            example="4 ms.",
            action="As outlier_excess_ns.",
            limits="None without outliers. One launch makes it.",
        ),
    ),
    column(
        "common_factor_range",
        "How far all durations moved together",
        sections=Sections(
            measures="Slowest token against fastest by the durations of all kernels: largest / "
            "smallest factor - 1, over the tokens of the row.",
            formula="factor of a token = median over launch signatures of the median over their "
            "sites of (duration / the site's median)",
            example="0.11: in some token everything took 11 % longer.",
            action="A few per cent and a drift: clocks. Record at a steady clock, or compare "
            "within tokens.",
            limits="None without tokens or with fewer than five signatures in one. Neighbours that "
            "slow every kernel alike look the same.",
        ),
    ),
    column(
        "relative_mad_without_common_factor",
        "Spread after the common factor is taken out",
        sections=Sections(
            measures="The spread within call sites of duration / factor of its token.",
            formula="as relative_mad, of duration / factor",
            example="6 % with the factor, 0.9 % without: clocks and not contention.",
            action="Where it is tight and relative_mad is wide, the kernel is not what varies.",
            limits="None where common_factor_range is.",
        ),
    ),
    column(
        "site_spread",
        "How far the call sites lie apart",
        aliases=("sites ±", "sites +-"),
        sections=Sections(
            measures="Relative MAD of the sites' medians about their median, 0 to 1.",
            formula="median |m - median m| / median m over the sites' medians m",
            example="A kernel that runs at layers of two widths: tight at each site, 40 % apart.",
            action="Large: rank with --by position to see the sites.",
            limits="None with one site.",
        ),
    ),
    column(
        "site_std_ns",
        "Standard deviation between the call sites",
        sections=Sections(
            measures="How the sites' means differ beyond what their launches scatter, in ns.",
            formula="one-way analysis of variance: square root of (mean square between - mean "
            "square within) / launches per site; 0 where it is negative",
            example="40 us at a kernel of two widths, 0.2 us within: two kernels of one name.",
            action="Large against duration_std_ns: rank with --by position.",
            limits="None with one site. Outliers move it; see site_spread.",
        ),
    ),
    column(
        "sites",
        "Call sites of the row",
        sections=Sections(
            measures="Different positions of the token at which the launches stand.",
            formula="count of distinct (kernel, geometry, position)",
            example="One norm at 61 layers, twice each: 122 sites.",
            action="Few launches per site make a spread uncertain: record more tokens.",
            limits="Null without tokens: nobody knows which launches are of one site, and figures "
            "within a site are of all launches together.",
        ),
    ),
)
