"""Pages of the columns that hold a launch against what the device can do."""

from geoaudit.diagnosis.pages.page import Page, Sections, column

FLOOR_PAGES: tuple[Page, ...] = (
    column(
        "floor_ns",
        "The time below which no launch shape brings a launch",
        aliases=("floor",),
        sections=Sections(
            measures="What the launch cannot do without, in ns: its bytes at the bandwidth of a "
            "large copy on the device, or a launch that does nothing.",
            matters="Wasted SM-time is a ceiling: the floor says how much of it can be real.",
            formula="max(launch floor, bytes / copy bandwidth); eager launches against an empty "
            "kernel launched eagerly, those of CUDA graphs against one in a graph. The median over "
            "the row's launches.",
            example="3.1 MB at 4.17 TB/s: 0.74 us.",
            action="geoaudit devices --measure measures bandwidth and launch floor; a suite scan "
            "does so itself.",
            limits="Null where the bytes are unknown. A launch that finds its bytes in the L2 can "
            "be faster: whether it may is told from the bytes of all launches from one of its site "
            "to the next, its own among them; memory that several touch counts for each. "
            "Unmeasured figures are of the data sheet, which no kernel reaches: see "
            "floor_is_measured.",
        ),
    ),
    column(
        "floor_ratio",
        "How many times its floor a launch takes",
        aliases=("floor ratio",),
        sections=Sections(
            measures="Duration against the launch's own floor; the median over the row's launches.",
            matters="Near 1 the launch is done, whatever its grid; large on a small grid it is "
            "starved.",
            formula="median of (duration / max(launch floor, bytes / copy bandwidth)). Each launch "
            "is held against its own floor, so that launches of one shape and other sizes are not "
            "pooled: the row's median duration / floor_ns may differ from it.",
            example="87 us against 0.9 us: 96.7. 62.11 us against 48.9 us: 1.27.",
            action="From 4 on look at the verdict; up to 1.6 leave the kernel alone.",
            limits="Null where bytes or bandwidth are unknown. With traffic for bytes it is a "
            "lower bound: what is read twice counts twice.",
        ),
    ),
    column(
        "floor_bytes",
        "Bytes of a launch that its floor is made of",
        aliases=("compulsory_bytes", "bytes"),
        sections=Sections(
            measures="Each input once and each output once, of one launch; the median over the "
            "row's launches.",
            formula="bytes_read + bytes_written of the manifest, or the line of --bytes FILE that "
            "fits; without either the traffic that counters measured.",
            example="A state of 12 x 128 x 128 floats, read and written: 1.6 MB.",
            action="Say them in the manifest, or in a CSV: rank --bytes bytes.csv with a first "
            "line kernel,bytes and lines like rms_norm,3*4*7168 below.",
            limits="Null where nobody says and nothing was counted.",
        ),
    ),
    column(
        "floor_source",
        "Where the bytes of the floor are from",
        sections=Sections(
            measures="compulsory: declared, by the manifest or by --bytes. traffic: counted by "
            "the hardware.",
            matters="Traffic holds what is read twice: measured / compulsory is the amplification.",
            example="traffic: a scan with counters and no manifest.",
            action="Declare the bytes to turn a traffic floor into a floor.",
            limits="Null where the bytes are unknown.",
        ),
    ),
    column(
        "floor_is_measured",
        "Whether the floor's figures were measured on the device",
        sections=Sections(
            measures="true: launch floor and bandwidth were measured on a device of this name. "
            "false: the bandwidth is the data sheet's, or the launch floor a default of 2.5 us.",
            example="An H200 copies at 4.17 TB/s; its data sheet says 4.8.",
            action="geoaudit devices --measure, and record again.",
            limits="Null where there is no floor.",
        ),
    ),
    column(
        "working_warps_per_sm",
        "Resident warps of an SM that do work",
        aliases=("working_threads", "working warps"),
        sections=Sections(
            measures="Warps that do work on an SM that has blocks of the launch.",
            matters="Occupancy counts warps that exist. A block of 128 threads of which one warp "
            "works hides no more latency than that warp.",
            formula="working threads of a block / threads of a warp, rounded up, x the blocks "
            "there: min(resident_blocks_per_sm, grid blocks / SMs, rounded up)",
            example="On an SM of 1,536 threads, 12 blocks of 128 threads of which one warp works: "
            "12, not 48.",
            action="Few: give the idle warps of a block a share of the work.",
            limits="Null where the manifest does not declare working_threads.",
        ),
    ),
    column(
        "bytes_in_flight_per_sm",
        "Bytes of loads that an SM has outstanding",
        aliases=("bytes_in_flight_per_thread", "bytes in flight"),
        sections=Sections(
            measures="Bytes that the working threads of an SM have requested before they wait.",
            matters="With fewer than needed_bytes_in_flight_per_sm the memory waits for requests.",
            formula="bytes_in_flight_per_thread x working threads x blocks of the SM",
            example="128 threads of 4-byte loads: 512 bytes; 1024 threads of 16-byte loads: 16 KB. "
            "The grid stays one block.",
            action="Wider loads, several at once, a wider block.",
            limits="As declared; else, for kernels of a manifest and where nvdisasm is there, the "
            "loads that the machine code issues before it waits, in the loop that loads most. That "
            "counts loads that the caches serve, too. Null where neither tells.",
        ),
    ),
    column(
        "needed_bytes_in_flight_per_sm",
        "Bytes in flight that saturate an SM's share of the memory",
        sections=Sections(
            measures="What one SM must have outstanding for its share of the bandwidth.",
            matters="Far above it prefetching cannot help: there is nothing left to overlap.",
            formula="latency x copy bandwidth / SMs (Little's law), both measured on the device",
            example="700 ns x 4.17 TB/s / 132 SMs: 22,114 bytes.",
            action="Compare with bytes_in_flight_per_sm.",
            limits="Null where latency or bandwidth were not measured. If few SMs have blocks, "
            "one of them could use more than its share.",
        ),
    ),
)
