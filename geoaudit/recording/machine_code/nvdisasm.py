"""nvdisasm: where it is, and what it says of a binary."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from geoaudit.errors import NotMeasuredError

_NAME = "nvdisasm"
_SECONDS = 60
# Wheels that bring it: folder of the top-level package -> where it lies in it.
_WHEELS = {"nvidia": "*/bin/nvdisasm", "triton": "backends/nvidia/bin/nvdisasm"}
_TOOLKITS = ("CUDA_PATH", "CUDA_HOME")
_DEFAULT_TOOLKIT = Path("/usr/local/cuda")


def find_nvdisasm() -> Path | None:
    """The disassembler of the PATH, of the CUDA toolkit, or of an installed wheel; None: none."""
    return next((one for one in _places() if os.access(one, os.X_OK)), None)


def disassembled(code: bytes, tool: Path) -> str:
    """The text that ``nvdisasm -c -hex`` prints of a cubin.

    Raises:
        NotMeasuredError: it fails, or takes longer than a minute.
    """
    with tempfile.TemporaryDirectory(prefix="geoaudit-code-") as folder:
        file = Path(folder) / "module.cubin"
        file.write_bytes(code)
        try:
            done = subprocess.run(
                [tool, "-c", "-hex", file], capture_output=True, timeout=_SECONDS, check=True
            )
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode("utf-8", "replace").strip()
            raise NotMeasuredError(f"{tool} cannot read a binary: {said}") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotMeasuredError(f"{tool} cannot be run: {error}") from error
    return done.stdout.decode("utf-8", "replace")


def _places() -> Iterator[Path]:
    on_path = shutil.which(_NAME)
    if on_path:
        yield Path(on_path)
    for variable in _TOOLKITS:
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "bin" / _NAME
    yield _DEFAULT_TOOLKIT / "bin" / _NAME
    for package, pattern in _WHEELS.items():
        found = importlib.util.find_spec(package)
        for folder in (found.submodule_search_locations or ()) if found else ():
            yield from sorted(Path(folder).glob(pattern))
