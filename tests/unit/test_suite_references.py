"""What proves the kernels on a GPU, with the references themselves in the place of the device."""

import re
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.manifest.arm_effects import kernels_reached
from geoaudit.manifest.planned import BufferUse, PlannedBuffer, PlannedLaunch, StepPlan
from tests.gpu.suite_references import (
    CASES,
    INERT_UP_TO,
    SIZES,
    Array,
    Case,
    Gpu,
    Proof,
    arm_settings,
    changed_places,
    compared,
    is_writing,
    number,
    planned,
    references,
    suite_manifest,
    table,
    walk,
)
from tests.suite_fill import filled
from tests.unit.recording.suite.fake_device import FakeMemory, FakeRuntime

MANIFEST = suite_manifest()
SETTINGS = arm_settings(MANIFEST)
SMALL = (
    "layer_groups=1", "weight_copies=1", "gqa_layers=1", "hidden=64", "heads_total=16",
    "low_rank=8", "query_rank=16", "experts=16", "expert_width=16", "dense_width=16",
    "vocabulary=3000", "gqa_hidden=64", "gqa_n_head=16",
)  # fmt: skip
DECODE = Case(step="decode", sizes=("context=33",))
SLICED = Case(step="decode", sizes=("context=1025",))
GQA = Case(step="gqa", sizes=("gqa_context=1920", "gqa_capacity=2048"))
GQA_DEEP = Case(step="gqa", sizes=("gqa_context=1921", "gqa_capacity=2048"))
LOWEST = float(np.finfo(np.float32).min)

FILLED: dict[object, Array] = {}


def first_contents(buffer: PlannedBuffer, copy: int) -> Array:
    """What fill.cu fills a buffer with; worked out once."""
    key = (buffer.name, copy, buffer.elements, *buffer.init_figures.items())
    if key not in FILLED:
        FILLED[key] = filled(buffer, copy)
    return FILLED[key]


class ReferenceDevice:
    """Computes every launch by its reference, rounded as the buffers are."""

    def begin(self, one: StepPlan, shift_elements: int) -> None:
        self.buffers = {buffer.name: buffer for buffer in one.buffers}
        self._launches = one.launches
        self._shift = shift_elements
        self._contents: dict[BufferUse, Array] = {}

    def read(self, use: BufferUse) -> Array:
        return self._array(use).copy()

    def write(self, use: BufferUse, contents: Array) -> None:
        self._array(use)[:] = contents

    def run(self, place: int) -> None:
        launch = self._launches[place]
        if is_writing(launch):
            for use, figures in zip(launch.outputs, self.figures(launch), strict=True):
                # Where anything may stand, so that no launch reads what is no number.
                self._array(use)[: len(figures)] = np.where(np.isnan(figures), LOWEST, figures)

    def figures(self, launch: PlannedLaunch) -> tuple[Array, ...]:
        """What the launch's outputs are to hold."""
        given = [
            self._array(one) if isinstance(one, BufferUse) else number(one)
            for one in launch.arguments
        ]
        name = MANIFEST.kernels[launch.shape.kernel].reference
        outputs: tuple[Array, ...] = getattr(references, str(name))(*given)
        return outputs

    def _array(self, use: BufferUse) -> Array:
        if use not in self._contents:
            first = first_contents(self.buffers[use.buffer], use.copy)
            self._contents[use] = first[self._shift :].copy()
        return self._contents[use]


# ---- what is planned ----------------------------------------------------------------------------


def test_every_kernel_and_every_value_of_every_arm_has_a_case() -> None:
    launched: set[str] = set()
    alone: set[str] = set()
    changed: dict[str, set[str]] = {arm: set() for arm in MANIFEST.arms}
    for case in CASES:
        baseline = planned(case)
        launched |= {launch.shape.kernel for launch in baseline.launches}
        for arms in SETTINGS:
            one = planned(case, arms)
            kernels = {one.launches[place].shape.kernel for place in changed_places(one, baseline)}
            launched |= kernels
            alone |= set(arms) if len(arms) == 1 and kernels else set()
            for arm in (arm for arm, value in one.arms.items() if value):
                changed[arm] |= kernels
    assert launched == MANIFEST.kernels.keys()
    values = {f"{arm.name}={value}" for arm in MANIFEST.arms.values() for value in arm.values}
    assert alone == values
    # A kernel that one arm alone launches is met by the others where all are together.
    for arm, kernels_of_arm in kernels_reached(MANIFEST).items():
        assert set(kernels_of_arm) <= changed[arm], arm


def test_every_kernel_has_a_reference_and_a_tolerance() -> None:
    for kernel in MANIFEST.kernels.values():
        assert kernel.tolerance is not None
        assert kernel.reference is not None
        assert callable(getattr(references, kernel.reference))


def test_cases_stand_on_both_sides_of_every_gate() -> None:
    assert {name for name, arm in MANIFEST.arms.items() if arm.inert} == INERT_UP_TO.keys()
    sizes = {size for case in CASES for size in case.sizes}
    for symbol, largest in INERT_UP_TO.values():
        assert {f"{symbol}={largest}", f"{symbol}={largest + 1}"} <= sizes


def test_an_arm_of_the_plan_alone_is_inert_in_the_plan() -> None:
    for context, is_changed in ((4096, False), (4097, True)):
        case = Case(step="decode", sizes=(f"context={context}",))
        changed = changed_places(planned(case, ("MLA_DERIVED_FLOOR",)), planned(case))
        assert bool(changed) == is_changed


def test_equals_stand_among_the_largest_and_not_in_the_first_chunk() -> None:
    (case,) = [case for case in CASES if case.step == "odd"]
    buffers = {buffer.name: buffer for buffer in planned(case).buffers}
    scores = np.sort(first_contents(buffers["tied_scores"], 0))[::-1]
    logits = first_contents(buffers["tied_logits"], 0)
    assert 1 < len(np.unique(scores[:9])) < 8
    assert (logits == logits.max()).sum() > 1
    assert logits.argmax() > 1024


# ---- what is walked -----------------------------------------------------------------------------


@pytest.mark.parametrize("case", [DECODE, GQA, GQA_DEEP], ids=str)
def test_references_fill_the_outputs_of_every_launch(case: Case) -> None:
    device = ReferenceDevice()
    plans = [planned(case, arms, SMALL) for arms in ((), *SETTINGS)]
    for seen in (seen for one in plans for seen in walk(device, one, None, 0)):
        name = seen.launch.shape.kernel
        outputs = getattr(references, str(MANIFEST.kernels[name].reference))(*seen.given)
        assert len(outputs) == len(seen.launch.outputs) == len(seen.left) > 0, name
        for use, figures, left in zip(seen.launch.outputs, outputs, seen.left, strict=True):
            is_integer = device.buffers[use.buffer].dtype == "i32"
            assert figures.dtype == (np.int32 if is_integer else np.float64), name
            assert figures.ndim == 1, name
            assert 0 < len(figures) <= len(left), name
            assert not np.isinf(figures).any(), name


@pytest.mark.parametrize("case", [DECODE, GQA, GQA_DEEP], ids=str)
def test_what_computes_as_the_references_do_is_right(case: Case) -> None:
    proof = Proof(ReferenceDevice(), SMALL)
    proof.prove(case, SETTINGS)
    kernels = {launch.shape.kernel for launch in planned(case, SETTINGS[-1], SMALL).launches}
    assert {kernel for kernel, _ in proof.rows} >= kernels
    # No reference contracts, and this arm must show.
    contracting = {("kda_decode_step", "KDA_CONTRACT=1")} & proof.rows.keys()
    assert {key for key, row in proof.rows.items() if row.faults} == contracting
    assert all("should show" in fault for fault in proof.faults)
    assert all(row.error <= row.tolerance for row in proof.rows.values())
    assert len(table(proof.rows).splitlines()) == 1 + len(proof.rows)


@pytest.mark.parametrize("case", CASES[-3:], ids=str)
def test_launches_that_no_token_has_are_right(case: Case) -> None:
    proof = Proof(ReferenceDevice(), ())
    proof.prove(case, [("WIDE_NORM",), ("WIDE_GEMV",), ("ARGMAX_SPLIT",)])
    assert proof.faults == []
    assert all(row.launches for row in proof.rows.values())


def test_skipped_experts_show_behind_the_gate_alone() -> None:
    arms = [("EXPERT_SKIP=1",), SETTINGS[-1]]
    for context, bytes_wanted in ((16385, "same"), (16386, "others")):
        proof = Proof(ReferenceDevice(), SMALL)
        proof.prove(Case(step="decode", sizes=(f"context={context}",)), arms)
        assert proof.faults == []
        for kernel in ("expert_gate_up", "expert_down"):
            assert proof.rows[kernel, "EXPERT_SKIP=1"].bytes == {bytes_wanted}
            assert proof.rows[kernel, "all together"].bytes == set()


def test_a_launch_that_leaves_its_work_to_another_is_one_that_writes_nothing() -> None:
    proof = Proof(ReferenceDevice(), SMALL)
    for case in (GQA, GQA_DEEP):
        proof.prove(case, [("GQA_HYBRID",)])
        one = planned(case, ("GQA_HYBRID",), SMALL)
        writing = {launch.shape.kernel: is_writing(launch) for launch in one.launches}
        is_deep = case is GQA_DEEP
        assert writing["gqa_attn_split"] is not is_deep
        assert writing["gqa_attn_split_hybrid"] is is_deep
    assert proof.faults == []
    assert proof.rows["gqa_attn_split", "GQA_HYBRID"].bytes == {"same"}


# ---- what is found ------------------------------------------------------------------------------


class FaultyDevice(ReferenceDevice):
    """Spoils the first output of one kernel behind its launch."""

    def __init__(self, entry: str, spoil: Callable[[Array], object]) -> None:
        self._entry = entry
        self._spoil = spoil

    def run(self, place: int) -> None:
        super().run(place)
        launch = self._launches[place]
        if launch.shape.entry == self._entry:
            self._spoil(self._array(launch.outputs[0]))


def add_one_bit(array: Array) -> None:
    array.view(np.uint32)[5] += 1


def leave_a_hole(array: Array) -> None:
    array[5] = np.nan


def take_another(array: Array) -> None:
    array[0] = (array[0] + 1) % 16


def write_behind(array: Array) -> None:
    array[-1] = 0.0


@pytest.mark.parametrize(
    ("case", "arms", "entry", "spoil", "said"),
    [
        (DECODE, (), "residual_add", take_another, r"residual\[0\] is off by .*: element 0 is "),
        (DECODE, (), "lm_head", leave_a_hole, r"by inf: 1 elements are NaN .*the first is 5"),
        (DECODE, (), "mla_append", write_behind, r"latent_cache\[0\] is off"),
        (SLICED, (), "mla_decode_split", write_behind, r"1 elements are not as before"),
        (DECODE, (), "router_top_k", take_another, r"expert_ids.*: element 0 is \d+ and should be"),
        (DECODE, ("WIDE_NORM",), "rms_norm_wide", add_one_bit, r"normed\[0\]: .*count=1, first=5"),
        (GQA, ("GQA_HYBRID",), "gqa_attn_split_hybrid", add_one_bit, r"as before, the first is 5"),
    ],
)
def test_a_fault_names_kernel_arms_size_and_place(
    case: Case, arms: tuple[str, ...], entry: str, spoil: Callable[[Array], object], said: str
) -> None:
    proof = Proof(FaultyDevice(entry, spoil), SMALL)
    proof.prove(case, [arms] if arms else [])
    found = [fault for fault in proof.faults if str(case) in fault]
    assert found
    kernel = entry.removesuffix("_wide")
    assert found[0].startswith(f"FAILED {kernel} {' '.join(arms) or 'baseline'}: ")
    assert any(re.search(said, fault) for fault in found), found


@pytest.mark.parametrize(
    ("before", "left", "wanted", "error"),
    [
        ([0, 0, 0], [3, 4, 0], [3.0, 4.0], 0.0),
        ([0, 0, 0], [3, 9, 0], [3.0, 4.0], 1.0),
        ([0, 0, 7], [3, 4, 8], [3.0, 4.0], np.inf),
        ([5, 0, 7], [5, 4, 7], [5.0, 4.0], 0.0),
        ([5, 0, 7], [6, 4, 7], [5.0, 4.0], np.inf),
        ([0, 0, 0], [9, 4, 0], [np.nan, 4.0], 0.0),
        ([0, 0, 0], [9, 4, 0], [np.nan, np.nan, 0.0], np.inf),
        ([0, 0, 0], [3, np.nan, 0], [3.0, 4.0], np.inf),
        ([1, 2, 3], [1, 2, 3], [1.0, 2.0, 3.0], 0.0),
    ],
)
def test_outputs_are_compared_where_the_reference_changes_them(
    before: list[float], left: list[float], wanted: list[float], error: float
) -> None:
    one, other = (np.array(values, dtype=np.float32) for values in (before, left))
    assert compared(one, other, np.array(wanted))[0] == error


# ---- the device ---------------------------------------------------------------------------------


class View(np.ndarray[tuple[int], np.dtype[np.generic]]):
    """Memory of a fake device, with CuPy's two words for copies."""

    def get(self) -> Array:
        return np.array(self)

    def set(self, contents: Array) -> None:
        self[:] = contents


class FakeCupyRuntime(FakeRuntime):
    """A runtime whose memory can be looked at."""

    cupy = SimpleNamespace(
        cuda=SimpleNamespace(get_current_stream=lambda: SimpleNamespace(synchronize=lambda: None))
    )

    def view(self, allocation: FakeMemory, elements: int, dtype: str) -> View:
        memory = self.__dict__.setdefault("memory", {})
        size = allocation.size_bytes
        whole = memory.setdefault(allocation.ptr, np.zeros(size, dtype=np.uint8).view(View))
        part: View = whole.view(dtype)[:elements]
        return part


def test_the_gpu_launches_as_planned_at_addresses_that_are_shifted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.gpu.suite_references.CupyRuntime", FakeCupyRuntime)
    case = Case(step="norms", shift_elements=1)
    one = planned(case, ("WIDE_NORM",), SIZES)
    gpu = Gpu([planned(case)])
    gpu.begin(one, 1)
    runtime = gpu.runtime
    assert isinstance(runtime, FakeCupyRuntime)
    runtime.library.argument_counts[runtime.handles["rms_norm_wide"]] = 3
    gpu.run(1)
    (launched,) = runtime.launches_of("rms_norm_wide")
    shape = one.launches[1].shape
    assert (launched.grid, launched.block) == (shape.grid, shape.block)
    assert launched.shared_bytes == 4 * 1000
    uses = [use for use in one.launches[1].arguments if isinstance(use, BufferUse)]
    addresses = [int.from_bytes(found, "little") for found in launched.arguments]
    assert addresses == [gpu.engine.memory.address(use) + 4 for use in uses]
    contents = np.arange(7167, dtype=np.float32)
    gpu.write(uses[0], contents)
    assert (gpu.read(uses[0]) == contents).all()
    assert gpu.read(uses[1]) is gpu.read(uses[1])
    runtime.library.status = {"cuStreamSynchronize": 700}
    with pytest.raises(NotMeasuredError, match="rms_norm_wide: waiting"):
        gpu.run(0)
