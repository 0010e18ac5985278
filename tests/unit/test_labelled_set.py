"""The labelled set: its cases, its making on a device that is made up, and the verdicts on it."""

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest

from geoaudit.devices.calibration import Calibration
from geoaudit.diagnosis.finding import VerdictName
from geoaudit.launches.recording import TokenOptions
from geoaudit.launches.tokens import segment
from tests.gpu import labelled_cases as cases
from tests.gpu import labelled_set
from tests.gpu.labelled_cases import CASES, Launch
from tests.gpu.labelled_proofs import ALONE, Check, checks
from tests.labelled_evaluation import (
    Evaluation,
    Label,
    Outcome,
    as_json,
    as_text,
    available_evidence,
    evaluate,
)
from tests.unit.ranking import builders

FOLDER = Path(__file__).parents[2] / "reports" / "h200-labelled-set"
MINIMUM_CASES = 60


def test_every_kernel_has_a_name_and_a_body_of_its_own() -> None:
    names = cases.kernel_names()
    assert len(set(names)) == len(names)
    for case in CASES:
        for one in labelled_set.every_launch([case]):
            assert f" {one.kernel}(PARAMETERS)" in cases.source()


def test_each_label_is_there_several_times() -> None:
    recordings = Counter(plan.group for plan in labelled_set.PLANS)
    counts = Counter[VerdictName]()
    for case in CASES:
        counts[case.label] += recordings[case.group]
    assert counts.total() >= MINIMUM_CASES
    # What no counter-free recording can tell from a healthy kernel stays under a fifth.
    untold = counts["imbalanced"] + counts["serial"] + counts["compute_bound"]
    assert untold < 0.2 * counts.total()
    assert set(counts) == set(get_args(VerdictName)) - {"communication", "inconclusive"}
    assert min(counts.values()) >= 6


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel)
def test_a_case_has_something_that_shows_its_label(case: cases.Case) -> None:
    assert any(one.holds is not None for one in checks_of_made_up_times(case))


def test_a_case_that_nothing_shows_would_be_found() -> None:
    case = replace(CASES[0], proofs=(), rate=cases.Rate(), group="quiet")
    assert checks_of_made_up_times(case) == ()


def checks_of_made_up_times(case: cases.Case) -> tuple[Check, ...]:
    """What the script checks of a case, with one time whatever is done to it."""
    names = [ALONE, *(proof.name for proof in case.proofs)]
    calibration = Calibration(device_name="d", copy_bytes_per_second=4e12, launch_floor_ns=1_200.0)
    alone = {(case.kernel, name): (10_000,) * 24 for name in names}
    return checks(case, np.full(200, 10_000.0), alone, calibration, 1.98e9)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel)
def test_no_case_reads_or_writes_beyond_its_memory(case: cases.Case) -> None:
    assert 0 <= case.compulsory_bytes <= cases.INPUT_BYTES + cases.OUTPUT_BYTES
    for one in labelled_set.every_launch([case]):
        vectors = one.items * one.rounds * 16
        if "stream" in case.body or "copy" in case.body:
            assert vectors <= min(cases.INPUT_BYTES, cases.OUTPUT_BYTES)
        if "triad" in case.body:
            assert 2 * vectors <= cases.INPUT_BYTES
        if "chain" in case.body:
            assert one.items * one.block * one.rounds * 4 <= cases.INPUT_BYTES
        if "compute" in case.body or "tensor" in case.body:
            assert one.items * one.block * 4 <= cases.OUTPUT_BYTES
        assert one.shared_bytes <= 227 << 10
        assert one.block <= 1024


# ---- the script, with a device that is made up ---------------------------------------------------


class FakeStream:
    """Launches nothing, and says so when asked."""

    done = True

    def __init__(self, log: list[Any]) -> None:
        self.log, self.start = log, 0

    def __enter__(self) -> "FakeStream":
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def synchronize(self) -> None:
        return None

    def begin_capture(self) -> None:
        self.start = len(self.log)

    def end_capture(self) -> SimpleNamespace:
        nodes = self.log[self.start :]
        del self.log[self.start :]
        return SimpleNamespace(launch=lambda _: self.log.extend(nodes))


class FakeMachine(labelled_set.Machine):
    """A device on which a launch is a line in a log."""

    def __init__(self) -> None:
        self.log: list[Launch] = []
        other = SimpleNamespace(Stream=lambda **_: FakeStream(self.log))
        device = SimpleNamespace(attributes={})
        runtime = SimpleNamespace(
            getDeviceProperties=lambda _: {"name": b"NVIDIA H200", "multiProcessorCount": 132}
        )
        other.Device, other.runtime = (lambda: device), runtime
        super().__init__(
            cupy=SimpleNamespace(cuda=other),
            functions={},
            stream=FakeStream(self.log),
            pointers=(0, 0, 0),
            stop_word=np.zeros(1, dtype=np.int32),
        )

    def launch(self, one: Launch, stream: object = None) -> None:
        self.log.append(one)


def made_up_ns(one: Launch, number: int) -> int:
    """A time: short where there is little to do, longer on few blocks."""
    work = one.items * one.rounds * one.block / 256
    return int(1500 + work / min(one.grid, 132) + number % 3 * 32)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder made by the script on the made-up device."""
    machine = FakeMachine()
    tokens = 0

    @contextlib.contextmanager
    def annotate(_: str) -> Iterator[None]:
        nonlocal tokens
        begin = len(machine.log)
        yield
        for place in range(begin, len(machine.log)):
            machine.log[place] = (machine.log[place], f"token#{tokens}")  # type: ignore[call-overload]
        tokens += 1

    @contextlib.contextmanager
    def recorded(path: Path, token_range: str | None = None) -> Iterator[SimpleNamespace]:
        session = SimpleNamespace()
        machine.log.clear()
        yield session
        clock, rows = 0, []
        for number, entry in enumerate(machine.log):
            one, ranges = entry if isinstance(entry, tuple) else (entry, None)
            rows.append(
                builders.Launch(
                    kernel=one.kernel,
                    start=clock,
                    duration=made_up_ns(one, number),
                    blocks=one.grid,
                    threads=one.block,
                    ranges=ranges,
                )
            )
            clock += made_up_ns(one, number) + 1000
        recording = builders.recording(rows)
        options = TokenOptions(token_range=token_range)
        launches = segment(recording.launches, options).launches
        metadata = recording.metadata.__class__(
            **{**recording.metadata.__dict__, "token_options": options}
        )
        session.recording = recording.__class__(launches=launches, metadata=metadata)

    monkeypatch.setattr("nvtx.annotate", annotate)
    monkeypatch.setattr(labelled_set, "recorded", recorded)
    monkeypatch.setattr(labelled_set, "make_machine", lambda: machine)
    monkeypatch.setattr(labelled_set, "probe", set)
    monkeypatch.setattr(labelled_set, "copy_bandwidth", lambda _: 4.17e12)
    monkeypatch.setattr(labelled_set, "co_tenant", contextlib.nullcontext)
    monkeypatch.setattr("time.sleep", lambda _: None)
    labelled_set.make_set(tmp_path / "set")
    return tmp_path / "set"


def test_the_script_makes_a_set_that_can_be_evaluated(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = json.loads((made / "labels.json").read_text(encoding="utf-8"))
    of_starved = [one for one in labels if one["kernel"] == "starved_12_stream"]
    assert {one["recording"] for one in of_starved} == {
        "quiet-eager.parquet",
        "quiet-graph.parquet",
    }
    assert all(one["holds"] for one in of_starved)
    assert {one["recording"] for one in labels} == {
        f"{plan.name}.parquet" for plan in labelled_set.PLANS
    }
    assert available_evidence(made) == ("recorded", "bytes")
    evaluation = evaluate(made, "bytes")
    assert len(evaluation.outcomes) + len(evaluation.left_out) == len(labels)
    verdicts = {one.label.kernel: one.verdict for one in evaluation.outcomes}
    assert verdicts["starved_12_stream"] == "starved"
    # Nothing contends for a device that is made up.
    assert {one.kernel for one in evaluation.left_out} >= {"contended_read", "sliced_read"}


def test_interventions_hold_the_kernel_alone_and_under_other_block_counts(made: Path) -> None:
    found = json.loads((made / "interventions.json").read_text(encoding="utf-8"))["quiet-eager"]
    (one,) = (one for one in found if one["kernel_short"] == "starved_12_stream")
    assert one["grid"] == [12, 1, 1]
    assert len(one["alone_ns"]) == labelled_set.REPETITIONS
    assert len(one["in_situ_ns"]) == 40
    assert [block_count["grid_blocks"] for block_count in one["sweep"]] == [528]


# ---- the verdicts --------------------------------------------------------------------------------


def outcome(
    label: VerdictName, verdict: VerdictName | None, accepts: tuple[VerdictName, ...] = ()
) -> Outcome:
    return Outcome(
        label=Label(recording="r.parquet", kernel=f"{label}_kernel", label=label, accepts=accepts),
        verdict=verdict,
        confidence="suspected",
        reason="12 blocks on 132 SMs",
    )


def test_an_evaluation_counts_what_was_called_what() -> None:
    evaluation = Evaluation(
        evidence="bytes",
        outcomes=(
            outcome("starved", "starved"),
            outcome("serial", "healthy"),
            outcome("healthy", "bandwidth_bound", accepts=("bandwidth_bound",)),
            outcome("compute_bound", "healthy"),
            outcome("imbalanced", "inconclusive"),
            outcome("tail", None),
        ),
    )
    found = as_json(evaluation)
    assert [found[key] for key in ("cases", "right", "inconclusive", "wrong")] == [6, 2, 1, 3]
    assert found["healthy_that_is_not"] == 1
    assert found["confusion"] == {
        "starved": {"starved": 1},
        "serial": {"healthy": 1},
        "healthy": {"bandwidth_bound": 1},
        "compute_bound": {"healthy": 1},
        "imbalanced": {"inconclusive": 1},
        "tail": {"missing": 1},
    }
    text = as_text(evaluation)
    assert "right 33.3%, inconclusive 16.7%, wrong 50.0%" in text
    assert "wrong: r.parquet serial_kernel: is serial, called healthy\n    12 blocks on" in text


@pytest.mark.skipif(not FOLDER.exists(), reason="the set is not recorded yet")
@pytest.mark.parametrize("evidence", available_evidence(FOLDER))
def test_verdicts_on_the_labelled_set(evidence: str) -> None:
    evaluation = evaluate(FOLDER, evidence)  # type: ignore[arg-type]
    told = as_text(evaluation)
    assert len(evaluation.outcomes) >= MINIMUM_CASES, told
    # Without bytes a full grid that does next to nothing looks like one that works.
    assert evidence == "recorded" or not evaluation.healthy_that_is_not, told
    if evidence == "bytes":
        assert evaluation.share("right") >= 0.8, told
        assert evaluation.share("inconclusive") <= 0.2, told
    if evidence == "confirmed":
        assert evaluation.share("right") >= 0.95, told
        assert not evaluation.wrongly_confirmed, told


@pytest.mark.skipif(not FOLDER.exists(), reason="the set is not recorded yet")
def test_the_kept_verdicts_are_those_of_today() -> None:
    told = "\n".join(as_text(evaluate(FOLDER, one)) for one in available_evidence(FOLDER))
    assert told == (FOLDER / "verdicts.txt").read_text(encoding="utf-8")
