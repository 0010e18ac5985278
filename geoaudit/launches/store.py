"""Recordings on disk: Parquet with versioned metadata, replaced in one step.

A recording of one process is a file; one of several is a folder of that name with a part file
each. The schema version is ``major.minor``: a newer major is an error; the columns that an older
minor lacks are null.
"""

import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec
import pandas as pd
import pyarrow as pa

from geoaudit import __version__
from geoaudit.devices.calibration import without_implausible_figures
from geoaudit.devices.recorded import RecordedDevice
from geoaudit.errors import InputError
from geoaudit.launches import schema as s
from geoaudit.launches.completeness import joined_warnings, with_missing_ranks, with_rank_alone
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.sealed_parquet import NOT_AS_WRITTEN, metadata_of, read_sealed, write_sealed
from geoaudit.launches.table import typed, validate

_VERSION_KEY = b"geoaudit_schema_version"
_METADATA_KEY = b"geoaudit_metadata"
_SEALED_SINCE = (1, 3)
PART_PATTERN = "part-*.parquet"
MOST_RANKS = 100_000
"""More than any machine runs at once; beyond it a number is damage, and too many to name."""


def write_recording(recording: Recording, path: Path) -> None:
    """Write a recording as one Parquet file; it replaces what is there in one step.

    Raises:
        SchemaError: the table breaks the schema.
        InputError: the path cannot be written.
    """
    validate(recording.launches)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".geoaudit-") as folder:
            temporary = Path(folder) / "recording"
            _write_file(recording, temporary)
            _replace(temporary, path)
    except OSError as error:
        raise _cannot_write(path, error) from error


def write_dataset(recordings: Sequence[Recording], path: Path) -> None:
    """Write the recordings of several processes as a folder with one part file each.

    Raises:
        SchemaError: a table breaks the schema.
        InputError: the path cannot be written.
    """
    for recording in recordings:
        validate(recording.launches)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".geoaudit-") as folder:
            temporary = Path(folder) / "recording"
            temporary.mkdir()
            for index, recording in enumerate(recordings):
                _write_file(recording, temporary / f"part-{index:05d}.parquet")
            _replace(temporary, path)
    except OSError as error:
        raise _cannot_write(path, error) from error


def read_recording(path: Path) -> Recording:
    """The recording of a file, or of a folder of part files joined into one.

    In a joined recording the devices of each part get indices of their own, since two processes
    may each call a different device 0. Ranks that it lacks are told, see `launches.completeness`.

    Raises:
        InputError: missing, unreadable, not a recording of geoaudit, or of a newer major version.
        SchemaError: the table breaks the schema.
    """
    if not path.exists():
        raise InputError(
            f"{path}: no such recording. Make one with `geoaudit scan`, or name one that exists."
        )
    if not path.is_dir():
        return with_rank_alone(_read_file(path))
    return join_recordings(read_parts(path), path)


def read_parts(path: Path) -> list[Recording]:
    """The recordings of a folder's part files, each as it was written.

    Raises:
        InputError: there is none, or one is unreadable, no recording, or of a newer major version.
        SchemaError: a table breaks the schema.
    """
    parts = sorted(path.glob(PART_PATTERN))
    if not parts:
        raise InputError(
            f"{path}: a folder without {PART_PATTERN} files is not a recording. Name a recording "
            "made by `geoaudit scan`."
        )
    return [_read_file(part) for part in parts]


def refuse_other_files(path: Path) -> None:
    """Refuse a path that holds anything but a recording: a profile is never overwritten.

    Raises:
        InputError: what is there is not a recording.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        # A name too long, links that lead to each other.
        raise InputError(f"cannot write {path}: {error.strerror}. Give -o another path.") from error
    if not is_recording(path.resolve()):
        raise InputError(
            f"cannot write {path}: what is there is not a recording, and is not overwritten. "
            "Give -o another path."
        )


def is_recording(path: Path) -> bool:
    """Whether a path holds a recording of geoaudit's own (not whether it is sound)."""
    if path.is_dir():
        return any(path.glob(PART_PATTERN))
    if not path.is_file():
        return False  # a pipe or a device: to open it may wait for ever
    return _VERSION_KEY in metadata_of(path)


def join_recordings(recordings: Sequence[Recording], path: Path | None = None) -> Recording:
    """One recording of several, with device indices of their own for each.

    It is a data set: where the run has a rank that no part holds, it is partial, and says so.

    Raises:
        InputError: their instruments differ; times of two instruments are never compared.
    """
    if len(recordings) == 1:
        return with_missing_ranks(replace(recordings[0], path=path))
    instruments = sorted({recording.metadata.instrument for recording in recordings})
    if len(instruments) > 1:
        raise InputError(
            f"recordings of different instruments ({', '.join(instruments)}) cannot be joined: "
            "their times are not comparable. Scan them one by one."
        )
    parts: list[Recording] = []
    for recording in recordings:
        offset = sum(len(part.metadata.devices) for part in parts)
        parts.append(_renumbered(recording, offset))
    table = pd.concat([_plain_text(part.launches) for part in parts], ignore_index=True)
    for column in s.COLUMNS:
        table[column.name] = typed(table[column.name], column)
    return with_missing_ranks(
        Recording(launches=table, metadata=_joined_metadata(parts), path=path)
    )


def _renumbered(recording: Recording, offset: int) -> Recording:
    """The recording with the devices that have launches numbered from an offset, and no others."""
    launches, metadata = recording.launches.copy(), recording.metadata
    known = {device.index: device for device in metadata.devices}
    renumbered = {
        index: offset + place for place, index in enumerate(sorted(set(launches[s.DEVICE])))
    }
    launches[s.DEVICE] = launches[s.DEVICE].map(renumbered).astype("int64")
    devices = tuple(
        replace(known.get(old, RecordedDevice(index=old)), index=new)
        for old, new in renumbered.items()
    )
    interventions = tuple(
        replace(one, device=renumbered[one.device])
        for one in metadata.interventions
        if one.device in renumbered
    )
    return Recording(
        launches=launches,
        metadata=replace(metadata, devices=devices, interventions=interventions),
    )


def _plain_text(table: pd.DataFrame) -> pd.DataFrame:
    return table.astype({column.name: "object" for column in s.COLUMNS if column.type == "text"})


def _joined_metadata(recordings: Sequence[Recording]) -> Metadata:
    parts = [recording.metadata for recording in recordings]
    dropped = [part.dropped for part in parts if part.dropped is not None]
    seen = [part.launches_seen for part in parts if part.launches_seen is not None]
    ranks = [part.ranks for part in parts if part.ranks is not None]
    return replace(
        parts[0],
        source_name=", ".join(part.source_name for part in parts),
        devices=tuple(one for part in parts for one in part.devices),
        dropped=sum(dropped) if dropped else None,
        untimed=sum(part.untimed for part in parts),
        launches_seen=sum(seen) if len(seen) == len(parts) else None,
        partial=any(part.partial for part in parts),
        replayed=any(part.replayed for part in parts),
        calibrations=tuple(dict.fromkeys(one for part in parts for one in part.calibrations)),
        declared=tuple(dict.fromkeys(one for part in parts for one in part.declared)),
        interventions=tuple(one for part in parts for one in part.interventions),
        warnings=joined_warnings(recordings),
        ranks=max(ranks, default=None),
    )


def _write_file(recording: Recording, path: Path) -> None:
    table = pa.Table.from_pandas(recording.launches, preserve_index=False)
    # A file name that is no UTF-8 could not be stored, nor printed.
    source_name = recording.metadata.source_name.encode("utf-8", "replace").decode()
    metadata = replace(recording.metadata, tool_version=__version__, source_name=source_name)
    described = {
        _VERSION_KEY: s.SCHEMA_VERSION.encode(),
        _METADATA_KEY: msgspec.json.encode(metadata),
    }
    write_sealed(table, described, path)


def _read_file(path: Path) -> Recording:
    rows, described, is_sealed = read_sealed(path)
    if _VERSION_KEY not in described:
        raise InputError(
            f"{path}: a Parquet file, but not a recording of geoaudit. Make one with "
            "`geoaudit scan`."
        )
    version = described[_VERSION_KEY].decode("utf-8", "replace")
    _check_version(path, version)
    if not is_sealed and _numbers(version) >= _SEALED_SINCE:
        raise InputError(
            f"{path}: not a readable recording ({NOT_AS_WRITTEN}): its digest is gone."
        )
    try:
        metadata = msgspec.json.decode(described.get(_METADATA_KEY, b""), type=Metadata)
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: its metadata cannot be read: {error}") from error
    if metadata.ranks is not None and not 1 <= metadata.ranks <= MOST_RANKS:
        raise InputError(
            f"{path}: its metadata says that its run has {metadata.ranks} ranks, which no run has. "
            "Record it again."
        )
    calibrations, strange = without_implausible_figures(metadata.calibrations)
    metadata = replace(metadata, calibrations=calibrations, warnings=(*metadata.warnings, *strange))
    launches = _upgraded(rows, version)
    for column in s.COLUMNS:
        if column.name in launches:
            launches[column.name] = typed(launches[column.name], column)
    validate(launches)
    return Recording(launches=launches, metadata=metadata, path=path)


def _upgraded(launches: pd.DataFrame, version: str) -> pd.DataFrame:
    """The table with the columns that its version of the schema did not have yet, null."""
    newer = [c.name for c in s.COLUMNS if _numbers(c.since) > _numbers(version)]
    filled = launches.assign(**{name: None for name in newer if name not in launches})
    known = [column.name for column in s.COLUMNS if column.name in filled]
    return filled[[*known, *(name for name in filled if name not in s.BY_NAME)]]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _check_version(path: Path, version: str) -> None:
    major = version.partition(".")[0]
    own = s.SCHEMA_VERSION.partition(".")[0]
    if not major.isdigit() or int(major) > int(own):
        raise InputError(
            f"{path}: schema version {version} is newer than {s.SCHEMA_VERSION}, the newest this "
            f"geoaudit {__version__} reads. Upgrade geoaudit."
        )


def _replace(temporary: Path, path: Path) -> None:
    """Put a new file or folder in the place of what is there."""
    path = path.resolve()
    retired = temporary.with_name("retired")
    refuse_other_files(path)
    if path.is_dir() or (path.exists() and temporary.is_dir()):
        path.rename(retired)
    temporary.replace(path)
    if retired.is_dir():
        with suppress(OSError):
            shutil.rmtree(retired)


def _cannot_write(path: Path, error: OSError) -> InputError:
    return InputError(
        f"cannot write {path}: {error.strerror or error}. Give -o a path in a folder that exists "
        "and can be written to."
    )
