"""The top level of a trace: its events, still undecoded, and what describes the run."""

import re
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from geoaudit.errors import InputError
from geoaudit.sources.kineto.content import Content, first_character
from geoaudit.sources.kineto.repair import repair

# How many closing braces are tried, from the end, to find the last complete event.
_CUT_BACK_TRIES = 64
_NULL = msgspec.Raw(b"null")
_VERSION = re.compile(r"[0-9][0-9.]{0,31}")
_POSITION = re.compile(r" \(byte (\d+)\)")

T = TypeVar("T")


class DeviceProperties(msgspec.Struct, frozen=True, rename="camel"):
    """One device as Kineto describes it; CUDA and ROCm spell one field differently."""

    id: int | None = None
    name: str | None = None
    compute_major: int | None = None
    compute_minor: int | None = None
    max_threads_per_multiprocessor: int | None = None
    regs_per_multiprocessor: int | None = None
    warp_size: int | None = None
    num_sms: int | None = None
    shared_mem_per_block_optin: int | None = None
    shared_mem_per_multiprocessor: int | None = None
    max_shared_memory_per_multi_processor: int | None = None


class _DistributedInfo(msgspec.Struct, frozen=True):
    rank: int | None = None


class _Top(msgspec.Struct, frozen=True):
    trace_events: list[msgspec.Raw] | None = msgspec.field(default=None, name="traceEvents")
    device_properties: msgspec.Raw = msgspec.field(default=_NULL, name="deviceProperties")
    compute_properties: msgspec.Raw = msgspec.field(default=_NULL, name="computeProperties")
    distributed_info: msgspec.Raw = msgspec.field(default=_NULL, name="distributedInfo")
    cupti_version: msgspec.Raw = _NULL
    cuda_driver_version: msgspec.Raw = _NULL
    cuda_runtime_version: msgspec.Raw = _NULL
    roctracer_version: msgspec.Raw = _NULL
    rocprofiler_version: msgspec.Raw = _NULL
    hip_driver_version: msgspec.Raw = _NULL
    hip_runtime_version: msgspec.Raw = _NULL


_VERSION_FIELDS = tuple(name for name in _Top.__struct_fields__ if name.endswith("_version"))


@dataclass(frozen=True, kw_only=True)
class Document:
    """A trace at its top level.

    Attributes:
        events: the events, each still JSON; they keep the whole text in memory.
        devices: as deviceProperties (formerly computeProperties) tells them.
        rank: of a distributed run, or None.
        versions: of driver, runtime and profiler, by Kineto's key.
        partial: the text was cut; only complete events are here.
        warnings: sentences for the audit.
    """

    events: list[msgspec.Raw]
    devices: tuple[DeviceProperties, ...] = ()
    rank: int | None = None
    versions: dict[str, str]
    partial: bool = False
    warnings: tuple[str, ...] = ()


def open_document(content: Content, name: str, *, allow_partial: bool) -> Document:
    """Split a trace into its events.

    A strict read comes first; where it fails, one more with what tracing tools are known to write
    wrongly mended (see ``repair``), with a warning.

    Args:
        content: the file's content.
        name: for messages.
        allow_partial: read the complete events of a cut text.

    Raises:
        InputError: not JSON (with byte offset and line), cut, nested too deeply, or not a trace.
    """
    data, warnings = content.data, content.warnings
    if content.cut:
        warnings = (*warnings, "PARTIAL: the gzip data is cut or damaged at its end.")
    try:
        return _split(data, name, warnings=warnings, partial=content.cut)
    except msgspec.DecodeError as error:
        first_error = error
    if not _is_cut(first_error):
        mended = repair(data)
        if not mended.escapes and not mended.numbers:
            raise _located(first_error, data, name)
        data, warnings = mended.data, (*warnings, mended.warning)
        try:
            return _split(data, name, warnings=warnings, partial=content.cut)
        except msgspec.DecodeError as error:
            if not _is_cut(error):
                raise _located(error, data, name) from error
    if not allow_partial:
        raise InputError(
            f"{name}: the JSON is cut: it ends at byte {len(data)} within an event or list. Copy "
            "the file again, or read its complete part with --allow-partial."
        )
    return _complete_part(data, name, warnings)


def plain_value(raw: msgspec.Raw, type: type[T], missing: T) -> T:
    """One value of a trace's top level; ``missing`` where it has another type."""
    try:
        return msgspec.json.decode(raw, type=type)
    except (msgspec.MsgspecError, RecursionError):
        return missing


def _split(
    data: bytes | bytearray, name: str, *, warnings: tuple[str, ...], partial: bool = False
) -> Document:
    top = _top(data, name)
    if top.trace_events is None:
        raise InputError(
            f"{name}: is JSON but not a trace: it has no traceEvents. Give the file that "
            "torch.profiler's export_chrome_trace or tensorboard_trace_handler wrote."
        )
    devices = plain_value(top.device_properties, list[DeviceProperties], [])
    devices = devices or plain_value(top.compute_properties, list[DeviceProperties], [])
    info = plain_value(top.distributed_info, _DistributedInfo, _DistributedInfo())
    return Document(
        events=top.trace_events,
        devices=tuple(devices),
        rank=info.rank if info.rank is not None and info.rank >= 0 else None,
        versions=_versions(top),
        partial=partial,
        warnings=warnings,
    )


def _top(data: bytes | bytearray, name: str) -> _Top:
    start = first_character(data)
    if start not in (b"{", b"["):
        raise InputError(
            f"{name}: does not start like JSON of a trace. Give a Chrome trace of the PyTorch "
            "profiler (.json or .json.gz)."
        )
    try:
        if start == b"[":
            return _Top(trace_events=msgspec.json.decode(data, type=list[msgspec.Raw]))
        return msgspec.json.decode(data, type=_Top)
    except msgspec.ValidationError as error:
        raise InputError(f"{name}: is JSON but not a trace: {error}.") from error
    except RecursionError as error:
        raise InputError(f"{name}: is nested too deeply to be a trace.") from error


def _versions(top: _Top) -> dict[str, str]:
    texts = {
        field: bytes(getattr(top, field)).decode(errors="replace") for field in _VERSION_FIELDS
    }
    plain = {field: text.strip('"') for field, text in texts.items()}
    # Only what looks like a version: any other text might be anybody's.
    return {field: text for field, text in plain.items() if _VERSION.fullmatch(text)}


def _is_cut(error: msgspec.DecodeError) -> bool:
    return "truncated" in str(error)


def _located(error: msgspec.DecodeError, data: bytes | bytearray, name: str) -> InputError:
    reason = str(error).removeprefix("JSON is malformed: ")
    found = _POSITION.search(reason)
    if found is None:
        return InputError(f"{name}: is not valid JSON: {reason}. Export the trace again.")
    position = int(found[1])
    line = data.count(b"\n", 0, position) + 1
    what = "NUL byte" if data[position : position + 1] == b"\0" else _POSITION.sub("", reason)
    hint = "Export the trace again."
    if "trailing" in what:
        hint = "If several traces were written into one file, split them."
    return InputError(f"{name}: is not valid JSON at byte {position} (line {line}): {what}. {hint}")


def _complete_part(data: bytes | bytearray, name: str, warnings: tuple[str, ...]) -> Document:
    closing = b"]" if first_character(data) == b"[" else b"]}"
    text = bytes(data)
    end = len(text)
    for _ in range(_CUT_BACK_TRIES):
        end = text.rfind(b"}", 0, end)
        if end < 0 or (closing == b"]}" and b'"traceEvents"' not in text[:end]):
            break
        note = f"PARTIAL: the file is cut after byte {len(text)}; its complete events were read."
        try:
            return _split(text[: end + 1] + closing, name, warnings=(*warnings, note), partial=True)
        except msgspec.DecodeError:
            continue
    raise InputError(f"{name}: is cut before its first complete event. Record the trace again.")
