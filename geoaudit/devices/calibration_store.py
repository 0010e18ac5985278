"""Calibrations kept between runs: a JSON file in the user's data folder, by device name.

The file is ``geoaudit/calibrations.json`` in ``XDG_DATA_HOME`` (by default ``~/.local/share``);
``GEOAUDIT_CALIBRATIONS`` names another file.
"""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from geoaudit.devices.calibration import Calibration, implausible_figures, implausible_sentence
from geoaudit.errors import InputError

VARIABLE = "GEOAUDIT_CALIBRATIONS"
SCHEMA_VERSION = "1.0"


@dataclass(frozen=True, kw_only=True)
class CalibrationDocument:
    """What the file holds.

    Attributes:
        geoaudit_calibrations: version of the format, ``major.minor``.
        calibrations: one of each device name, sorted by it.
    """

    geoaudit_calibrations: str
    calibrations: tuple[Calibration, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StoredCalibrations:
    """What was read.

    Attributes:
        calibrations: empty where there is no file, or none that can be used.
        warning: what is wrong with the file, or None.
        is_usable: the file may be written again; False: it may hold something else.
    """

    calibrations: tuple[Calibration, ...] = ()
    warning: str | None = None
    is_usable: bool = True


def calibration_file() -> Path | None:
    """Where calibrations are kept; None: the user has no home folder, and no variable says."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME", "")
    try:
        # The XDG base directory specification: a relative path is to be ignored.
        folder = Path(data) if Path(data).is_absolute() else Path.home() / ".local" / "share"
    except RuntimeError:
        return None
    return folder / "geoaudit" / "calibrations.json"


def read_calibrations() -> StoredCalibrations:
    """All that is stored; a file that cannot be used is a warning and no error."""
    file = calibration_file()
    try:
        content = None if file is None else file.read_bytes()
    except FileNotFoundError:
        content = None
    except OSError as error:
        return _unusable(file, error.strerror or str(error))
    if content is None:
        return StoredCalibrations()
    try:
        read = _decoded(content).calibrations
    except InputError as error:
        return _unusable(file, str(error))
    wrong = implausible_sentence(read)
    return StoredCalibrations(
        calibrations=tuple(one for one in read if not implausible_figures(one)),
        warning=f"{file}: {wrong} cannot be, and that calibration is left out. Measure again: "
        "geoaudit devices --measure."
        if wrong
        else None,
    )


def store_calibration(calibration: Calibration) -> Path:
    """Keep a calibration in the place of an older one of its device name; the file.

    Raises:
        InputError: the file cannot be written, or holds something else, which is not overwritten.
    """
    file = calibration_file()
    if file is None:
        raise InputError(f"there is no home folder to keep calibrations in. Set {VARIABLE}=FILE.")
    stored = read_calibrations()
    if not stored.is_usable:
        raise InputError(f"{stored.warning} Nothing was stored.")
    others = [one for one in stored.calibrations if one.device_name != calibration.device_name]
    kept = sorted([*others, calibration], key=lambda one: one.device_name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _replace(file, _encoded(tuple(kept)))
    except OSError as error:
        raise InputError(
            f"cannot write {file}: {error.strerror or error}. Set {VARIABLE} to a file that can be "
            "written."
        ) from error
    return file


def _unusable(file: Path | None, why: str) -> StoredCalibrations:
    return StoredCalibrations(
        warning=f"{file}: stored calibrations cannot be used: {why}. Delete the file, or set "
        f"{VARIABLE} to another.",
        is_usable=False,
    )


def _decoded(content: bytes) -> CalibrationDocument:
    import msgspec

    try:
        document = msgspec.json.decode(content, type=CalibrationDocument)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not a file of calibrations ({error})") from error
    major, own = (
        text.partition(".")[0] for text in (document.geoaudit_calibrations, SCHEMA_VERSION)
    )
    if not major.isdigit() or int(major) > int(own):
        version = document.geoaudit_calibrations[:20]
        raise InputError(f"version {version!r} is newer than {SCHEMA_VERSION}; upgrade geoaudit")
    return document


def _encoded(calibrations: tuple[Calibration, ...]) -> bytes:
    import msgspec

    document = CalibrationDocument(geoaudit_calibrations=SCHEMA_VERSION, calibrations=calibrations)
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _replace(file: Path, content: bytes) -> None:
    """Write the file in one step: it is whole or as it was."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name[:40]}.")
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(content)
        Path(name).replace(file)
    finally:
        Path(name).unlink(missing_ok=True)
