"""The verdict on one launch signature: a table of cases over all that is known of it.

=====  ==================================================  =====================================
order  case                                                verdict
=====  ==================================================  =====================================
1      a collective or a copy, by owner or name            communication
2      exits at once beside a twin that does the work      dud
3      median of its own time near the launch floor        launch_bound
4      grid or device unknown, or figures contradict       inconclusive: geometry
5      no launch timed, or below half of its floor         inconclusive: time, bytes
6      mostly under other streams' or processes' kernels,  contended
       and together they have blocks for more than all
       SMs; or rare launches that took a time slice
       longer make a tenth of its time
7      at most 1.6 times the floor of its bytes, which     bandwidth_bound
       the L2 cannot have served
8      counted: an SM's busiest unit at 60 % of its peak,  compute_bound
       memory is not, and there is no tail of a fifth
9      counted: the grid covers the SMs, which idle        imbalanced
10     less than 50 % of the SMs have a block              starved
11     50 to 80 % of the SMs have a block                  inconclusive: between
12     blocks or clusters held at once unknown             inconclusive: registers, clusters
13     counted: 70 % of the traffic that a copy has        bandwidth_bound
14     grid = k x SMs, resident at once, filled            healthy (persistent)
15     1 to 4 whole waves, wave efficiency below 80 %      tail
16     a full wave, theoretical occupancy below 50 %       occupancy_limited
17     counted: busy SMs, idle arithmetic and memory       serial
18     every SM has a block, thread slots below 50 %       occupancy_limited where too few bytes are
                                                           in flight, else inconclusive: warps
19     a full grid whose durations spread widely           contended
20     near its floor, or no bytes known                   healthy
21     none of these                                       inconclusive: far from its floor
=====  ==================================================  =====================================

"Counted" needs hardware counters; the floor needs the bytes of a launch. What is unknown passes its
cases by: 14 and 20 then say that a full grid can do nothing.

Cases 10, 15, 16 and 18 give way to ``inconclusive`` where the evidence disagrees: durations spread
widely (a starved kernel may be noisy too, so noise proves neither), or the launch mostly runs
under other kernels, which use the SMs that it leaves (small grids are then often on purpose).
A wide spread also takes a ``healthy`` back; where call sites are not told apart it is no evidence.
Near the launch floor is up to 1.6 times what an empty kernel and a trip to memory were measured to
take, or, where none was, up to a default; above that by up to a fifth, the reason says so.

A verdict is ``suspected`` where it rests on one recording, and ``confirmed`` where counters or an
intervention bear it out; interventions may overturn it too, see `geoaudit.diagnosis.settling`.
"""

from dataclasses import replace

from geoaudit.diagnosis.argument import rests_on
from geoaudit.diagnosis.cases import Case, measured, recognised, shape, unknown
from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.ruling_out import ruled_out
from geoaudit.diagnosis.settling import ruled_out_alone, settled, told
from geoaudit.diagnosis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from geoaudit.diagnosis.weighing import weighed

CASES: tuple[Case, ...] = (
    recognised.communication,
    recognised.dud,
    recognised.launch_bound,
    unknown.unknown_geometry,
    unknown.untimed,
    measured.contradicted,
    measured.contended,
    measured.time_sliced,
    measured.bandwidth_bound,
    measured.compute_bound,
    measured.imbalanced,
    shape.starved,
    shape.between,
    unknown.unknown_residency,
    measured.bandwidth_bound_by_traffic,
    measured.persistent,
    shape.tail,
    shape.occupancy_limited,
    measured.serial,
    shape.unfilled,
    measured.uneven,
    shape.healthy,
    measured.far_from_floor,
)


def judge(evidence: SignatureEvidence, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Verdict:
    """Say what holds a launch signature back, as far as the evidence goes.

    Args:
        evidence: all that is known of the signature.
        thresholds: the launch floor, and the bounds of the spread and of the floor ratio.

    Returns:
        The verdict of the first case of the table above that applies, with the numbers it rests
        on, what they rule out, and what would decide or strengthen it.
    """
    found = (case(evidence, thresholds) for case in CASES)
    verdict = next(verdict for verdict in found if verdict is not None)
    argued = settled(weighed(verdict, evidence, thresholds), evidence)
    return replace(
        argued,
        rests_on=(*rests_on(evidence, thresholds), *told(evidence)),
        ruled_out=(
            *ruled_out_alone(argued.name, evidence),
            *ruled_out(argued.name, evidence, thresholds),
        ),
    )
