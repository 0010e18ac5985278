"""Files that are not read, each with what it is and what to do instead.

Recognised by content; a file's name is used as a hint only where the format has no signature.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_COUNT_ONLY = (
    "it holds sums per kernel and no single launches. Give `nsys stats --report cuda_gpu_trace "
    "--format csv`, or better the SQLite export (`nsys export --type sqlite`)"
)


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A kind of file that is not read.

    Attributes:
        matches: (path, first 64 KiB of the decompressed content) -> whether it is this kind.
        reason: what it is and what to do, to stand after the file's name and a colon.
    """

    matches: Callable[[Path, bytes], bool]
    reason: str


def refusal_for(path: Path, head: bytes) -> str | None:
    """Why this file is not read and what to do instead, or None for a kind that is not known."""
    return next((one.reason for one in REFUSALS if one.matches(path, head)), None)


def _magic(*signatures: bytes) -> Callable[[Path, bytes], bool]:
    return lambda path, head: head.startswith(signatures)


def _named(*suffixes: str) -> Callable[[Path, bytes], bool]:
    return lambda path, head: path.name.lower().endswith(suffixes)


def _text(pattern: str) -> Callable[[Path, bytes], bool]:
    compiled = re.compile(pattern.encode(), re.IGNORECASE | re.MULTILINE)

    def matches(path: Path, head: bytes) -> bool:
        is_text = b"\0" not in head[:1024] and b'"traceEvents"' not in head
        return is_text and compiled.search(head) is not None

    return matches


def _json(*keys: str) -> Callable[[Path, bytes], bool]:
    def matches(path: Path, head: bytes) -> bool:
        is_json = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
        is_trace = b'"traceEvents"' in head
        return is_json and not is_trace and all(f'"{key}"'.encode() in head for key in keys)

    return matches


def _is_xspace(path: Path, head: bytes) -> bool:
    """Whether this is an XSpace: planes in field 1, each with a name such as ``/device:GPU:0``."""
    plane = next(_messages(head), b"")
    names = (b"/host:", b"/device:", b"Task Environment")
    return any(name in plane[:256] for name in names)


def _is_packet_stream(path: Path, head: bytes) -> bool:
    """Whether this is a run of protobuf messages in field 1, as Perfetto writes its packets."""
    if b"\0" not in head:
        return False
    lengths = [len(message) for message in _messages(head)]
    return len(lengths) >= 3 and sum(lengths) > len(head) // 2


def _messages(content: bytes) -> Iterator[bytes]:
    position = 0
    while position < len(content) and content[position] == 0x0A:
        length, shift, position = 0, 0, position + 1
        while position < len(content) and shift < 35:
            byte = content[position]
            length |= (byte & 0x7F) << shift
            position, shift = position + 1, shift + 7
            if byte < 0x80:
                break
        yield content[position : position + length]
        position += length


REFUSALS: tuple[Refusal, ...] = (
    Refusal(
        matches=_magic(b"NVR\0"),
        reason="an Nsight Compute report (.ncu-rep). Export it with "
        "`ncu --import FILE --page raw --csv > FILE.csv` and give that",
    ),
    Refusal(
        matches=_magic(b"PAR1"),
        reason="a Parquet file, but not a recording of geoaudit and no profile. Give the profile "
        "itself: Kineto JSON, Nsight Systems SQLite or Nsight Compute CSV",
    ),
    Refusal(
        matches=_magic(b"PK\x03\x04", b"PK\x05\x06"),
        reason="a zip archive. Unpack it and give the profile inside",
    ),
    Refusal(
        matches=_magic(
            b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh", b"\x04\x22\x4d\x18", b"7z\xbc\xaf"
        ),
        reason="a compressed file of a kind that is not read. Unpack it and give the profile "
        "inside (only gzip is read as it is)",
    ),
    Refusal(
        matches=lambda path, head: head[257:262] == b"ustar",
        reason="a tar archive. Unpack it and give the profile inside",
    ),
    Refusal(
        matches=_magic(b"\x7fELF", b"MZ"),
        reason="a program or library, not a profile. Record it with a profiler first",
    ),
    Refusal(
        matches=_magic(b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8"),
        reason="a document or picture, not a profile",
    ),
    Refusal(
        matches=_text(r"\A\s*<(!doctype\s+html|html|\?xml|svg)"),
        reason="an HTML or XML document, not a profile. A download that failed often looks like "
        "this: check where the file is from",
    ),
    Refusal(
        matches=_text(r"\Aversion https://git-lfs\.github\.com/spec"),
        reason="a Git LFS pointer, not the file itself. Fetch it with `git lfs pull`",
    ),
    Refusal(
        matches=_json("frame", "metrics", "children"),
        reason="a Proton profile (hatchet JSON): it holds sums per name and no launch geometry. "
        "Record the run with the PyTorch profiler or Nsight Systems instead",
    ),
    Refusal(
        matches=_json("rocprofiler-sdk-tool"),
        reason="rocprofv3 JSON, which is not read. Give the kernel_trace.csv of "
        "`rocprofv3 --kernel-trace --output-format csv`",
    ),
    Refusal(
        matches=_json("$schema", "runs", "sarif"),
        reason="a SARIF report, not a profile",
    ),
    Refusal(
        matches=_json("schema_version", "rows", "totals"),
        reason="an audit that geoaudit wrote, not a profile. Give the recording it was made from "
        "to `geoaudit rank`",
    ),
    Refusal(
        matches=_text(r'\A\s*\{"(Type|CudaEvent|NvtxEvent|data)"\s*:|"EventType"\s*:.*"CudaEvent"'),
        reason="Nsight Systems' JSON export, which is not read. Use "
        "`nsys export --type sqlite FILE.nsys-rep` and give that",
    ),
    Refusal(
        matches=_text(r"Total Time \(\w+\)\"?,\"?(Instances|Count|Num Calls)|^\"?Time ?\(%\)"),
        reason=f"a summary of Nsight Systems: {_COUNT_ONLY}",
    ),
    Refusal(
        matches=_text(r"^\"?Name\"?,\"?Calls\"?,\"?TotalDurationNs"),
        reason="a rocprof summary per kernel, which has no single launches. Give the "
        "kernel_trace.csv of `rocprofv3 --kernel-trace --output-format csv`",
    ),
    Refusal(
        matches=_text(r"^\"?(Dispatch_ID|Index)\"?,.*(GPU_ID|gpu-id)"),
        reason="a rocprof v1 or v2 CSV, which has scalar sizes and is not read. Give the "
        "kernel_trace.csv of `rocprofv3 --kernel-trace --output-format csv`",
    ),
    Refusal(
        matches=_text(r"==\d+== (NVPROF|Profiling result)|^\"?Start\"?,\"?Duration\"?,\"?Grid X"),
        reason="an nvprof listing, which is not read. Record with Nsight Systems and give "
        "`nsys export --type sqlite`",
    ),
    Refusal(
        matches=_is_xspace,
        reason="a JAX/XLA profile (xplane.pb, an XSpace), which is not read yet. Record the run "
        "with Nsight Systems and give the SQLite export, or on AMD with rocprofv3 "
        "--kernel-trace and give its kernel_trace.csv",
    ),
    Refusal(
        matches=_is_packet_stream,
        reason="a protobuf trace (Perfetto or the like), which is not read. Give the profiler's "
        "own output: Kineto JSON, Nsight Systems SQLite, Nsight Compute or rocprofv3 CSV",
    ),
    # These formats have no signature that is known, so the name is all there is.
    Refusal(
        matches=_named(".nsys-rep", ".qdrep", ".qdstrm"),
        reason="an Nsight Systems report. Export it with `nsys export --type sqlite FILE` and "
        "give the .sqlite file",
    ),
    Refusal(
        matches=_named(".ncu-rep", ".nsight-cuprof-report"),
        reason="an Nsight Compute report. Export it with `ncu --import FILE --page raw --csv > "
        "FILE.csv` and give that",
    ),
)
