"""What the recorder's library and the CUPTIs found mean for a recording."""

from collections.abc import Sequence

from geoaudit.recording.checks import sentences
from geoaudit.recording.checks.check import Check
from geoaudit.recording.checks.cupti_versions import cuda_of_cupti
from geoaudit.recording.checks.machine import Cupti, Machine

# Kernel records of older CUPTIs have another layout than the recorder reads.
OLDEST_CUDA = (12, 0)


def check_recorder(machine: Machine) -> Check:
    """The injected library: built, and loadable."""
    recorder, name = machine.recorder, "recorder"
    if not machine.platform.startswith("linux"):
        return Check(
            name=name,
            status="problem",
            found=f"processes are recorded on Linux only; this is {machine.platform}.",
            remedy="Record on Linux (WSL 2 will do), and bring the recording here.",
        )
    if not recorder.is_built:
        return Check(
            name=name,
            status="problem",
            found=sentences.NO_RECORDER,
            remedy=sentences.NO_RECORDER_REMEDY,
        )
    if recorder.error is not None:
        return Check(
            name=name,
            status="problem",
            found=f"the loader refuses it: {recorder.error}.",
            remedy="Install geoaudit again on this machine, so that the library is built for it.",
        )
    return Check(name=name, status="ok", found=f"built, and it loads: {recorder.path}")


def check_cupti(machine: Machine) -> tuple[Check, ...]:
    """The CUPTI that would be used, then the others."""
    used = used_cupti(machine.cupti)
    if used is None:
        return (_no_cupti(machine.cupti),)
    others = [library for library in machine.cupti if library != used]
    first = _used(used, machine.driver.cuda)
    return (first, *map(_other, others))


def used_cupti(libraries: Sequence[Cupti]) -> Cupti | None:
    """The first that loads, as the recorder tries them; None where none does."""
    return next((library for library in libraries if library.error is None), None)


def _no_cupti(libraries: Sequence[Cupti]) -> Check:
    if not libraries:
        found = sentences.NO_CUPTI
    else:
        found = "no CUPTI loads: " + "; ".join(f"{one.path}: {one.error}" for one in libraries)
    return Check(name="CUPTI", status="problem", found=found, remedy=sentences.NO_CUPTI_REMEDY)


def _used(library: Cupti, driver: tuple[int, int] | None) -> Check:
    cuda = None if library.api_version is None else cuda_of_cupti(library.api_version)
    found = f"would be used: {_described(library)}"
    if cuda is None or cuda < OLDEST_CUDA:
        return Check(
            name="CUPTI",
            status="problem",
            found=f"{found}: kernel records are read from CUDA 12.0 on.",
            remedy=sentences.NO_CUPTI_REMEDY,
        )
    if driver is None or cuda <= driver:
        return Check(name="CUPTI", status="ok", found=f"{found}.")
    # A driver runs newer releases of its own major (CUDA's minor version compatibility); of a
    # newer one CUPTI's calls fail with CUPTI_ERROR_NOT_INITIALIZED.
    newer_major = cuda[0] > driver[0]
    return Check(
        name="CUPTI",
        status="problem" if newer_major else "warning",
        found=f"{found}: newer than the driver, which runs CUDA up to {driver[0]}.{driver[1]}"
        + ("." if newer_major else "; most of it works within one major version."),
        remedy=_mended(driver),
    )


def _mended(driver: tuple[int, int]) -> str:
    if driver < OLDEST_CUDA:
        return "Update the driver to one of CUDA 12.0 or newer."
    wheel = "nvidia-cuda-cupti-cu12" if driver[0] == 12 else "nvidia-cuda-cupti"
    wanted = f"{wheel}=={driver[0]}.{driver[1]}.*"
    return f"Install an older one ({wanted}) and take this one away, or update the driver."


def _other(library: Cupti) -> Check:
    if library.error is not None:
        found = f"not used: {library.path} ({library.origin}): {library.error}."
    else:
        found = f"not used: {_described(library)}."
    return Check(name="CUPTI, another", status="ok", found=found)


def _described(library: Cupti) -> str:
    cuda = None if library.api_version is None else cuda_of_cupti(library.api_version)
    number = f"API version {library.api_version}"
    release = number if cuda is None else f"CUDA {cuda[0]}.{cuda[1]}"
    return f"{release}, {library.path} ({library.origin})"
