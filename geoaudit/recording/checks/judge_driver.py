"""What the driver and its devices mean for a recording."""

from geoaudit.recording.checks import variables
from geoaudit.recording.checks.check import Check
from geoaudit.recording.checks.machine import Driver, Machine

NO_DEVICE = 100
_UPDATE = "Restart the machine, or install the driver again."
# CUresult of cuInit (cuda.h) -> what it means, and what to do.
_INIT_RESULTS = {
    2: ("out of memory", "Free memory of the machine or of its GPUs."),
    3: ("the driver did not start", _UPDATE),
    34: (
        "a stub of the CUDA toolkit was loaded in place of the driver",
        "Take the folder `stubs` out of LD_LIBRARY_PATH.",
    ),
    46: (
        "the device is busy or in an exclusive mode",
        "End the process that holds it, or ask for compute mode 0 (nvidia-smi -c 0).",
    ),
    101: ("a device that does not exist is asked for", "Correct CUDA_VISIBLE_DEVICES."),
    102: ("the virtual GPU has no licence", "Give the virtual machine its vGPU licence."),
    304: ("the operating system refused", "Look for NVRM or nvidia in dmesg."),
    802: (
        "the system is not ready",
        "Start nvidia-fabricmanager: a machine with NVSwitch needs it.",
    ),
    803: (
        "the kernel module and libcuda are of different versions",
        "Restart the machine after a driver update; in a container, start it anew.",
    ),
    804: (
        "the forward compatibility package does not support this device",
        "Take cuda-compat out of LD_LIBRARY_PATH, or update the driver.",
    ),
    805: (
        "the MPS control daemon cannot be reached",
        "Start it (nvidia-cuda-mps-control -d), or unset CUDA_MPS_PIPE_DIRECTORY.",
    ),
    806: ("the MPS server does not answer", "Restart the MPS control daemon."),
    807: ("the MPS server is not ready", "Wait, or restart the MPS control daemon."),
    808: ("MPS has its full number of clients", "End one of its clients."),
    809: ("MPS has its full number of connections", "End one of its clients."),
    999: ("an error without a name", "Look for NVRM or nvidia in dmesg. " + _UPDATE),
}
NO_GPU_REMEDY = "Record on a machine with an NVIDIA GPU, and bring the recording here."


def check_driver(machine: Machine) -> Check:
    """The CUDA driver: loaded, started, its version."""
    driver = machine.driver
    name = "CUDA driver"
    if driver.error is not None:
        return _no_driver(machine, name)
    if driver.init_result in (0, NO_DEVICE):
        version = "of unknown version" if driver.cuda is None else _version(driver.cuda)
        return Check(name=name, status="ok", found=f"it runs CUDA up to {version}.")
    code = f"{driver.init_name or 'error'} ({driver.init_result})"
    meaning, remedy = _INIT_RESULTS.get(driver.init_result or 999, _INIT_RESULTS[999])
    return Check(name=name, status="problem", found=f"cuInit: {code}: {meaning}.", remedy=remedy)


def check_devices(machine: Machine) -> Check:
    """The CUDA devices of this process."""
    driver = machine.driver
    name = "devices"
    if driver.devices:
        return Check(name=name, status="ok", found=_devices(driver))
    if check_driver(machine).status == "problem":
        return Check(name=name, status="not here", found="the driver did not tell.")
    hidden = machine.environment.get(variables.VISIBLE_DEVICES)
    if hidden is not None and driver.nodes:
        return Check(
            name=name,
            status="problem",
            found=f"no CUDA device is visible: CUDA_VISIBLE_DEVICES is {hidden!r}.",
            remedy="Unset it, or name a device that is there.",
        )
    if driver.closed_nodes:
        return Check(
            name=name,
            status="problem",
            found=f"this user may not open {', '.join(driver.closed_nodes)}.",
            remedy="Ask for read and write permission on them (a group such as video or render).",
        )
    if machine.container is not None:
        return Check(
            name=name,
            status="problem",
            found=f"no CUDA device in this container ({machine.container}).",
            remedy="Start it with its GPUs (docker run --gpus all …), if the host has any.",
        )
    return Check(name=name, status="problem", found="no CUDA device.", remedy=NO_GPU_REMEDY)


def _no_driver(machine: Machine, name: str) -> Check:
    driver = machine.driver
    found = f"libcuda.so.1 was not loaded: {driver.error}."
    if not driver.nodes:
        return Check(name=name, status="not here", found=found)
    capabilities = machine.environment.get(variables.CAPABILITIES, "compute")
    if "compute" not in capabilities and "all" not in capabilities:
        remedy = f"Start the container with {variables.CAPABILITIES}=compute,utility."
    else:
        remedy = "Install the driver's libcuda, or give its folder to the loader (ldconfig)."
    found = f"the GPU's device files are here, but {found}"
    return Check(name=name, status="problem", found=found, remedy=remedy)


def _devices(driver: Driver) -> str:
    kinds: dict[str, int] = {}
    for device in driver.devices:
        text = (
            f"{device.name} (compute capability {device.compute_capability}, {device.sm_count} SMs)"
        )
        kinds[text] = kinds.get(text, 0) + 1
    return ", ".join(f"{count} × {text}" if count > 1 else text for text, count in kinds.items())


def _version(cuda: tuple[int, int]) -> str:
    return f"{cuda[0]}.{cuda[1]}"
