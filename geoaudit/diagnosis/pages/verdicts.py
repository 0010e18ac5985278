"""Pages of the verdicts."""

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
            formula="sm_fill < 0.5, median above the launch floor, spread not wide, at most 50 % "
            "of the time under other kernels.",
            example="12 blocks on 132 SMs, 87 us, standard deviation 982 ns: contention would be "
            "noisy, this repeats to 1.1 %.",
            action="Split an axis whose parts need no reduction across blocks, read nothing twice "
            "and keep the layout. Where one block is right, widen it and its loads: 128 threads "
            "with 4-byte loads have 512 bytes in flight, 1,024 with 16-byte loads 16 KB.",
            limits="Suspected from one recording; a sweep of block counts confirms it or overturns "
            "it (geoaudit scan --confirm).",
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
            "pipelined through shared memory): counters decide. Where thread slots are empty, more "
            "blocks of the same kernel that are faster (--confirm) confirm it.",
        ),
    ),
    verdict(
        "imbalanced",
        "The grid is full, and few blocks do the work",
        Sections(
            measures="At least 80 % of the SMs have a block, and counted, SMs have a warp less "
            "than half of the time.",
            formula="sm_fill >= 0.8, sm__cycles_active.avg / sm__cycles_elapsed.max < 0.5",
            example="264 blocks on 132 SMs of which one does the work: SMs are busy 3 % of the "
            "time.",
            action="Share the work of the long blocks out; rows of unequal length are often why.",
            limits="Needs counters: geoaudit scan --counters, or --counters-from an ncu CSV.",
        ),
    ),
    verdict(
        "serial",
        "The time is a chain within each thread",
        Sections(
            measures="A full grid on busy SMs, with the busiest unit of an SM and memory both "
            "below 30 % of what they can do; or a time that does not change with the block count.",
            formula="sm_active >= 0.8, sm_throughput < 0.3, DRAM traffic < 0.3 of a copy's",
            example="A dependent chain of 4,096 loads a thread: as long with twice the blocks.",
            action="Another algorithm: independent accumulators, fewer serial steps.",
            limits="Suspected from counters; a sweep of block counts that is flat confirms it.",
        ),
    ),
    verdict(
        "launch_bound",
        "The kernel takes what a launch takes",
        Sections(
            measures="Median duration near what a launch takes that does nothing.",
            formula="median <= 1.6 x (time of an empty kernel + one trip to memory), as measured "
            "on the device: on an H200 1.53 us eager, 1.73 us in a graph. Where no empty kernel "
            "was measured, median <= 2.5 us.",
            example="An elementwise kernel of one block: 0.9 us.",
            action="Fuse it into a neighbour; programmatic dependent launch; fewer launches.",
            limits="The default is an H200's; geoaudit devices --measure before the recording puts "
            "the device's own in its place.",
        ),
    ),
    verdict(
        "dud",
        "A self-gated launch that exits at once",
        Sections(
            measures="A launch beside a twin: the next position, the same grid, a similar name, at "
            "least 2.5 times its time; and no more than 2 us and half a nanosecond a block.",
            matters="Two kernels that choose on the device which of them works keep a CUDA graph "
            "valid; the price is the launch of the other.",
            formula="median <= 0.4 x the twin's median, median <= 2 us + 0.5 ns x blocks",
            example="A hybrid attention's one-warp kernel: 1.5 us beside the twin's 62 us.",
            action="Choose on the host where the size is known there.",
            limits="Needs tokens, so that positions are known; without them it is launch_bound.",
        ),
    ),
    verdict(
        "bandwidth_bound",
        "Near the floor of its bytes",
        Sections(
            measures="At most 1.6 times max(launch floor, bytes / copy bandwidth), where the L2 "
            "cannot have served it; or, counted, at least 70 % of the traffic that a copy has.",
            formula="median / floor_ns <= 1.6",
            example="62.1 us against a floor of 48.9 us: 1.27 times. Bandwidth and a tail, not "
            "starved.",
            action="Fewer bytes: a smaller type, fusion, a cache; no launch shape brings much.",
            limits="Compulsory bytes are declared (a manifest, --bytes), the bandwidth is measured "
            "(geoaudit devices --measure) or the data sheet's.",
        ),
    ),
    verdict(
        "compute_bound",
        "Arithmetic is at its limit",
        Sections(
            measures="Counted, the busiest unit of an SM (a pipeline, the issue slots, the path to "
            "memory) is at 60 % of its peak or more, DRAM is not, and no partial wave costs a "
            "fifth.",
            formula="sm_throughput_fraction >= 0.6",
            example="A matrix product at 90 % of the tensor cores' peak.",
            action="Fewer operations, a smaller type, tensor cores.",
            limits="Needs counters. The unit may be the load/store path and shared memory: Nsight "
            "Compute names it.",
        ),
    ),
    verdict(
        "contended",
        "Others take the device from it",
        Sections(
            measures="More than half of its time under kernels of other streams or processes that, "
            "with its own grid, have blocks for more than all SMs; or a full grid whose durations "
            "spread widely; or rare launches that take a time slice longer.",
            matters="The spread does not tell steady contention: beside a second stream that runs "
            "all the time it was 2.5 to 6.9 % eager and 3.0 to 43 % in a graph (eight launches, "
            "H200), none of them tight and most not wide. What ran beside it tells.",
            formula="beside > 0.5, sm_fill + sm_fill_beside > 1; or relative_mad >= 8 %",
            example="A multiplication beside another stream's: 211 us, alone 44.6 us, and a spread "
            "of 3.4 % (upper bound 4.5 %): neither tight nor wide.",
            action="Time it alone; order the streams; give the other work another time.",
            limits="A process outside the recording shows only in the spread.",
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
            "no low residency, thread slots filled, no wide spread, and near its floor where the "
            "bytes are known; or a grid of k x SMs that is resident at once, as persistent kernels "
            "have.",
            formula="no other case applies",
            example="4,096 blocks of 256 threads on 132 SMs.",
            action="Look elsewhere first.",
            limits="Without bytes and counters it says nothing of the work: few blocks may do all "
            "of it, or each thread wait for itself.",
        ),
    ),
    verdict(
        "inconclusive",
        "The evidence does not decide",
        Sections(
            measures="Geometry or time is missing, the evidence contradicts itself, the grid is "
            "between starved and full, or a full grid is far above its floor and no counter says "
            "why.",
            matters="A wrong verdict costs more than none.",
            formula="the reason names which, and would_decide what to measure",
            example="4 blocks on 148 SMs, all of it under another stream's kernel: the SMs it "
            "leaves are in use.",
            action="Make the measurement that would_decide names.",
            limits="It is no clean bill.",
        ),
    ),
)
