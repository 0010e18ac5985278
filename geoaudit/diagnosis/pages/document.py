"""Pages of what stands around the rows: recording, devices, classes, distance, gate."""

from geoaudit.diagnosis.pages.page import Page, Sections, column

DOCUMENT_PAGES: tuple[Page, ...] = (
    column(
        "device",
        "The devices the audit is computed for",
        aliases=("devices", "device_index", "index", "name", "vendor", "disagreements"),
        sections=Sections(
            measures="Index, name and limits of each device; the first is the one most time was "
            "spent on. Totals are means over the devices, a row is of one.",
            formula="--device, else what the recording says, else the device table",
            example="device 0 and device 1 of a tensor-parallel trace: one row per kernel on each.",
            action="Where sources disagree, both figures are printed: see which one is right.",
            limits="A recording that only names a device cannot tell a partition of it.",
        ),
    ),
    column(
        "compute_capability",
        "Generation of an NVIDIA device",
        aliases=("architecture", "arch"),
        sections=Sections(
            measures="Major and minor number, or the gfx name of an AMD device.",
            formula="as recorded, else of the device table",
            example="9.0 is Hopper, gfx942 is MI300.",
            action="It decides the limits of an SM: geoaudit devices NAME lists them.",
            limits="Null for AMD devices; see architecture.",
        ),
    ),
    column(
        "step_classes",
        "Kinds of steps that were found",
        aliases=(
            *("steps", "complete_steps", "launches_per_step", "wall_time_per_step_ns", "chosen"),
            "other",
        ),
        sections=Sections(
            measures="Per class: its steps, those of them that are complete and are counted, their "
            "launches and their mean wall time, and whether it is the one audited.",
            formula="steps of one launch sequence are one class; see step_class",
            example="decode: 12 of 13 steps complete, 120 launches, 4.18 ms each.",
            action="--step CLASS audits another one.",
            limits="A step whose start or end was not recorded is not complete.",
        ),
    ),
    column(
        "interventions",
        "What was tried on the kernel",
        aliases=("sweep", "setting", "alone_ns", "in_situ_ns", "tried"),
        sections=Sections(
            measures="Median durations of the launch repeated alone with a cold L2, of the same "
            "launch in its token, and of every other launch shape an arm gives it.",
            formula="geoaudit scan --confirm",
            example="KDA_VALUE_TILE=8, 192 blocks of 256 threads: 1.95 us alone, where 12 blocks "
            "take 20.4 us.",
            action="explain KERNEL --scan F shows every shape that was tried.",
            limits="Only for kernels geoaudit launches itself: the suite and manifests. An arm may "
            "launch another kernel, which kernel_short then names.",
        ),
    ),
    column(
        "gains",
        "Ceilings beside what was won",
        aliases=("pairs", "rank_correlation", "realised_ns", "blocks", "realised per token"),
        sections=Sections(
            measures="Of every shape that was tried on a kernel, the ceiling time x (1 - SM fill), "
            "and the time saved alone, both per token; and Spearman's rank correlation of the two.",
            formula="realised_ns = time_per_token_ns x (1 - time tried / time alone)",
            example="KDA_VALUE_TILE=8: ceiling 1.28 ms, won 1.27 ms.",
            action="Where a gain lies far above its ceiling, the grid was not what held it back.",
            limits="Of the launch alone: what an arm adds elsewhere in the token is not in it.",
        ),
    ),
    column(
        "warnings",
        "What the reader should know of the recording",
        aliases=("warning",),
        sections=Sections(
            measures="Sentences of the reader of the file and of the audit.",
            example="Nsight Compute runs kernels one at a time: gaps cannot be told.",
            action="Read them before the figures.",
            limits="Only what the file shows is warned of.",
        ),
    ),
    column(
        "source_name",
        "File the recording was read from",
        aliases=("source", "scan"),
        sections=Sections(
            measures="Its name, without the folder.",
            example="trace.json.gz",
            action="geoaudit scan reads another one.",
            limits="No path, host or user name is kept.",
        ),
    ),
    column(
        "audited_launches",
        "Kernel launches the figures are computed from",
        sections=Sections(
            measures="Launches in complete steps of the audited class; all where no tokens were "
            "found.",
            example="9,876 of 10,717: the others are of prefill.",
            action="Few of many: see the classes, or tell the tokens.",
            limits="Copies are not among them.",
        ),
    ),
    column(
        "hidden_rows",
        "Rows that --top leaves out",
        aliases=("more rows",),
        sections=Sections(
            measures="Rows that are ranked but not printed; they count in the totals.",
            example="12 more rows (--top 0 shows all)",
            action="--top 0, or --format json, which holds all of them.",
            limits="Rows that a filter leaves out are in filtered_rows.",
        ),
    ),
    column(
        "filtered_rows",
        "Rows that filters leave out",
        sections=Sections(
            measures="Rows that --kernel, --owner or --min-time do not want.",
            example="41 rows left out by filters",
            action="Leave the filters out to see them.",
            limits="The totals stay those of the whole token.",
        ),
    ),
    column(
        "order",
        "What rows are, and what they are sorted by",
        aliases=("group", "per", "rows"),
        sections=Sections(
            measures="order: wasted, time, calls or fill. group: in JSON kernel, signature or "
            "position; in CSV kernel or communication. per: token, or trace where no tokens were "
            "found.",
            formula="--sort and --by",
            example="launch signatures by wasted SM-time, figures per token",
            action="--sort time shows where time goes, --by kernel one row per kernel.",
            limits="What cannot be told stands last.",
        ),
    ),
    column(
        "communication_rows",
        "Collectives, in a table of their own",
        sections=Sections(
            measures="Rows whose launches are collectives; they have the fields of the others.",
            example="ncclDevKernel_AllReduce with 24 blocks",
            action="See wasted_without_communication_per_token_ns for the rest.",
            limits="Recognised by owner and name.",
        ),
    ),
    column(
        "recording_findings",
        "Findings about the recording",
        aliases=("rule_id", "rule_name", "severity", "message", "finding_messages"),
        sections=Sections(
            measures="Rules GA9xx that fired, each with id, name, severity and one sentence.",
            example="GA902 warning: 31.0 % of the kernel time has no grid",
            action="explain GA902; an error among them makes the figures incomplete.",
            limits="Findings about a kernel are in the row: findings and finding_messages.",
        ),
    ),
    column(
        "distance",
        "How far the ceilings reach towards a target",
        aliases=(
            *("measured_ns", "target_ns", "distance_ns", "ceiling_ns", "cumulative_ns"),
            *("cumulative_fraction", "lever", "ceiling", "together", "of the distance"),
        ),
        sections=Sections(
            measures="Wall time measured less the one aimed at; each lever's ceiling, the ceilings "
            "so far together, and the share of the distance that they would close.",
            formula="ceiling: wasted SM-time of a row, or the time nothing runs; "
            "cumulative_fraction = cumulative_ns / distance_ns, may exceed 1",
            example="4.18 ms measured, 3.00 ms aimed at: 1.18 ms to go.",
            action="--target-ms T; if all levers together do not reach, reshaping alone will not.",
            limits="A ceiling is not a saving. Launches at the launch floor and collectives are no "
            "levers.",
        ),
    ),
    column(
        "schema_version",
        "Version of the JSON fields",
        sections=Sections(
            measures="Grows in front of the dot when a field changes or goes, behind it when one "
            "comes.",
            example="1.0",
            action="Check the number in front of the dot.",
            limits="Sentences may change without it.",
        ),
    ),
    column(
        "gate",
        "A command that fails on what an audit holds",
        aliases=("fail-on", "--fail-on"),
        sections=Sections(
            measures="rank or report with --fail-on: exit code 1 where something named is found.",
            matters="A pipeline stops before a kernel that leaves the device empty is merged.",
            formula="rule ids or names, verdicts, severities, or waste>N% of the kernel time, "
            "collectives left out",
            example="--fail-on 'starved,waste>25%'",
            action="Exit code 3 says that the recording could not be judged: record again.",
            limits="A replay, and a recording with dropped records, pass no gate.",
        ),
    ),
)
