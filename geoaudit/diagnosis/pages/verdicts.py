"""Pages of the verdicts that shape and time allow."""

from geoaudit.diagnosis.pages.page import Page, Sections, verdict

VERDICT_PAGES: tuple[Page, ...] = (
    verdict(
        "starved",
        "The blocks are not there",
        Sections(
            measures="Less than 50 % of the SMs have a block, the launch takes longer than a "
            "launch costs, and its durations do not spread widely.",
            matters="It looks memory-bound to every throughput counter while most of the device "
            "is idle.",
            formula="sm_fill < 0.5, median > launch floor (2.5 us), spread not wide, at most 50 % "
            "of the time under other kernels.",
            example="12 blocks on 132 SMs, 87 us, standard deviation 982 ns: contention would be "
            "noisy, this repeats to 1.1 %.",
            action="Split an axis whose parts need no reduction across blocks, read nothing twice "
            "and keep the layout. Where one block is right, widen it and its loads: 128 threads "
            "with 4-byte loads have 512 bytes in flight, 1,024 with 16-byte loads 16 KB.",
            limits="Suspected: the bytes of a launch against the bandwidth, or another block count "
            "measured against this one, would confirm it.",
        ),
    ),
    verdict(
        "tail",
        "A partial last wave",
        Sections(
            measures="1 to 4 whole waves and a wave efficiency below 80 %.",
            formula="wave_efficiency = waves / ceil(waves)",
            example="1.02 waves: the device waits for 2 % of a wave as long as for the first.",
            action="Size the grid to whole waves, or make the kernel persistent.",
            limits="Equal block times are assumed; unequal ones blur the waves.",
        ),
    ),
    verdict(
        "occupancy_limited",
        "Registers, shared memory or block shape keep warps away",
        Sections(
            measures="The grid fills the device at least once, and theoretical occupancy is below "
            "50 % by registers, shared memory, block slots or barriers.",
            formula="waves >= 1, theoretical_occupancy < 0.5, grid not k x SMs",
            example="A register budget doubled from 64 to 128: 32 resident warps become 16.",
            action="See GA104, GA105, GA106; geoaudit occupancy --what-if.",
            limits="Many kernels buy low occupancy on purpose (matrix instructions, loads "
            "pipelined through shared memory): counters decide.",
        ),
    ),
    verdict(
        "launch_bound",
        "The kernel takes what a launch takes",
        Sections(
            measures="Median duration at or below the launch floor.",
            formula="median <= 2.5 us. On an H200 launches that exit at once take 1.3 to 1.5 us, "
            "and a small state update reshaped as far as it goes 2.25 us.",
            example="An elementwise kernel of one block: 0.9 us.",
            action="Fuse it into a neighbour; programmatic dependent launch; fewer launches.",
            limits="The floor is a default and not measured on the device.",
        ),
    ),
    verdict(
        "communication",
        "A collective or a copy: small by design",
        Sections(
            measures="Owner or name of a collective, or a copy of the runtime.",
            formula="owner nccl, rccl, nvshmem, ..., or a name such as all_reduce",
            example="ncclDevKernel_AllReduce_Sum_bf16_RING_LL with 24 blocks.",
            action="Nothing about its grid; its time is waiting for other ranks as well.",
            limits="Recognised by name; collectives stand in a group of their own.",
        ),
    ),
    verdict(
        "healthy",
        "Shape and time show nothing wrong",
        Sections(
            measures="Geometry known, at least 80 % of the SMs have a block, no tail of a fifth, "
            "no low residency, thread slots filled, no wide spread; or a grid of k x SMs that is "
            "resident at once, as persistent kernels have.",
            formula="no other case applies",
            example="4,096 blocks of 256 threads on 132 SMs.",
            action="Look elsewhere first.",
            limits="Says nothing of the work: a healthy shape can run a slow algorithm, and few "
            "blocks may do all of it.",
        ),
    ),
    verdict(
        "inconclusive",
        "The evidence does not decide",
        Sections(
            measures="Geometry or time is missing, the durations spread widely, the launch mostly "
            "runs under other kernels, or the grid is between starved and full.",
            matters="A wrong verdict costs more than none.",
            formula="the reason names which, and would_decide what to measure",
            example="4 blocks on 148 SMs, all of it under another stream's kernel: the SMs it "
            "leaves are in use.",
            action="Make the measurement that would_decide names.",
            limits="It is no clean bill.",
        ),
    ),
)
