"""What was found on a machine: plain values, nothing judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Device:
    """A CUDA device as the driver names it.

    Attributes:
        name: of the product.
        compute_capability: such as ``"9.0"``.
        sm_count: of the device, or of the MIG instance that the process sees.
    """

    name: str
    compute_capability: str
    sm_count: int


@dataclass(frozen=True, kw_only=True)
class Driver:
    """The CUDA driver.

    Attributes:
        error: why libcuda.so.1 could not be loaded or asked; None where it was.
        init_result: CUresult of cuInit, 0 for success; None where it was not called.
        init_name: the driver's name of that result.
        cuda: major and minor of cuDriverGetVersion; None where not known.
        devices: what it offers this process.
        nodes: device files of NVIDIA GPUs in /dev.
        closed_nodes: those of them that this user may not open.
    """

    error: str | None = None
    init_result: int | None = None
    init_name: str | None = None
    cuda: tuple[int, int] | None = None
    devices: tuple[Device, ...] = ()
    nodes: tuple[str, ...] = ()
    closed_nodes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Cupti:
    """A CUPTI library that was found, and what came of loading it.

    Attributes:
        path: of the library.
        origin: a wheel, the toolkit, LD_LIBRARY_PATH.
        api_version: what cuptiGetVersion gave; None where it could not be asked.
        error: why it could not be loaded or asked.
    """

    path: str
    origin: str
    api_version: int | None = None
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class Recorder:
    """The recorder's own library.

    Attributes:
        path: where it is, or should be.
        is_built: the file is there.
        error: why the loader refuses it.
    """

    path: str
    is_built: bool
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """How the GPUs of this machine are divided.

    Attributes:
        mig_modes: nvidia-smi's MIG mode of each GPU; empty where it could not be asked.
        mig_instances: MIG devices that nvidia-smi lists.
        mps_pipe: folder of a running MPS control daemon.
    """

    mig_modes: tuple[str, ...] = ()
    mig_instances: int = 0
    mps_pipe: str | None = None


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A profiler or sanitizer on PATH.

    Attributes:
        name: of the program.
        path: where it is, or None.
        version: as it prints it, or None where it did not say.
    """

    name: str
    path: str | None = None
    version: str | None = None


@dataclass(frozen=True, kw_only=True)
class Disk:
    """The folder a recording would be written to.

    Attributes:
        folder: the current one.
        free_bytes: for this user; None where it could not be asked.
        is_writable: a file can be made in it.
    """

    folder: str
    free_bytes: int | None
    is_writable: bool


@dataclass(frozen=True, kw_only=True)
class Machine:
    """All that is known of a machine before a recording.

    Attributes:
        platform: ``sys.platform``.
        python: version of the interpreter.
        driver: the CUDA driver and its devices.
        recorder: the injected library.
        cupti: in the order in which the recorder tries them.
        sharing: MIG and MPS.
        disk: where a recording would be written.
        counters_need_admin: the driver keeps performance counters for administrators; None where
            it does not say.
        container: what kind of container this is; None outside of one.
        environment: the variables that matter here, and no others.
        packages: GPU package -> version, for those that are installed.
        tools: profilers looked for on PATH.
    """

    platform: str
    python: str
    driver: Driver
    recorder: Recorder
    cupti: tuple[Cupti, ...]
    sharing: Sharing
    disk: Disk
    counters_need_admin: bool | None = None
    container: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()
