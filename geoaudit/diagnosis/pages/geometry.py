"""Pages of the columns that come from a launch's shape on its device."""

from geoaudit.diagnosis.pages.page import Page, Sections, column

_OCCUPANCY_SOURCE = (
    "CUDA C++ Programming Guide, occupancy calculator; equal to "
    "cuOccupancyMaxActiveBlocksPerMultiprocessor."
)

GEOMETRY_PAGES: tuple[Page, ...] = (
    column(
        "sm_fill",
        "Share of the SMs that get a block",
        aliases=("SM fill", "fill", "occupancy"),
        sections=Sections(
            measures="Blocks of the grid against the SMs the launch can use, 0 to 1.",
            matters="An SM without a block is idle for the whole launch, and no throughput counter "
            "reports it.",
            formula="min(1, grid blocks / usable SMs). It is what launch-geometry audits call "
            "occupancy; CUDA's occupancy is another thing, see theoretical_occupancy.",
            example="On 132 SMs, 1, 12, 48 and 128 blocks fill 0.8, 9.1, 36.4 and 97.0 %.",
            action="Below 50 %, find an axis to split; see GA101.",
            limits="It counts blocks and not their work, and assumes that the launch has the "
            "device to itself.",
        ),
    ),
    column(
        "resident_blocks_per_sm",
        "Blocks that one SM holds at once",
        aliases=("resident", "resident blocks", "blocks/SM"),
        sections=Sections(
            measures="The most blocks of this kernel that are resident on an SM together; 0 where "
            "the launch is impossible.",
            formula="The smallest of what warps, block slots, registers, shared memory and "
            f"barriers allow, each with its allocation unit. Source: {_OCCUPANCY_SOURCE}",
            example="128 threads with 64 registers on an SM of 65,536: 8 blocks, by registers.",
            action="See limiter for what bounds it.",
            limits="Needs registers and shared memory of the kernel: unknown where the source "
            "leaves them out. Spilling and achieved residency are not seen.",
        ),
    ),
    column(
        "limiter",
        "What bounds the resident blocks",
        aliases=("limiters",),
        sections=Sections(
            measures="warps, blocks (block slots), registers, shared_memory, barriers, or "
            "impossible. limiter is the first of several that tie, limiters are all of them; "
            "tables print all: registers + shared memory.",
            formula=f"The argument of the minimum in resident_blocks_per_sm. {_OCCUPANCY_SOURCE}",
            example="160 KB of dynamic shared memory on an H200: shared_memory, one block.",
            action="registers: GA104; shared_memory: GA105; blocks: GA106.",
            limits="Raising one bound stops at the next: try it with geoaudit occupancy --what-if.",
        ),
    ),
    column(
        "theoretical_occupancy",
        "Share of the SM's warp slots that can be resident",
        aliases=("theoretical", "occupancy", "theoretical occupancy"),
        sections=Sections(
            measures="Resident warps at most, against the warps an SM holds, 0 to 1.",
            matters="Other resident warps are what hides the latency of one.",
            formula="resident blocks per SM x warps per block / warps per SM. Source: "
            f"{_OCCUPANCY_SOURCE}",
            example="4 resident blocks of 4 warps on an SM of 64 warps: 25 %.",
            action="Below 50 % with a full grid see occupancy_limited.",
            limits="A bound and not a measurement; tensor-core kernels run well far below 50 %.",
        ),
    ),
    column(
        "waves",
        "How often the grid fills the device",
        sections=Sections(
            measures="Blocks of the grid against the blocks the device holds at once; not rounded.",
            formula="grid blocks / (resident blocks per SM x usable SMs); with clusters grid "
            "blocks / (most active clusters x blocks of a cluster), from driver or recording.",
            example="1,280 blocks on 48 SMs with 8, 6 and 4 resident blocks: 3.33, 4.44 and 6.67.",
            action="Below 1, the grid does not fill the device; just above a whole number, see "
            "tail.",
            limits="A wave is a model: equal block times are assumed, and blocks start as others "
            "end. Nsight Compute counts the waves of clustered launches in blocks; here clusters "
            "count. PyTorch traces record no cluster: there such waves are those without one.",
        ),
    ),
    column(
        "full_waves",
        "Whole waves of the grid",
        sections=Sections(
            measures="Waves, rounded down.",
            formula="floor(waves)",
            example="3.33 waves: 3.",
            action="With 1 to 4 whole waves a partial last one is worth avoiding.",
            limits="As for waves.",
        ),
    ),
    column(
        "tail_blocks",
        "Blocks of the partial last wave",
        aliases=("tail",),
        sections=Sections(
            measures="Blocks that are left over after the whole waves; 0 where they come out even.",
            formula="grid blocks mod blocks the device holds at once; below one wave that is the "
            "whole grid, which no table calls a tail",
            example="270 blocks where 264 fit: 6 blocks, for which the device waits as long as for "
            "264.",
            action="Size the grid to whole waves; see GA102.",
            limits="Equal block times are assumed.",
        ),
    ),
    column(
        "wave_efficiency",
        "Share of the waves' SM-time that blocks use",
        sections=Sections(
            measures="How even the waves come out, 0 to 1.",
            formula="waves / ceil(waves); 1 - wave_efficiency is the ideal loss.",
            example="1.02 waves: 51.0 %, a loss of 49.0 %. 1.77 waves: a loss of 11.5 %.",
            action="Below 80 % with few whole waves, size the grid to whole waves.",
            limits="Equal block times are assumed; below one wave it equals waves.",
        ),
    ),
    column(
        "slot_fill",
        "Share of the resident-block slots that the grid fills",
        sections=Sections(
            measures="Blocks of the grid against what the device holds at once, at most 1.",
            formula="min(1, waves)",
            example="128 blocks on 132 SMs with 2 resident blocks: 48.5 %; 256 blocks: 97.0 %.",
            action="Two blocks per SM let one load while the other computes: aim at 100 %.",
            limits="A slot that other resources would not allow is no slot.",
        ),
    ),
    column(
        "thread_fill",
        "Share of the device's thread slots that are filled",
        aliases=("threads",),
        sections=Sections(
            measures="Threads resident in the fullest wave, against the threads the device holds.",
            formula="min(grid blocks, resident blocks per SM x usable SMs) x block threads / "
            "(usable SMs x max threads per SM)",
            example="512 blocks of 128 threads on 148 SMs of 2,048: 21.6 %.",
            action="See GA107 where the grid is the reason, GA104 to GA106 where the block is.",
            limits="Threads that exist are counted, not threads that work.",
        ),
    ),
    column(
        "sm_count",
        "SMs a launch can use",
        aliases=("SMs", "usable SMs", "usable_sms", "usable_sm_count", "sm_count_source"),
        sections=Sections(
            measures="The device's SMs, less what MIG, MPS or a green context take away; on AMD "
            "its compute units.",
            matters="Every fill and every wave rests on it.",
            formula="What the profile says, else the device table; both are shown where they "
            "differ.",
            example="A T4 under MPS whose profile says 4 SMs: 4, not the table's 40.",
            action="--sms N where you know better.",
            limits="A profile that names only the device cannot tell a partition.",
        ),
    ),
    column(
        "grid_blocks",
        "Blocks of the grid",
        aliases=("blocks",),
        sections=Sections(
            measures="All blocks of a launch.",
            formula="grid x * y * z",
            example="28 x 2 x 9: 504 blocks.",
            action="Against the SMs it is sm_fill.",
            limits="Null where the source has no grid.",
        ),
    ),
    column(
        "block_threads",
        "Threads of a block",
        aliases=("block threads",),
        sections=Sections(
            measures="All threads of a block.",
            formula="block x * y * z",
            example="16 x 16: 256 threads.",
            action="No multiple of the warp: GA103.",
            limits="How many of them work is not seen.",
        ),
    ),
    column(
        "registers_per_thread",
        "Registers that the compiler gave a thread",
        aliases=("registers", "regs"),
        sections=Sections(
            measures="32-bit registers, as recorded.",
            formula="a warp takes them in units of the device",
            example="128 registers, 256 threads, 65,536 of an SM: two blocks.",
            action="Where limiter is registers: GA104.",
            limits="Spilled registers are in memory and not counted.",
        ),
    ),
    column(
        "shared_bytes",
        "Shared memory of a block",
        aliases=("static_shared_bytes", "dynamic_shared_bytes", "shared memory"),
        sections=Sections(
            measures="Static (compiled) and dynamic (asked for at launch), in bytes, and both "
            "together.",
            formula="shared_bytes = static + dynamic; only the sum where the source has no more",
            example="16 KiB dynamic: 16384.",
            action="Where limiter is shared_memory: GA105.",
            limits="What the system reserves per block comes on top.",
        ),
    ),
)
