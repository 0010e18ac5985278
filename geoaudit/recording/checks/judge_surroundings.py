"""What the environment, the sharing of the GPU, the disk and other tools mean for a recording."""

from geoaudit.quantities import byte_count
from geoaudit.recording.checks import variables
from geoaudit.recording.checks.check import Check
from geoaudit.recording.checks.machine import Machine, Tool
from geoaudit.recording.checks.slot import taken_slots

# A launch takes 120 bytes on disk while it is recorded (a kernel and a launch record).
BYTES_PER_LAUNCH = 120
LITTLE_SPACE_BYTES = 1 << 30


def check_slot(machine: Machine) -> tuple[Check, ...]:
    """Whoever has put itself where the recorder goes; one ``ok`` where nobody has."""
    name = "injection slot"
    checks = [
        Check(name=name, status="problem", found=found, remedy=remedy)
        for found, remedy in taken_slots(machine.environment)
    ]
    checks += _hints(machine)
    return tuple(checks) or (Check(name=name, status="ok", found="it is free."),)


def check_nvtx_slot(machine: Machine) -> tuple[Check, ...]:
    """Another library that NVTX ranges are sent to."""
    library = machine.environment.get(variables.NVTX_INJECTION)
    if not library:
        return ()
    found = f"{variables.NVTX_INJECTION} is set to {library}"
    if library == machine.recorder.path:
        return (Check(name="NVTX slot", status="ok", found=f"{found}, geoaudit's recorder."),)
    return (
        Check(
            name="NVTX slot",
            status="warning",
            found=f"{found} (some container images preset it): ranges recorded inside a process "
            "would go there. `scan -- COMMAND` sets it anew for its command.",
            remedy="Unset it before a program that records itself.",
        ),
    )


def check_permissions(machine: Machine) -> Check:
    """Counters may need an administrator; a recording does not."""
    found = "a recording needs none: it takes activity records, not performance counters."
    if not machine.counters_need_admin:
        return Check(name="permissions", status="ok", found=found)
    return Check(
        name="permissions",
        status="ok",
        found=f"{found} ncu does: this driver keeps counters for administrators "
        "(RmProfilingAdminOnly: 1).",
        remedy="For ncu alone: run it as root, or set NVreg_RestrictProfilingToAdminUsers=0.",
    )


def check_mig(machine: Machine) -> Check:
    """MIG: instances have fewer SMs than the device."""
    sharing = machine.sharing
    if not sharing.mig_modes:
        found = "not known: nvidia-smi is not here or gives no answer."
        return Check(name="MIG", status="not here", found=found)
    if "Enabled" not in sharing.mig_modes:
        return Check(name="MIG", status="ok", found="off.")
    if not sharing.mig_instances:
        return Check(
            name="MIG",
            status="warning",
            found="on, and no instance is there: CUDA finds no device on such a GPU.",
            remedy="Make an instance (nvidia-smi mig -cgi … -C), or turn MIG off.",
        )
    return Check(
        name="MIG",
        status="warning",
        found=f"on, with {sharing.mig_instances} instances: a process sees one, and its SMs are "
        "those of the instance.",
        remedy="Name the instance in CUDA_VISIBLE_DEVICES; times share the memory of the others.",
    )


def check_mps(machine: Machine) -> Check:
    """MPS: clients share the SMs, and may be given a part of them."""
    percentage = machine.environment.get(variables.MPS_PERCENTAGE)
    pipe = machine.sharing.mps_pipe
    if pipe is None and percentage is None:
        return Check(name="MPS", status="ok", found="no control daemon.")
    parts = [f"a control daemon may run ({pipe})"] if pipe else []
    parts += [f"{variables.MPS_PERCENTAGE} is {percentage}"] if percentage else []
    return Check(
        name="MPS",
        status="warning",
        found=f"{' and '.join(parts)}: other clients' kernels run on the same SMs, and a client "
        "may use a part of them only.",
        remedy="For times of your program alone, record without MPS, or as its only client.",
    )


def check_container(machine: Machine) -> Check:
    """Containers: whether they leave CUDA in."""
    if machine.container is None:
        return Check(name="container", status="ok", found="none.")
    kind = machine.container
    capabilities = machine.environment.get(variables.CAPABILITIES, "compute")
    if "compute" in capabilities or "all" in capabilities:
        return Check(name="container", status="ok", found=f"{kind}.")
    return Check(
        name="container",
        status="warning",
        found=f"{kind}; {variables.CAPABILITIES} is {capabilities!r}, which leaves CUDA out.",
        remedy=f"Start it with {variables.CAPABILITIES}=compute,utility.",
    )


def check_disk(machine: Machine) -> Check:
    """Room for the recording in the current folder."""
    disk, name = machine.disk, "disk"
    if not disk.is_writable:
        return Check(
            name=name,
            status="problem",
            found=f"nothing can be written in {disk.folder}.",
            remedy="Give `scan` a path elsewhere (-o PATH), or change to another folder.",
        )
    if disk.free_bytes is None:
        return Check(
            name=name,
            status="warning",
            found=f"the space in {disk.folder} is not known.",
            remedy="Write elsewhere (-o PATH) if it is little.",
        )
    launches = disk.free_bytes // BYTES_PER_LAUNCH // 1_000_000
    found = f"{byte_count(disk.free_bytes)} free in {disk.folder}: {launches:,} million launches."
    if disk.free_bytes >= LITTLE_SPACE_BYTES:
        return Check(name=name, status="ok", found=found)
    return Check(
        name=name, status="warning", found=found, remedy="Free some, or write elsewhere (-o PATH)."
    )


def check_packages(machine: Machine) -> tuple[Check, ...]:
    """The GPU packages that the wrappers know."""
    return tuple(
        Check(name=name, status="ok", found=machine.packages[name])
        if name in machine.packages
        else Check(name=name, status="not here", found="not installed, and not needed to record.")
        for name in ("CuPy", "PyTorch")
    )


def check_tool(tool: Tool) -> Check:
    """A profiler on PATH: useful beside geoaudit, never around it."""
    if tool.path is None:
        return Check(name=tool.name, status="not here", found="not on PATH, and not needed.")
    version = tool.version or "unknown version"
    return Check(name=tool.name, status="ok", found=f"{version}, {tool.path}")


def _hints(machine: Machine) -> list[Check]:
    named = [
        f"{name} ({tool})"
        for name, tool in variables.tools_of(machine.environment).items()
        if name != variables.NSYS_SESSION
    ]
    if not named:
        return []
    return [
        Check(
            name="profiler variables",
            status="warning",
            found=f"{', '.join(named)}: where such a tool runs the command, it takes the place "
            "of the recorder.",
            remedy="Run without it, or unset the variables.",
        )
    ]
