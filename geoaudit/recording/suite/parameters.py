"""A kernel's own parameters against the arguments that a manifest gives it.

Launched with others, a kernel reads memory that nobody gave it: the driver takes the addresses of
as many arguments as the kernel has parameters, and from each as many bytes as the parameter has.
"""

from dataclasses import replace

from geoaudit.manifest.data_types import BYTES_PER_ELEMENT
from geoaudit.manifest.location import Location
from geoaudit.manifest.planned import Argument, PlannedLaunch, Scalar
from geoaudit.quantities import plural
from geoaudit.recording.suite.driver import CudaDriver

ADDRESS_BYTES = 8


def check_parameters(driver: CudaDriver, function: int, launch: PlannedLaunch) -> None:
    """Refuse arguments that are not as many, or not as large, as the kernel's parameters.

    Args:
        driver: where it cannot tell parameters, nothing is refused.
        function: its handle of the kernel.
        launch: one of the kernel's.

    Raises:
        ManifestError: names the list of arguments or the argument, and the kernel.
    """
    sizes = driver.parameter_sizes(function)
    if sizes is None:
        return
    given, entry = len(launch.arguments), launch.shape.entry
    if given != len(sizes):
        raise launch.arguments_location.error(
            f"kernel {entry!r} takes {plural(len(sizes), 'parameter')}, the manifest gives "
            f"{given}; pass what the kernel declares, in its order"
        )
    for index, (argument, size) in enumerate(zip(launch.arguments, sizes, strict=True)):
        if _size_bytes(argument) != size:
            raise _location(launch, index).error(
                f"{_described(argument)} is {plural(_size_bytes(argument), 'byte')}, this "
                f"parameter of kernel {entry!r} is {size}; pass a type of that size, or another "
                "order"
            )


def _size_bytes(argument: Argument) -> int:
    return BYTES_PER_ELEMENT[argument.dtype] if isinstance(argument, Scalar) else ADDRESS_BYTES


def _described(argument: Argument) -> str:
    return argument.dtype if isinstance(argument, Scalar) else f"the address of {argument.buffer}"


def _location(launch: PlannedLaunch, index: int) -> Location:
    argument = launch.arguments[index]
    if isinstance(argument, Scalar):
        return argument.location
    listed = launch.arguments_location
    return replace(listed, key=f"{listed.key}[{index}]")
