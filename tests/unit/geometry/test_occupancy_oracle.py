"""Resident blocks against CUDA's occupancy header, compiled here from the installed wheel."""

import importlib.metadata
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.occupancy import BlockResources, Residency, residency
from geoaudit.geometry.shape import Limiter
from tests.unit.geometry.capabilities import CAPABILITIES, KIB, device_of

TUPLES = 5000
SOURCE = Path(__file__).parent / "occupancy_oracle.cpp"
NO_LIMIT = 2**31 - 1
LIMITER_BITS: dict[int, Limiter] = {
    0x01: "warps",
    0x02: "registers",
    0x04: "shared_memory",
    0x08: "blocks",
    0x10: "barriers",
}


@dataclass(frozen=True, kw_only=True)
class Case:
    threads: int
    registers: int
    static_shared: int
    dynamic_shared: int
    barriers: int
    carve_out_percent: int = -1


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    blocks: int
    limiters: frozenset[Limiter]
    limits: dict[Limiter, int]


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler (g++, c++, clang++) to compile CUDA's occupancy header with")
    program = tmp_path_factory.mktemp("oracle") / "occupancy_oracle"
    command = [compiler, "-O1", "-I", str(_header().parent), str(SOURCE), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def _header() -> Path:
    try:
        files = importlib.metadata.files("nvidia-cuda-runtime") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the wheel nvidia-cuda-runtime, which holds cuda_occupancy.h, is not installed")
    return next(Path(str(file.locate())) for file in files if file.name == "cuda_occupancy.h")


def ask(oracle: Path, device: DeviceSpec, cases: list[Case]) -> list[Answer]:
    major, minor = device.architecture.split(".")
    limits = (
        f"{major} {minor} {device.max_threads_per_block} {device.max_threads_per_sm} "
        f"{device.registers_per_block} {device.registers_per_sm} {device.shared_bytes_per_block} "
        f"{device.shared_bytes_per_sm} {device.shared_bytes_per_block_optin} "
        f"{device.shared_bytes_reserved_per_block}"
    )
    questions = "".join(
        f"{limits} {case.carve_out_percent} {case.registers} {case.static_shared} "
        f"{case.dynamic_shared} {case.barriers} {case.threads}\n"
        for case in cases
    )
    done = subprocess.run([oracle], input=questions, capture_output=True, text=True, check=True)
    return [_answer(line) for line in done.stdout.splitlines()]


def _answer(line: str) -> Answer:
    status, blocks, mask, *limits = map(int, line.split())
    names: tuple[Limiter, ...] = ("warps", "blocks", "registers", "shared_memory", "barriers")
    barriers = limits[-1]
    # The header adds the barriers' bit last and leaves the bits of what bound before them, also
    # where barriers alone allow fewer blocks: its own limits say so.
    only_barriers = barriers == blocks < min(limits[:-1])
    named = frozenset(name for bit, name in LIMITER_BITS.items() if mask & bit)
    return Answer(
        status=status,
        blocks=blocks,
        limiters=named & {"barriers"} if only_barriers else named,
        limits={
            name: limit
            for name, limit in zip(names, limits, strict=True)
            if limit != NO_LIMIT or name in ("warps", "blocks")
        },
    )


def random_cases(architecture: str, device: DeviceSpec) -> list[Case]:
    draw = random.Random(f"occupancy {architecture}")
    return [_random_case(draw, device) for _ in range(TUPLES)]


def _random_case(draw: random.Random, device: DeviceSpec) -> Case:
    optin = device.shared_bytes_per_block_optin
    return Case(
        threads=draw.choice(
            (draw.randint(1, 1024), draw.randint(1, 1100), 32 * draw.randint(1, 32))
        ),
        registers=draw.randint(0, 255),
        static_shared=draw.choice((0, draw.randint(0, 48 * KIB), 128 * draw.randint(0, 384))),
        dynamic_shared=draw.choice(
            (0, draw.randint(0, 4 * KIB), draw.randint(0, optin + 2 * KIB), optin)
        ),
        barriers=draw.choice((0, 1, 1, draw.randint(2, 16))),
    )


def held_by(case: Case, device: DeviceSpec, shared_config_bytes: int | None = None) -> Residency:
    return residency(
        BlockResources(
            threads=case.threads,
            registers_per_thread=case.registers,
            shared_bytes=case.static_shared + case.dynamic_shared,
            barriers=case.barriers,
            shared_config_bytes=shared_config_bytes,
        ),
        device,
    )


@pytest.mark.parametrize("architecture", CAPABILITIES)
def test_blocks_and_limiters_equal_the_header(architecture: str, oracle: Path) -> None:
    device = device_of(architecture)
    cases = random_cases(architecture, device)
    answers = ask(oracle, device, cases)

    assert len(answers) == TUPLES
    assert {answer.status for answer in answers} == {0}, "the header does not know this capability"
    differing = [
        (case, answer, held)
        for case, answer in zip(cases, answers, strict=True)
        for held in [held_by(case, device)]
        if held.blocks != answer.blocks
        or frozenset(held.limiters) - {"impossible"} != answer.limiters
        or held.limits.by_limiter != answer.limits
    ]
    assert not differing, f"{len(differing)} of {TUPLES} differ, first {differing[0]}"
    assert {0, 1, 2} <= {answer.blocks for answer in answers}, "the tuples cover too little"


@pytest.mark.parametrize("architecture", ["8.0", "9.0", "12.0"])
def test_a_smaller_carve_out_limits_as_the_header_says(architecture: str, oracle: Path) -> None:
    device = device_of(architecture)
    # 64 KiB is a carve-out of all three; the header is told the percentage it is rounded up from.
    percent = 64 * KIB * 100 // device.shared_bytes_per_sm
    cases = [
        Case(
            threads=case.threads,
            registers=case.registers,
            static_shared=case.static_shared,
            dynamic_shared=0,
            barriers=1,
            carve_out_percent=percent,
        )
        for case in random_cases(architecture, device)
    ]
    answers = ask(oracle, device, cases)

    blocks = [held_by(case, device, shared_config_bytes=64 * KIB).blocks for case in cases]
    assert blocks == [answer.blocks for answer in answers]
    unconfigured = [held_by(case, device).blocks for case in cases]
    assert blocks != unconfigured, "the carve-out never limited"
