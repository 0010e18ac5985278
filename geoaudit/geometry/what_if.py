"""A launch someone thinks of, and what another shape would make of it."""

import re
from dataclasses import dataclass, replace

from geoaudit.devices.spec import DeviceSpec
from geoaudit.errors import InputError
from geoaudit.geometry.launch import launch_geometry
from geoaudit.geometry.launch_limits import reasons_impossible
from geoaudit.geometry.shape import Dim3, LaunchGeometry, LaunchShape

_CHANGE_KEYS = ("registers", "shared-bytes", "block", "grid", "max-active-clusters")
# With any of these another number of clusters fits, which only the driver can tell.
_CLUSTERS_DEPEND_ON = frozenset({"registers", "shared-bytes", "block"})
# No figure of a launch has more digits, and int() refuses texts of thousands of them.
_WHOLE_NUMBER = r"[0-9]{1,18}"
_NEXT_CHANGE = re.compile(r",(?=\s*[a-z-]+=)")


@dataclass(frozen=True, kw_only=True)
class CalculatedLaunch:
    """A launch with its figures.

    Attributes:
        name: ``as given``, or the changes it was asked with.
        shape: the launch.
        geometry: its figures; no resident blocks where it is impossible.
        reasons: why it is impossible, a phrase each; empty: it can be made.
    """

    name: str
    shape: LaunchShape
    geometry: LaunchGeometry
    reasons: tuple[str, ...]


def calculate(
    shape: LaunchShape, device: DeviceSpec, *, name: str = "as given"
) -> CalculatedLaunch:
    """The figures of a launch that may be impossible.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> shape = LaunchShape(
        ...     grid=None, block=(8, 8, 65), registers_per_thread=32, shared_bytes=0
        ... )
        >>> launch = calculate(shape, find_device("H200"))
        >>> launch.geometry.resident_blocks_per_sm, launch.reasons[0]
        (0, 'block z is 65, the limit is 64')
    """
    geometry = launch_geometry(shape, device)
    reasons = reasons_impossible(shape, device)
    if reasons and geometry.resident_blocks_per_sm != 0:
        geometry = LaunchGeometry(
            grid_blocks=geometry.grid_blocks,
            block_threads=geometry.block_threads,
            sm_fill=geometry.sm_fill,
            resident_blocks_per_sm=0,
            limiter="impossible",
            limiters=("impossible",),
            theoretical_occupancy=0.0,
        )
    return CalculatedLaunch(name=name, shape=shape, geometry=geometry, reasons=reasons)


def changed_shape(shape: LaunchShape, changes: str) -> LaunchShape:
    """The launch with some of its values replaced.

    Where registers, shared memory or block of a clustered launch change, the clusters that fit
    are not known any more, unless the changes give them.

    Args:
        shape: the launch.
        changes: ``registers=128``, ``shared-bytes=0``, ``block=16x16``, ``grid=264``,
            ``max-active-clusters=30``, or several of them joined by commas.

    Raises:
        InputError: an unknown key, or a value that is no whole number or dimension.

    Example:
        >>> shape = LaunchShape(grid=(12, 1, 1), block=(256, 1, 1), registers_per_thread=64)
        >>> changed_shape(shape, "registers=128,block=16x16").registers_per_thread
        128
    """
    changed = set()
    for change in _NEXT_CHANGE.split(changes):
        name, separator, text = change.strip().partition("=")
        key = name.replace("_", "-")
        if not separator or key not in _CHANGE_KEYS:
            raise InputError(
                f"--what-if {changes[:80]!r}: {change[:40]!r} is not KEY=VALUE with a key of "
                f"{', '.join(_CHANGE_KEYS)}. Write for example --what-if registers=128."
            )
        shape = _changed(shape, key, text, f"--what-if {key}")
        changed.add(key)
    if changed & _CLUSTERS_DEPEND_ON and "max-active-clusters" not in changed:
        return replace(shape, max_active_clusters=None)
    return shape


def _changed(shape: LaunchShape, key: str, text: str, where: str) -> LaunchShape:
    if key == "block":
        return replace(shape, block=parse_dimensions(text, where))
    if key == "grid":
        return replace(shape, grid=parse_dimensions(text, where))
    if not re.fullmatch(_WHOLE_NUMBER, text):
        unit = ", in plain bytes: 163840 for 160 KiB" if key == "shared-bytes" else ""
        raise InputError(f"{where}: {text[:40]!r} is not a whole number of 0 or more{unit}.")
    if key == "registers":
        return replace(shape, registers_per_thread=int(text))
    if key == "max-active-clusters":
        return replace(shape, max_active_clusters=int(text))
    return replace(
        shape, shared_bytes=int(text), static_shared_bytes=None, dynamic_shared_bytes=None
    )


def parse_dimensions(text: str, where: str) -> Dim3:
    """A grid, block or cluster of one to three dimensions.

    Args:
        text: ``256``, ``16x16x1`` or ``16,16,1``, in parentheses or not.
        where: what the text was given for, for the error.

    Raises:
        InputError: not one to three whole numbers of at least 1.

    Example:
        >>> parse_dimensions("16x16", "--block"), parse_dimensions("(4, 2, 8)", "--grid")
        ((16, 16, 1), (4, 2, 8))
    """
    axes = re.split(r"\s*[x,×]\s*", text.strip().strip("()").strip())
    if len(axes) > 3 or not all(re.fullmatch(_WHOLE_NUMBER, axis) for axis in axes):
        raise InputError(
            f"{where}: {text[:40]!r} is not a size of one to three dimensions. "
            "Write 256, 16x16 or 16x16x1."
        )
    x, y, z = (*map(int, axes), 1, 1)[:3]
    if min(x, y, z) < 1:
        raise InputError(f"{where}: {text[:40]!r} has a dimension of 0; at least 1 is needed.")
    return x, y, z
