"""Where CUPTI is on this machine."""

import ctypes
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

NAME = "libcupti.so*"
_VERSION = re.compile(r"libcupti\.so\.(\d+)(?:\.(\d+))?")


@dataclass(frozen=True, kw_only=True)
class CuptiLibrary:
    """A CUPTI found on this machine.

    Attributes:
        path: the library, links followed.
        major: CUDA's major version it belongs to, or None where the name does not tell.
        origin: where it was found, for a reader: a wheel, the toolkit, the loader's path.
    """

    path: Path
    major: int | None
    origin: str


def find_cupti(python_paths: list[str] | None = None) -> tuple[CuptiLibrary, ...]:
    """All CUPTI libraries of the wheels and toolkits here, best first, none twice.

    Wheels (nvidia-cuda-cupti, PyTorch's own) come before toolkits, newer majors before older, and
    those newer than the driver last: it runs every CUPTI up to its own major version.

    Args:
        python_paths: where wheels are looked for; None: this interpreter's path.
    """
    found: dict[Path, CuptiLibrary] = {}
    for folder, origin in _folders(sys.path if python_paths is None else python_paths):
        for file in _libraries(folder):
            target = file.resolve()
            # One of several links to it may tell the major version: libcupti.so.13.
            known = found.get(target)
            if target.is_file() and (known is None or known.major is None):
                found[target] = CuptiLibrary(path=target, major=_major(file), origin=origin)
    limit = driver_cuda_major()

    def order(library: CuptiLibrary) -> tuple[bool, int]:
        major = library.major or 0
        return limit is not None and major > limit, -major

    # Sorting is stable: wheels stay before toolkits of the same major.
    return tuple(sorted(found.values(), key=order))


def _libraries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob(NAME))
    except OSError:
        return []  # no folder's name, or one that may not be read


def driver_cuda_major() -> int | None:
    """Major version of CUDA that the driver here runs, or None where there is no driver."""
    version = ctypes.c_int(0)
    try:
        status = ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    except (OSError, AttributeError):
        return None
    return version.value // 1000 if status == 0 and version.value else None


def _folders(python_paths: list[str]) -> list[tuple[Path, str]]:
    folders = []
    for entry in python_paths:
        root = Path(entry or ".") / "nvidia"
        if root.is_dir():
            folders += [(path, "wheel") for path in sorted(root.glob("*/lib"))]
    homes = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    homes += [str(path) for path in sorted(Path("/usr/local").glob("cuda*"), reverse=True)]
    for home in homes:
        for part in ("extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib"):
            folders.append((Path(home) / part, "CUDA toolkit"))
    folders += [
        (Path(entry), "LD_LIBRARY_PATH")
        for entry in os.environ.get("LD_LIBRARY_PATH", "").split(":")
        if entry
    ]
    return folders


def _major(file: Path) -> int | None:
    match = _VERSION.search(file.name) or _VERSION.search(file.resolve().name)
    if match is None:
        return None
    major = int(match[1])
    # The toolkit names the file by year (libcupti.so.2025.3.1); only the link tells the major.
    return major if major < 1000 else None
