"""Builds the injected library with the package, where a C compiler and CUPTI's headers are.

Without them the package installs all the same: everything but recording a process works, and
`geoaudit scan -- COMMAND` says what is missing.
"""

import atexit
import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HEADER_WHEELS = ("nvidia-cuda-cupti", "nvidia-cuda-runtime", "nvidia-cuda-crt", "nvidia-nvtx")
# As they are included.
HEADERS = ("cupti.h", "cuda.h", "crt/host_defines.h", "nvtx3/nvToolsExt.h")
SOURCES = "geoaudit/recording/injector"
LIBRARY = "geoaudit/recording/libgeoaudit_injector.so"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra")


class InjectorBuildHook(BuildHookInterface[Any]):
    """Compiles the recorder and puts the library into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library; version is "standard" or "editable"."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        output = root / LIBRARY if version == "editable" else _scratch() / "injector.so"
        reason = compile_injector(root / SOURCES, output)
        if reason is not None:
            self.app.display_warning(f"geoaudit cannot record processes: {reason}")
            return
        if version != "editable":
            build_data["force_include"][str(output)] = LIBRARY
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"


def _scratch() -> Path:
    """A folder that lives until the build's interpreter ends."""
    folder = tempfile.mkdtemp(prefix="geoaudit-build-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def compile_injector(sources: Path, output: Path) -> str | None:
    """Compile the C files of a folder; why they could not be compiled, or None."""
    compiler = c_compiler()
    if compiler is None:
        return "no C compiler was found (install gcc, or set CC)"
    folders = header_folders()
    if folders is None:
        return f"headers were not found (wheels {', '.join(HEADER_WHEELS)})"
    output.parent.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{folder}" for folder in folders]
    files = [str(file) for file in sorted(sources.glob("*.c"))]
    command = [*compiler, *FLAGS, *includes, "-o", str(output), *files, "-ldl", "-lpthread"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return None
    return f"{' '.join(compiler)} failed: {result.stderr.strip()[:2000]}"


def c_compiler() -> list[str] | None:
    """The compiler's command: CC, which may hold options, else cc or gcc; None without any."""
    command = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(command[0]):
        return command
    return ["gcc"] if "CC" not in os.environ and shutil.which("gcc") else None


def header_folders() -> set[Path] | None:
    """Folders of the headers in the installed wheels, or None where one is missing."""
    found: dict[str, Path] = {}
    for wheel in HEADER_WHEELS:
        try:
            listed = files(wheel) or []
        except PackageNotFoundError:
            continue
        for file in listed:
            for header in HEADERS:
                if file.as_posix().endswith(f"/{header}"):
                    folders = len(Path(header).parts) - 1
                    found[header] = Path(str(file.locate())).parents[folders]
    return set(found.values()) if len(found) == len(HEADERS) else None
