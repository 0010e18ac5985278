"""Compiles the recorder, the fake CUPTI and the target, plain or under a sanitizer."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from geoaudit.recording.stream import Stream, read_stream
from hatch_build import HEADER_WHEELS, c_compiler, header_folders

HERE = Path(__file__).parent
INJECTOR = HERE.parents[1] / "geoaudit" / "recording" / "injector"
FLAGS = ("-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC")
# What a sanitizer ends a program with where it reports; no code of the target's.
REPORT_CODE = 66
SANITIZER_ENVIRONMENT = {
    "TSAN_OPTIONS": f"exitcode={REPORT_CODE}",
    "ASAN_OPTIONS": f"exitcode={REPORT_CODE} abort_on_error=0 handle_segv=0 handle_abort=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How a recorded target ended, and the streams it left, by process."""

    code: int
    output: str
    complaints: str
    files: tuple[Path, ...]

    def stream(self) -> Stream:
        """The stream of the one process there was."""
        (file,) = self.files
        return read_stream(file)

    def streams(self) -> list[Stream]:
        """The streams in the order in which they were begun."""
        return [read_stream(file) for file in sorted(self.files, key=lambda file: len(file.stem))]


@dataclass(frozen=True, kw_only=True)
class Programs:
    """The compiled recorder (`library`), fake CUPTI and target, all in one folder."""

    library: Path
    cupti: Path
    target: Path

    def environment(self, recording: Path, **changes: str) -> dict[str, str]:
        """What the runner sets for a target, and changes to it."""
        return {
            **_plain_environment(),
            **SANITIZER_ENVIRONMENT,
            "CUDA_INJECTION64_PATH": str(self.library),
            "NVTX_INJECTION64_PATH": str(self.library),
            "GEOAUDIT_CUPTI": str(self.cupti),
            "GEOAUDIT_RECORDING": str(recording),
            **changes,
        }

    def run(self, recording: Path, words: str, **changes: str) -> Ran:
        """Run the target with the words of its little language, recorded into a folder."""
        recording.mkdir(exist_ok=True)
        if "background" in words or "threads" in words:
            # The leak checker does not survive threads with variables of a loaded library: those
            # of the target, and that of the fake CUPTI which hands over full buffers.
            changes["ASAN_OPTIONS"] = f"{SANITIZER_ENVIRONMENT['ASAN_OPTIONS']} detect_leaks=0"
        ended = subprocess.run(
            [self.target, *words.split()],
            env=self.environment(recording, **changes),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return Ran(
            code=ended.returncode,
            output=ended.stdout,
            complaints=ended.stderr,
            files=tuple(sorted(recording.glob("*.geoaudit"))),
        )


def _plain_environment() -> dict[str, str]:
    taken = ("GEOAUDIT_", "FAKE_CUPTI_", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")
    ranks = (
        *("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "LOCAL_RANK"),
        *("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"),
        "LOCAL_WORLD_SIZE",
    )
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(taken) and name not in ranks
    }


def compiler() -> list[str]:
    """The C compiler's command; skips the test where there is none."""
    found = c_compiler()
    if found is None:
        pytest.skip("no C compiler (cc, gcc or $CC) on this machine")
    return found


def header_options() -> list[str]:
    """Options that find the headers; skips the test where the wheels are not installed."""
    folders = header_folders()
    if folders is None:
        pytest.skip(f"headers are not installed (wheels {', '.join(HEADER_WHEELS)})")
    return [f"-I{folder}" for folder in sorted(folders)]


def compile_programs(folder: Path, sanitizer: str | None = None) -> Programs:
    """Compile all three into a folder; skips the test where that is not possible here."""
    programs = Programs(
        library=folder / "recorder.so",
        cupti=folder / "libcupti.so.13",
        target=folder / "target",
    )
    options = [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"] if sanitizer else []
    if sanitizer:
        _require(sanitizer, folder)
    shared = ["-shared", *header_options()]
    name = "-Wl,-soname,libcupti.so.13"
    compile_sources(programs.library, INJECTOR.glob("*.c"), *options, *shared, "-ldl")
    compile_sources(programs.cupti, [HERE / "fake_cupti.c"], *options, *shared, name)
    compile_sources(
        programs.target, [HERE / "target.c"], *options, *header_options(), "-ldl", "-rdynamic"
    )
    return programs


def compile_sources(output: Path, sources: Iterable[Path], *options: str) -> None:
    """Compile C files into one; a compiler's complaint fails the test."""
    files = [str(source) for source in sorted(sources)]
    command = [*compiler(), *FLAGS, "-o", str(output), *files, *options, "-lpthread"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def _require(sanitizer: str, folder: Path) -> None:
    source, program = folder / "probe.c", folder / "probe"
    source.write_text("int main(void) { return 0; }\n")
    options = [f"-fsanitize={sanitizer}", str(source), "-o", str(program)]
    built = subprocess.run([*compiler(), *options], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        pytest.skip(f"this compiler has no {sanitizer} sanitizer: {built.stderr.strip()[:200]}")
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        pytest.skip(f"the {sanitizer} sanitizer does not run here: {ran.stderr.strip()[:200]}")


def counts(stream: Stream) -> Mapping[str, int]:
    """The counts of the last status."""
    assert stream.status is not None
    names = stream.status.dtype.names
    assert names is not None
    return {name: int(stream.status[name]) for name in names}
