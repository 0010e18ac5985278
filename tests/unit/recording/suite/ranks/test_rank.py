"""What one rank launches, and when it sums."""

from geoaudit.recording.suite.described_run import DescribedRun
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.ranks.group_run import GroupRun, group_run
from tests.unit.manifest.example_manifest import FILE, planned
from tests.unit.manifest.test_ranks import IN_LAYER
from tests.unit.recording.suite.fake_device import STREAM, FakeRanges, FakeRuntime


class Sums:
    """A communicator that notes when it is asked, among what was launched until then."""

    def __init__(self, runtime: FakeRuntime) -> None:
        self.runtime = runtime
        self.asked: list[tuple[int, int, int, str, int]] = []

    def all_reduce(self, address: int, elements: int, dtype: str, stream: int) -> None:
        """Note it."""
        launched = len(self.runtime.library.launches)
        self.asked.append((launched, address, elements, dtype, stream))


def test_a_sum_follows_its_launch_on_the_launches_stream() -> None:
    runtime, plan = FakeRuntime(), planned(IN_LAYER)
    engine = Engine(runtime, [plan])
    sums = Sums(runtime)
    token = engine.prepare(plan, sums)
    token.launch(0)
    assert [launched for launched, *_ in sums.asked] == [2, 4, 6, 8, 10, 12]
    assert {(elements, dtype, stream) for *_, elements, dtype, stream in sums.asked} == {
        (896, "f32", STREAM)
    }
    assert len({address for _, address, *_ in sums.asked}) == 1


def test_a_sum_is_inside_the_ranges_of_its_launch() -> None:
    runtime, plan = FakeRuntime(), planned(IN_LAYER)
    ranges = FakeRanges()

    class Noted(Sums):
        def all_reduce(self, *_: object) -> None:
            ranges.events.append("sum")

    token = Engine(runtime, [plan]).prepare(plan, Noted(runtime))
    token.launch_noted(0, ranges)
    assert ranges.events[:5] == ["+decode", "+layer", "sum", "-", "+layer"]


def test_a_rank_alone_sums_nothing() -> None:
    runtime, plan = FakeRuntime(), planned(IN_LAYER)
    Engine(runtime, [plan]).prepare(plan).launch(0)
    assert len(runtime.library.launches) == len(plan.launches)


def test_a_run_is_told_and_understood() -> None:
    run = GroupRun(
        run=DescribedRun(manifest=str(FILE), step="decode", assignments=("tp=4",)),
        ranks=2,
        tokens=12,
        warm_up_tokens=3,
    )
    command = run.rank_command("/tmp/meeting")
    assert command[1:4] == ["-P", "-m", "geoaudit.recording.suite.ranks.rank"]
    told = group_run(command[-1])
    assert (told.run, told.ranks, told.meeting) == (run.run, 2, "/tmp/meeting")
    assert told.run.planned().symbols["tp"] == 4
    assert run.command[3] == "geoaudit.recording.suite.ranks.launcher"
