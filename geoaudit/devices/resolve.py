"""Which device a recording is audited for, where its profile, the table and options disagree.

What the profile itself says wins over the table, and what the user asks for wins over both;
whatever disagrees is said in a sentence with both figures.
"""

from dataclasses import dataclass, replace

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.devices.spec import DeviceSpec
from geoaudit.devices.table import (
    ArchitectureLimits,
    DeviceEntry,
    architecture_limits,
    architecture_name,
    find_entry,
    known_architectures,
    lookup,
)
from geoaudit.errors import InputError

# What a profile may state about an SM, with the words a sentence names it by.
_STATED_LIMITS = {
    "threads_per_warp": "threads per warp",
    "max_threads_per_sm": "threads per SM",
    "max_blocks_per_sm": "blocks per SM",
    "registers_per_sm": "registers per SM",
    "shared_bytes_per_sm": "bytes of shared memory per SM",
    "shared_bytes_per_block_optin": "bytes of shared memory per block that opts in",
}


@dataclass(frozen=True, kw_only=True)
class DeviceOverride:
    """What the user says about the device.

    Attributes:
        name: of ``--device NAME``, or None.
        sms: of ``--sms N``: the SMs launches could use; at least 1, or None.
    """

    name: str | None = None
    sms: int | None = None


@dataclass(frozen=True, kw_only=True)
class ResolvedDevice:
    """The device to audit for.

    Attributes:
        name: its name, as well as it is known.
        spec: its limits, or None: cannot tell; ``disagreements`` then ends with the reason.
        usable_sms: SMs launches can use; known without ``spec`` where no more is.
        sm_count_source: where that count is from, or None.
        disagreements: sentences on sources that disagree, both figures in each, and on what is
            not known.
    """

    name: str
    spec: DeviceSpec | None
    usable_sms: int | None = None
    sm_count_source: str | None = None
    disagreements: tuple[str, ...] = ()


def resolve_device(recorded: RecordedDevice, override: DeviceOverride) -> ResolvedDevice:
    """The device a recording is audited for.

    The profile's SM count and limits win over the table's. Where the profile counts fewer SMs
    than the table, the device keeps its count and ``usable_sm_count`` is the profile's: MIG, MPS
    or a partition took the others away. ``override.name`` wins over a profile that names another
    device, ``override.sms`` over every count.

    Args:
        recorded: what the recording tells.
        override: what the user says.

    Raises:
        UnknownDeviceError: ``override.name`` is in no table.
        InputError: ``override.sms`` is below 1.
    """
    if override.sms is not None and override.sms < 1:
        raise InputError(f"--sms {override.sms}: a device has at least 1 SM")
    notes: list[str] = []
    recorded = _without_impossible_count(recorded, notes)
    entry = lookup(recorded.name) if recorded.name else None
    if override.name is not None:
        chosen = find_entry(override.name)
        recorded = _overruled(recorded, entry, chosen, notes)
        entry = chosen
    spec = _known(entry, recorded, notes) or _by_architecture(recorded, override, notes)
    name = recorded.name or (spec.name if spec else "unknown device")
    if spec is None:
        return _with_bare_count(name, recorded, override, notes)
    spec = _with_stated_limits(spec, recorded, notes)
    if override.sms is not None:
        spec = _with_override(spec, override.sms, notes)
    return ResolvedDevice(
        name=name,
        spec=replace(spec, name=name),
        usable_sms=spec.usable_sms,
        sm_count_source=spec.sm_count_source,
        disagreements=tuple(dict.fromkeys(notes)),
    )


def _without_impossible_count(recorded: RecordedDevice, notes: list[str]) -> RecordedDevice:
    """The clues without an SM count below 1, which no device has."""
    if recorded.sm_count is None or recorded.sm_count >= 1:
        return recorded
    notes.append(
        f"{_count_source(recorded)} says {recorded.sm_count} SMs, which no device has: not used"
    )
    return replace(recorded, sm_count=None, sm_count_source=None)


def _with_bare_count(
    name: str, recorded: RecordedDevice, override: DeviceOverride, notes: list[str]
) -> ResolvedDevice:
    """A device of which at most the number of SMs is known: enough for fill and waste."""
    count, source = recorded.sm_count, _count_source(recorded)
    if override.sms is not None:
        if count not in (None, override.sms):
            notes.append(f"--sms says {override.sms}, {source} says {count}: {override.sms} used")
        count, source = override.sms, "--sms"
    return ResolvedDevice(
        name=name,
        spec=None,
        usable_sms=count,
        sm_count_source=None if count is None else source,
        disagreements=tuple(notes),
    )


def _overruled(
    recorded: RecordedDevice, entry: DeviceEntry | None, chosen: DeviceEntry, notes: list[str]
) -> RecordedDevice:
    """The clues that still hold when the user names a device: all, if they fit that device."""
    architecture = _architecture(recorded)
    other_device = entry is not None and entry.spec.name != chosen.spec.name
    other_architecture = architecture is not None and architecture != chosen.spec.architecture
    if not (other_device or other_architecture):
        return recorded
    told = " ".join(
        part for part in (recorded.name, f"({architecture})" if architecture else "") if part
    )
    notes.append(
        f"--device says {chosen.spec.name}, the profile says {told}: {chosen.spec.name} used"
    )
    if recorded.sm_count is not None and recorded.sm_count != chosen.spec.sm_count:
        notes.append(
            f"--device has {chosen.spec.sm_count} SMs, {_count_source(recorded)} says "
            f"{recorded.sm_count}: {chosen.spec.sm_count} used"
        )
    return RecordedDevice(index=recorded.index, name=chosen.spec.name)


def _known(
    entry: DeviceEntry | None, recorded: RecordedDevice, notes: list[str]
) -> DeviceSpec | None:
    """The table's device, with the SM count the profile states."""
    if entry is None:
        return None
    spec, count = entry.spec, recorded.sm_count
    architecture = _architecture(recorded)
    if architecture is not None and architecture != spec.architecture:
        notes.append(
            f"the profile says architecture {architecture}, the table says {spec.architecture} "
            f"for {spec.name}: {architecture} used"
        )
        return None
    if count is None:
        return spec
    source = _count_source(recorded)
    if count == spec.sm_count:
        return replace(spec, sm_count_source=source)
    notes.append(
        f"{source} says {count} SMs, the table says {spec.sm_count} for {spec.name}: {count} used"
    )
    if count < spec.sm_count:
        return replace(spec, usable_sm_count=count, sm_count_source=source)
    return replace(spec, sm_count=count, sm_count_source=source)


def _by_architecture(
    recorded: RecordedDevice, override: DeviceOverride, notes: list[str]
) -> DeviceSpec | None:
    """A device the table does not hold, by its architecture and SM count; None: cannot tell."""
    architecture = _architecture(recorded)
    limits = _limits(architecture)
    named = f"{recorded.name!r}" if recorded.name else "the device"
    if limits is None:
        told = f"architecture {architecture}" if architecture else "no architecture"
        notes.append(
            f"{named} is not in the device table and the profile has {told} with known limits: "
            "name the device with --device"
        )
        return None
    count, source = recorded.sm_count, _count_source(recorded)
    if count is None:
        count, source = override.sms, "--sms"
    if count is None:
        notes.append(
            f"{named} is not in the device table and the profile has no SM count: give --sms or "
            "--device"
        )
        return None
    name = recorded.name or _generic_name(limits)
    return limits.with_sms(name=name, sm_count=count, sm_count_source=source)


def _with_stated_limits(spec: DeviceSpec, recorded: RecordedDevice, notes: list[str]) -> DeviceSpec:
    changes: dict[str, int] = {}
    for field, words in _STATED_LIMITS.items():
        stated, tabled = getattr(recorded, field), getattr(spec, field)
        if stated is None or stated < 1 or stated == tabled:
            continue
        changes[field] = stated
        notes.append(
            f"the profile says {stated} {words}, the table says {tabled} for "
            f"{spec.architecture}: {stated} used"
        )
    if not changes:
        return spec
    changed = replace(spec, **changes)  # type: ignore[arg-type]
    warps = changed.max_threads_per_sm // changed.threads_per_warp
    return replace(changed, max_warps_per_sm=warps)


def _with_override(spec: DeviceSpec, sms: int, notes: list[str]) -> DeviceSpec:
    if sms != spec.usable_sms:
        notes.append(f"--sms says {sms}, {spec.sm_count_source} says {spec.usable_sms}: {sms} used")
    return replace(
        spec,
        sm_count=max(sms, spec.sm_count),
        usable_sm_count=sms if sms < spec.sm_count else None,
        sm_count_source="--sms",
    )


def _architecture(recorded: RecordedDevice) -> str | None:
    if not recorded.architecture:
        return None
    return architecture_name(
        recorded.architecture, threads_per_warp=recorded.threads_per_warp, name=recorded.name
    )


def _limits(architecture: str | None) -> ArchitectureLimits | None:
    known = architecture in known_architectures()
    return architecture_limits(architecture) if architecture is not None and known else None


def _count_source(recorded: RecordedDevice) -> str:
    return recorded.sm_count_source or "the profile"


def _generic_name(limits: ArchitectureLimits) -> str:
    if limits.vendor == "amd":
        return f"{limits.architecture} device"
    return f"compute capability {limits.architecture} device"
