"""Every kernel and arm of kernels/manifest.toml against float64, and against the baseline's bytes.

    python tests/gpu/suite_references.py

Needs a GPU, CuPy, and geoaudit installed or on PYTHONPATH. Prints one table and exits with 1 if
anything is wrong. `tests/gpu/suite.py` measures times.

A token is planned with each arm at each size, and launched one launch after another. Of a launch
that is checked, what it is given is read before it and what it leaves is read behind it: so its
inputs are what the launches before it made of the manifest's seeded weights and states. What the
manifest says is written, and is no state, is poisoned before. Then

- the outputs are those of the kernel's ``reference``, given the same arguments, within its
  ``tolerance``: ``norm(result - reference) / norm(reference)``; integers are equal;
- what the reference leaves as it was has its bytes still, and so has all that a launch is passed
  whose ``bytes_written`` are 0;
- the outputs have the baseline's bytes where the arm is bit-identical or inert, and others where it
  is approximate.
"""

import importlib
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from geoaudit.cli.shipped import shipped_manifest
from geoaudit.errors import NotMeasuredError
from geoaudit.experiments.byte_comparison import STORED_AS, byte_difference
from geoaudit.manifest.data_types import BYTES_PER_ELEMENT
from geoaudit.manifest.model import Manifest
from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import BufferUse, PlannedBuffer, PlannedLaunch, Scalar, StepPlan
from geoaudit.manifest.reading import parse_manifest
from geoaudit.manifest.settings import resolve_settings
from geoaudit.recording.suite.arguments import PackedArguments
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.runtime import CupyRuntime

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
sys.path.append(str(KERNELS))
references = importlib.import_module("references")

Array = NDArray[Any]
Identity = tuple[object, ...]

# What the manifest's `inert` says in words: the largest value of a symbol that leaves the bytes.
INERT_UP_TO = {
    "MLA_DERIVED_FLOOR": ("context", 4096),
    "EXPERT_SKIP": ("context", 16385),
    "GQA_HYBRID": ("gqa_context", 1920),
    "GQA_SHARED_BLOCK": ("gqa_context", 1920),
}


# ---- what is checked ----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Case:
    """A step at some sizes.

    Attributes:
        step: of the manifest, or of suite_edges.toml.
        sizes: assignments of symbols.
        shift_elements: by how many elements every buffer is off its alignment.
    """

    step: str
    sizes: tuple[str, ...] = ()
    shift_elements: int = 0

    def __str__(self) -> str:
        shift = [f"shifted by {self.shift_elements}"] if self.shift_elements else []
        return " ".join([self.step, *self.sizes, *shift])


# Few layers, all of them different; nothing else is smaller than in a token of the suite.
SIZES = ("layer_groups=1", "weight_copies=1", "gqa_layers=1")
CONTEXTS = (1, 31, 1025, 4096, 4097, 16385, 16386, 131072)
GQA_CONTEXTS = (1, 31, 32, 33, 1024, 1920, 1921, 3254, 16384)
CASES = (
    *(Case(step="decode", sizes=(f"context={context}",)) for context in CONTEXTS),
    *(
        Case(
            step="gqa",
            sizes=(f"gqa_context={context}", f"gqa_n_head={heads}", "gqa_capacity=16384"),
        )
        for heads in (40, 128)
        for context in GQA_CONTEXTS
    ),
    Case(step="norms"),
    Case(step="norms", shift_elements=1),
    Case(step="odd"),
)


@cache
def suite_manifest() -> Manifest:
    """The suite's manifest, with the steps of suite_edges.toml."""
    path = shipped_manifest()
    edges = Path(__file__).with_name("suite_edges.toml").read_text(encoding="utf-8")
    return parse_manifest(f"{path.read_text(encoding='utf-8')}\n{edges}", file=str(path))


def arm_settings(manifest: Manifest) -> list[tuple[str, ...]]:
    """What is switched on: each value of each arm alone, and all arms that go together."""
    together: list[str] = []
    for arm in manifest.arms.values():
        if not arm.excludes & set(together):
            together.append(arm.name)
    alone = [(f"{arm.name}={value}",) for arm in manifest.arms.values() for value in arm.values]
    return [*alone, tuple(together)]


def planned(case: Case, arms: Sequence[str] = (), sizes: Sequence[str] = SIZES) -> StepPlan:
    """The plan of a case; its own sizes stand above the others."""
    manifest = suite_manifest()
    settings = resolve_settings(
        manifest,
        arms=arms,
        assignments=tuple(
            {size.partition("=")[0]: size for size in (*sizes, *case.sizes)}.values()
        ),
    )
    return plan(manifest, settings, case.step)


def site(launch: PlannedLaunch) -> tuple[str, int]:
    """What the same launch has in the plans of all arms."""
    return launch.shape.kernel, launch.layer


def changed_places(one: StepPlan, baseline: StepPlan | None) -> set[int]:
    """Places of the launches that are not as in the baseline; of all where there is none."""
    known = {site(launch): launch for launch in baseline.launches} if baseline else {}
    return {
        place
        for place, launch in enumerate(one.launches)
        if (other := known.get(site(launch))) is None
        or (launch.shape, launch.arguments) != (other.shape, other.arguments)
    }


def has_same_bytes(arms: Sequence[str], symbols: Mapping[str, int]) -> bool | None:
    """Whether outputs must have the baseline's bytes or other ones; None: either will do."""
    if len(arms) > 1:
        return None
    name = arms[0].partition("=")[0]
    arm_class = suite_manifest().arms[name].arm_class
    symbol, largest = INERT_UP_TO.get(name, ("", 0))
    if arm_class == "bit-identical" or symbols.get(symbol, largest + 1) <= largest:
        return True
    return False if arm_class == "approximate" else None


def is_writing(launch: PlannedLaunch) -> bool:
    """Whether the launch does anything: one that leaves its work to another kernel does not."""
    return launch.shape.bytes_written != 0


# ---- launching and looking ----------------------------------------------------------------------


class Device(Protocol):
    """What launches the launches of a plan one by one, and lets its buffers be looked at.

    Attributes:
        buffers: of the plan, by name.
    """

    buffers: dict[str, PlannedBuffer]

    def begin(self, one: StepPlan, shift_elements: int) -> None:
        """Fill the plan's buffers as the manifest says."""

    def run(self, place: int) -> None:
        """Launch, and wait for the end."""

    def read(self, use: BufferUse) -> Array:
        """What a buffer holds, as STORED_AS says."""

    def write(self, use: BufferUse, contents: Array) -> None:
        """Give a buffer other contents."""


class Gpu:
    """The GPU, through the suite's own engine."""

    def __init__(self, plans: Sequence[StepPlan]) -> None:
        self.runtime = CupyRuntime()
        self.engine = Engine(self.runtime, plans)
        self._weights: dict[tuple[object, ...], Array] = {}

    def begin(self, one: StepPlan, shift_elements: int) -> None:
        self._shift = shift_elements
        self.buffers = {buffer.name: buffer for buffer in one.buffers}
        self._token = self.engine.prepare(one)
        self._arguments = [
            PackedArguments(launch.arguments, self._address) for launch in one.launches
        ]
        self.engine.restore(one)

    def run(self, place: int) -> None:
        launch = self._token.launches[place]
        launch.kernel(
            launch.grid,
            launch.block,
            self._arguments[place],
            shared_mem=launch.shared_bytes,
            stream=self._token.stream,
        )
        try:
            self.engine.synchronize()
        except NotMeasuredError as error:
            raise NotMeasuredError(f"{launch.kernel.name}: {error}") from error

    def read(self, use: BufferUse) -> Array:
        buffer = self.buffers[use.buffer]
        if buffer.kind != "weight":
            return np.asarray(self._view(use).get())
        key = (use, buffer.elements, self._shift)
        if key not in self._weights:
            self._weights[key] = np.asarray(self._view(use).get())
        return self._weights[key]

    def write(self, use: BufferUse, contents: Array) -> None:
        self._view(use).set(contents)
        self.runtime.cupy.cuda.get_current_stream().synchronize()

    def _address(self, use: BufferUse) -> int:
        element_bytes = BYTES_PER_ELEMENT[self.buffers[use.buffer].dtype]
        return self.engine.memory.address(use) + self._shift * element_bytes

    def _view(self, use: BufferUse) -> Any:
        buffer = self.buffers[use.buffer]
        memory = self.engine.memory.allocation(use)
        return self.runtime.view(memory, buffer.elements, STORED_AS[buffer.dtype])[self._shift :]


@dataclass(frozen=True, kw_only=True)
class Observed:
    """A launch with what it was given and what it left.

    Attributes:
        launch: as planned.
        identity: equal where nothing but numbers that are not integers may differ.
        given: contents and numbers of the arguments, in the kernel's order, before the launch.
        left: contents of the outputs behind it, in the manifest's order.
    """

    launch: PlannedLaunch
    identity: Identity
    given: tuple[Any, ...]
    left: tuple[Array, ...]

    @property
    def before(self) -> tuple[Array, ...]:
        """Contents of the outputs before the launch."""
        contents = dict(zip(self.launch.arguments, self.given, strict=True))
        return tuple(contents[use] for use in self.launch.outputs)


def walk(
    device: Device, one: StepPlan, baseline: StepPlan | None, shift_elements: int
) -> Iterator[Observed]:
    """Launch a token; what an arm changes of it, each kind of launch once."""
    places = changed_places(one, baseline)
    seen: set[Identity] = set()
    device.begin(one, shift_elements)
    for place, launch in enumerate(one.launches):
        identity = (*identity_of(device, launch), shift_elements)
        if place in places and identity not in seen:
            seen.add(identity)
            yield observe(device, place, launch, identity)
        else:
            device.run(place)


def identity_of(device: Device, launch: PlannedLaunch) -> Identity:
    """Shape, names of buffers, scalars, and the integers that steer the kernel."""
    names = [one.value if isinstance(one, Scalar) else one.buffer for one in launch.arguments]
    steering = [use for use in launch.inputs if device.buffers[use.buffer].dtype[0] in "iu"]
    return (launch.shape, *names, *(device.read(use).tobytes() for use in steering))


def observe(device: Device, place: int, launch: PlannedLaunch, identity: Identity) -> Observed:
    """Poison what is written and was no state before, launch, and look."""
    for use in launch.outputs if is_writing(launch) else ():
        if use not in launch.inputs and device.buffers[use.buffer].kind != "state":
            device.write(use, poison(device.read(use)))
    given = tuple(
        number(one) if isinstance(one, Scalar) else device.read(one) for one in launch.arguments
    )
    device.run(place)
    left = tuple(device.read(use) for use in launch.outputs)
    return Observed(launch=launch, identity=identity, given=given, left=left)


def poison(like: Array) -> Array:
    """All bits set: NaN, or -1."""
    return np.full(like.nbytes, 0xFF, dtype=np.uint8).view(like.dtype)


def number(scalar: Scalar) -> float:
    """A scalar as the kernel gets it."""
    return float(np.float32(scalar.value)) if scalar.dtype == "f32" else scalar.value


# ---- comparing ----------------------------------------------------------------------------------


def compared(before: Array, left: Array, wanted: Array) -> tuple[float, str]:
    """How far an output is from the reference, and the worst of it in words.

    Returns:
        The relative error over what the reference gives another value than it had; infinite where
        the rest is not as before, or something cannot be compared.
    """
    length = len(wanted)
    stays = np.ones(len(left), dtype=bool)
    stays[:length] = references.reals(before[:length]) == wanted
    strays = np.flatnonzero(stays & (bits(before) != bits(left)))
    if len(strays):
        return np.inf, f"{len(strays)} elements are not as before, the first is {strays[0]}"
    places = np.flatnonzero(~stays[:length] & ~np.isnan(wanted))
    if not len(places):
        return (0.0, "") if stays.all() else (np.inf, "the reference says nothing of it")
    values, figures = references.reals(left[:length])[places], wanted[places]
    blanks = places[np.isnan(values)]
    if len(blanks):
        return np.inf, f"{len(blanks)} elements are NaN (not written?), the first is {blanks[0]}"
    off = np.abs(values - figures)
    worst = int(off.argmax())
    said = f"element {places[worst]} is {values[worst]:.9g} and should be {figures[worst]:.9g}"
    if wanted.dtype.kind == "i":
        return (np.inf if off.any() else 0.0), said
    return float(np.linalg.norm(off) / (np.linalg.norm(figures) or 1.0)), said


def bits(array: Array) -> Array:
    return array.view(f"uint{8 * array.itemsize}")


@dataclass(kw_only=True)
class Row:
    """What is known of a kernel under some arms.

    Attributes:
        tolerance: of the manifest.
        launches: how many were compared with the reference.
        error: the largest.
        bytes: what was demanded of them and held.
        faults: what is wrong, in words.
    """

    tolerance: float
    launches: int = 0
    error: float = 0.0
    bytes: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)


class Proof:
    """Walks cases on a device.

    Attributes:
        rows: by kernel and arms.
    """

    def __init__(self, device: Device, sizes: Sequence[str] = SIZES) -> None:
        self.rows: dict[tuple[str, str], Row] = {}
        self._device = device
        self._sizes = sizes
        self._judged: set[tuple[str, Identity]] = set()

    @property
    def faults(self) -> list[str]:
        """All that is wrong, in words."""
        return [
            f"FAILED {kernel} {arms}: {fault}"
            for (kernel, arms), row in self.rows.items()
            for fault in row.faults
        ]

    def prove(self, case: Case, settings: Sequence[Sequence[str]]) -> None:
        """Check the baseline's launches, and of each setting those that it changes."""
        baseline = planned(case, (), self._sizes)
        known: dict[tuple[str, int], Observed] = {}
        for seen in walk(self._device, baseline, None, case.shift_elements):
            known[site(seen.launch)] = seen
            self._judge(case, "baseline", seen)
        for arms in settings:
            one = planned(case, arms, self._sizes)
            if changed_places(one, baseline):
                self._prove_arms(case, arms, one, baseline, known)

    def _prove_arms(
        self,
        case: Case,
        arms: Sequence[str],
        one: StepPlan,
        baseline: StepPlan,
        known: Mapping[tuple[str, int], Observed],
    ) -> None:
        label = arms[0] if len(arms) == 1 else "all together"
        is_same = has_same_bytes(arms, one.symbols)
        differences: dict[str, list[str]] = {}
        for seen in walk(self._device, one, baseline, case.shift_elements):
            self._judge(case, label, seen)
            other = known.get(site(seen.launch))
            if other and is_writing(seen.launch):
                found = differences.setdefault(seen.launch.shape.kernel, [])
                found += byte_differences(seen, other, one)
        for kernel, found in differences.items() if is_same is not None else ():
            row = self.rows[kernel, label]
            if is_same:
                row.faults += [f"{case}: other bytes than the baseline's: {text}" for text in found]
            elif not found:
                row.faults.append(f"{case}: the baseline's bytes, and the arm should show in them")
            row.bytes.add("same" if is_same else "others")

    def _judge(self, case: Case, label: str, seen: Observed) -> None:
        """Compare with the reference; a launch of the same identity only once."""
        kernel = suite_manifest().kernels[seen.launch.shape.kernel]
        assert kernel.reference is not None
        assert kernel.tolerance is not None
        row = self.rows.setdefault((kernel.name, label), Row(tolerance=kernel.tolerance))
        if (label, seen.identity) in self._judged:
            return
        self._judged.add((label, seen.identity))
        row.launches += 1
        outputs = seen.before
        if is_writing(seen.launch):
            outputs = getattr(references, kernel.reference)(*seen.given)
        for use, before, left, wanted in zip(
            seen.launch.outputs, seen.before, seen.left, outputs, strict=True
        ):
            error, said = compared(before, left, wanted)
            row.error = max(row.error, error)
            if not error <= row.tolerance:
                row.faults.append(f"{case}: {use.buffer}[{use.copy}] is off by {error:.1e}: {said}")


def byte_differences(seen: Observed, other: Observed, one: StepPlan) -> list[str]:
    """How the outputs of the same launch under two arms differ."""
    dtypes = {buffer.name: buffer.dtype for buffer in one.buffers}
    return [
        f"{use.buffer}[{use.copy}]: {found}"
        for use, mine, theirs in zip(seen.launch.outputs, seen.left, other.left, strict=True)
        if (found := byte_difference(theirs, mine, dtypes[use.buffer])) is not None
    ]


# ---- all of it ----------------------------------------------------------------------------------


def table(rows: Mapping[tuple[str, str], Row]) -> str:
    lines = [f"{'kernel':22s} {'arms':24s} {'launches':>8s} {'error':>8s} {'limit':>6s} bytes"]
    for (kernel, arms), row in sorted(rows.items()):
        lines.append(
            f"{kernel:22s} {arms:24s} {row.launches:8d} {row.error:8.1e} {row.tolerance:6.0e} "
            f"{' or '.join(sorted(row.bytes))}"
        )
    return "\n".join(lines)


def main() -> int:
    proof = Proof(Gpu([planned(case) for case in CASES]))
    settings = arm_settings(suite_manifest())
    try:
        for case in CASES:
            begin = time.perf_counter()
            print(f"{case}: ", end="", file=sys.stderr, flush=True)
            proof.prove(case, settings)
            print(f"{time.perf_counter() - begin:.1f} s", file=sys.stderr)
    finally:
        print(table(proof.rows))
        print("\n".join(proof.faults[:40]) or "nothing wrong in these")
    return 1 if proof.faults else 0


if __name__ == "__main__":
    sys.exit(main())
