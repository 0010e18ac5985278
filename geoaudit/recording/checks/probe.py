"""Looking at this machine. Everything that could crash or hang runs in a process of its own."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import geoaudit
from geoaudit.recording.checks import variables
from geoaudit.recording.checks.machine import (
    Cupti,
    Device,
    Disk,
    Driver,
    Machine,
    Recorder,
    Sharing,
    Tool,
)
from geoaudit.recording.cupti import CuptiLibrary, find_cupti
from geoaudit.recording.runner import LIBRARY

# What loads a library into every CUDA program: never into the probes.
SLOT_VARIABLES = (variables.INJECTION, variables.NVTX_INJECTION)

TOOLS = ("nsys", "ncu", "compute-sanitizer")
# Distribution -> the name people know it by.
_PACKAGES = {"cupy-cuda13x": "CuPy", "cupy-cuda12x": "CuPy", "cupy": "CuPy", "torch": "PyTorch"}
_TIMEOUT_SECONDS = 20
_DRIVER_PARAMETERS = Path("/proc/driver/nvidia/params")
_CONTAINER_MARKS = {Path("/.dockerenv"): "Docker", Path("/run/.containerenv"): "Podman"}
_MPS_PIPE = "/tmp/nvidia-mps"  # noqa: S108 - the daemon's own default
_VERSION = re.compile(r"\b(\d{4}\.\d+(?:\.\d+)*)")
# The children find geoaudit wherever this process did, and nothing in the current folder.
_CHILD = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from geoaudit.recording.checks.library_probe import main; main(sys.argv[2:])"
)


def probe() -> Machine:
    """Look at this machine; nothing that fails here raises, it is written down as found."""
    return Machine(
        platform=sys.platform,
        python=platform.python_version(),
        driver=_driver(),
        recorder=_recorder(LIBRARY),
        cupti=tuple(_cupti(library) for library in find_cupti()),
        sharing=_sharing(),
        disk=_disk(),
        counters_need_admin=_counters_need_admin(_DRIVER_PARAMETERS),
        container=_container(os.environ),
        environment={
            name: os.environ[name] for name in sorted(os.environ) if variables.is_watched(name)
        },
        packages=_packages(),
        tools=tuple(_tool(name) for name in TOOLS),
    )


def library_answer(kind: str, *arguments: str) -> dict[str, Any]:
    """What a process of its own found in a library; ``error`` where it ended without an answer.

    Args:
        kind: ``driver``, ``cupti`` or ``recorder``.
        arguments: path of the library.
    """
    root = str(Path(geoaudit.__file__).parents[1])
    command = [sys.executable or "python3", "-I", "-S", "-c", _CHILD, root, kind, *arguments]
    # The driver would load what another tool, or another geoaudit, wants loaded.
    environment = {name: text for name, text in os.environ.items() if name not in SLOT_VARIABLES}
    code, output = _run(command, environment)
    if code is None:
        return {"error": output}
    answer = _last_object(output)
    if answer is None:
        return {"error": f"the process that loaded it ended with code {code} and no answer"}
    return answer


def _last_object(output: str) -> dict[str, Any] | None:
    """The last line that is a JSON object: what a library prints stands around it."""
    for line in reversed(output.splitlines()):
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict):
            return answer
    return None


def _run(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[int | None, str]:
    """Exit code and standard output; code None and a reason where it did not run to its end."""
    try:
        result = subprocess.run(
            list(command),
            env=None if environment is None else dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"no answer within {_TIMEOUT_SECONDS} s"
    except OSError as error:
        return None, f"cannot be run: {error.strerror or error}"
    return result.returncode, result.stdout.decode("utf-8", "replace")


def _driver() -> Driver:
    answer = library_answer("driver")
    nodes = tuple(sorted(str(path) for path in Path("/dev").glob("nvidia[0-9c]*")))
    cuda = answer.get("cuda")
    return Driver(
        error=answer.get("error"),
        init_result=answer.get("init_result"),
        init_name=answer.get("init_name"),
        cuda=(cuda[0], cuda[1]) if cuda else None,
        devices=tuple(Device(**device) for device in answer.get("devices", ())),
        nodes=nodes,
        closed_nodes=tuple(node for node in nodes if not os.access(node, os.R_OK | os.W_OK)),
    )


def _recorder(library: Path) -> Recorder:
    if not library.is_file():
        return Recorder(path=str(library), is_built=False)
    answer = library_answer("recorder", str(library))
    return Recorder(path=str(library), is_built=True, error=answer.get("error"))


def _cupti(library: CuptiLibrary) -> Cupti:
    answer = library_answer("cupti", str(library.path))
    return Cupti(
        path=str(library.path),
        origin=library.origin,
        api_version=answer.get("api_version"),
        error=answer.get("error"),
    )


def _sharing() -> Sharing:
    pipe = os.environ.get("CUDA_MPS_PIPE_DIRECTORY", _MPS_PIPE)
    # The daemon's own pipe; the folder outlives it.
    mps_pipe = pipe if os.access(Path(pipe) / "control", os.F_OK) else None
    if shutil.which("nvidia-smi") is None:
        return Sharing(mps_pipe=mps_pipe)
    query = ["nvidia-smi", "--query-gpu=mig.mode.current", "--format=csv,noheader"]
    code, modes = _run(query)
    _, listed = _run(["nvidia-smi", "-L"])
    return Sharing(
        mig_modes=tuple(line.strip() for line in modes.splitlines()) if code == 0 else (),
        mig_instances=sum(line.lstrip().startswith("MIG ") for line in listed.splitlines()),
        mps_pipe=mps_pipe,
    )


def _disk() -> Disk:
    try:
        folder = Path.cwd()
    except OSError:
        return Disk(folder="the current folder, which is gone", free_bytes=None, is_writable=False)
    try:
        free_bytes = shutil.disk_usage(folder).free
    except OSError:
        free_bytes = None
    writable = os.access(folder, os.W_OK | os.X_OK)
    return Disk(folder=str(folder), free_bytes=free_bytes, is_writable=writable)


def _counters_need_admin(parameters: Path) -> bool | None:
    try:
        text = parameters.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = re.search(r"^RmProfilingAdminOnly: *(\d+)", text, re.MULTILINE)
    return None if match is None else match[1] != "0"


def _container(environment: Mapping[str, str]) -> str | None:
    for mark, name in _CONTAINER_MARKS.items():
        if mark.exists():
            return name
    if "KUBERNETES_SERVICE_HOST" in environment:
        return "Kubernetes"
    return environment.get("container") or None


def _packages() -> dict[str, str]:
    found: dict[str, str] = {}
    for distribution, name in _PACKAGES.items():
        try:
            found.setdefault(name, metadata.version(distribution) or "unknown version")
        except metadata.PackageNotFoundError:
            continue
    return found


def _tool(name: str) -> Tool:
    path = shutil.which(name)
    if path is None:
        return Tool(name=name)
    code, output = _run([path, "--version"])
    match = _VERSION.search(output) if code == 0 else None
    return Tool(name=name, path=path, version=match[1] if match else None)
