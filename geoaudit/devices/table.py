"""The table of known devices: lookup by name, and the limits of an architecture.

The figures stand in ``devices.toml`` beside this file, each with its source.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any

from geoaudit.devices.spec import DeviceSpec, Vendor
from geoaudit.errors import UnknownDeviceError

_IDENTITY = ("name", "vendor", "architecture", "sm_count_source", "usable_sm_count")
_PRODUCT_FIGURES = ("sm_count", "l2_bytes", "memory_bytes_per_second")
_LIMIT_FIGURES = tuple(
    field.name
    for field in fields(DeviceSpec)
    if field.name not in _IDENTITY and field.name not in _PRODUCT_FIGURES
)
# Kineto and HIP number AMD's architectures like compute capabilities: the gfx name of each.
_GFX_BY_HIP_VERSION = {"9.0": "gfx90a", "9.4": "gfx942", "9.5": "gfx950"}
_BRAND = frozenset({"nvidia", "amd", "geforce", "tesla", "instinct", "graphics", "gpu"})
_MIG = re.compile(r"\bmig\b.*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class ArchitectureLimits:
    """Limits that all devices of an architecture share.

    Attributes:
        architecture: compute capability ``"9.0"`` or gfx name ``"gfx942"``.
        vendor: ``nvidia`` or ``amd``.
        figures: field of DeviceSpec -> value; every field but name, counts, L2 and bandwidth.
        sources: field of DeviceSpec -> where the figure is from.
    """

    architecture: str
    vendor: Vendor
    figures: Mapping[str, int]
    sources: Mapping[str, str]

    def with_sms(self, *, name: str, sm_count: int, sm_count_source: str) -> DeviceSpec:
        """A device of this architecture that the table does not hold.

        Args:
            name: its name.
            sm_count: its SMs.
            sm_count_source: where that count is from.

        Returns:
            The device; L2 size and bandwidth are None.
        """
        return DeviceSpec(
            name=name,
            vendor=self.vendor,
            architecture=self.architecture,
            sm_count=sm_count,
            sm_count_source=sm_count_source,
            **self.figures,
        )


@dataclass(frozen=True, kw_only=True)
class DeviceEntry:
    """A device of the table with where its figures are from.

    Attributes:
        spec: the device.
        aliases: other spellings of its name.
        sources: field of DeviceSpec -> source of the figure, or why it is not known.
    """

    spec: DeviceSpec
    aliases: tuple[str, ...]
    sources: Mapping[str, str]


def find_device(name: str) -> DeviceSpec:
    """The device of that name.

    Args:
        name: any spelling: ``H100``, ``NVIDIA H100 80GB HBM3``, ``Tesla V100-SXM2-16GB``,
            ``nvidia a100 80gb pcie mig 1g.10gb``. Case, brand words and a MIG suffix are ignored.

    Returns:
        The whole device; what MIG or MPS takes away is for the caller to know.

    Raises:
        UnknownDeviceError: no such device; names the nearest.
    """
    return find_entry(name).spec


def find_entry(name: str) -> DeviceEntry:
    """The table's entry of that name, with the source of every figure.

    Raises:
        UnknownDeviceError: no such device; names the nearest.
    """
    entry = lookup(name)
    if entry is not None:
        return entry
    near = difflib.get_close_matches(_key(name), list(_by_key()), n=3, cutoff=0.5)
    names = list(dict.fromkeys(_by_key()[key].spec.name for key in near))
    nearest = f"The nearest are {', '.join(names)}. " if names else ""
    raise UnknownDeviceError(
        f"device {name[:100]!r} is not in the device table. {nearest}`geoaudit devices` lists "
        "all; where the profile has the compute capability, `--sms N` gives the SM count."
    )


def lookup(name: str) -> DeviceEntry | None:
    """The table's entry of that name, or None."""
    return _by_key().get(_key(name))


def all_entries() -> tuple[DeviceEntry, ...]:
    """All entries of the table, in its order."""
    document = _document()
    return tuple(_entry(raw, document["source"]) for raw in document["device"])


def all_devices() -> tuple[DeviceSpec, ...]:
    """All devices of the table, in its order."""
    return tuple(entry.spec for entry in all_entries())


def known_architectures() -> tuple[str, ...]:
    """All architectures with known limits, oldest first, NVIDIA before AMD."""
    return tuple(_document()["architecture"])


@cache
def architecture_limits(architecture: str) -> ArchitectureLimits:
    """The limits of an architecture.

    Args:
        architecture: ``"9.0"`` or ``"gfx942"``, as ``architecture_name`` spells it.

    Raises:
        UnknownDeviceError: the table does not know it.
    """
    document = _document()
    raw = document["architecture"].get(architecture)
    if raw is None:
        raise UnknownDeviceError(
            f"architecture {architecture[:40]!r} is not in the device table, which knows "
            f"{', '.join(document['architecture'])}. Name a device with `--device`."
        )
    merged = document["vendor"][raw["vendor"]] | raw
    return ArchitectureLimits(
        architecture=architecture,
        vendor=raw["vendor"],
        figures={field: merged[field][0] for field in _LIMIT_FIGURES},
        sources={field: document["source"][merged[field][1]] for field in _LIMIT_FIGURES},
    )


def architecture_name(
    architecture: str, *, threads_per_warp: int | None = None, name: str | None = None
) -> str:
    """An architecture in the table's spelling.

    Args:
        architecture: ``9.0``, ``90``, ``sm_90a``, ``gfx90a:sramecc+:xnack-``, or HIP's version
            number of an AMD device (``9.4``), as Kineto records it.
        threads_per_warp: 64 tells an AMD device with such a number from an NVIDIA one.
        name: the device's name, which tells it too.

    Returns:
        ``"9.0"`` or ``"gfx942"``; a spelling that is not understood comes back as it is.
    """
    text = architecture.strip().lower().split(":")[0]
    if digits := re.fullmatch(r"(?:sm_?)?(\d+)(\d)[af]?", text):
        text = f"{digits[1]}.{digits[2]}"
    words = set((name or "").lower().split())
    if threads_per_warp == 64 or words & {"amd", "radeon", "instinct"}:
        return _GFX_BY_HIP_VERSION.get(text, text)
    return text


def _key(name: str) -> str:
    words = re.split(r"[^a-z0-9.]+", _MIG.sub("", name.lower()))
    return " ".join(word for word in words if word and word not in _BRAND)


@cache
def _by_key() -> dict[str, DeviceEntry]:
    return {
        _key(name): entry for entry in all_entries() for name in (entry.spec.name, *entry.aliases)
    }


@cache
def _document() -> dict[str, Any]:
    text = files("geoaudit.devices").joinpath("devices.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _entry(raw: Mapping[str, Any], sources: Mapping[str, str]) -> DeviceEntry:
    limits = architecture_limits(raw["architecture"])
    figures = {field: _figure(raw[field], sources) for field in _PRODUCT_FIGURES}
    count, count_source = figures["sm_count"]
    spec = limits.with_sms(
        name=raw["name"], sm_count=count, sm_count_source=f"device table: {count_source}"
    )
    return DeviceEntry(
        spec=replace(
            spec,
            l2_bytes=figures["l2_bytes"][0],
            memory_bytes_per_second=figures["memory_bytes_per_second"][0],
        ),
        aliases=tuple(raw["aliases"]),
        sources={**limits.sources, **{field: figures[field][1] for field in _PRODUCT_FIGURES}},
    )


def _figure(raw: Any, sources: Mapping[str, str]) -> tuple[Any, str]:  # noqa: ANN401
    if isinstance(raw, dict):
        return None, f"not known: {raw['unknown']}"
    value, key = raw
    return value, sources[key]
