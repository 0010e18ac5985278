"""What ships with the package: the suite, and a recording of it where it cannot be run."""

from pathlib import Path

import geoaudit
from geoaudit.errors import InputError

CAPTURE = "h200-decode-suite/eager.parquet"
MANIFEST = "manifest.toml"


def shipped_capture() -> Path:
    """Path of the capture: inside an installed package, or in reports/ of a checkout.

    Raises:
        InputError: it is in neither place.
    """
    capture = _shipped("reports", CAPTURE)
    if capture is None:
        raise InputError(
            f"the recorded capture {CAPTURE} is missing from this installation. Install geoaudit "
            "again, or give scan a profile: geoaudit scan TRACE"
        )
    return capture


def shipped_manifest() -> Path:
    """Path of the suite's manifest: inside an installed package, or in kernels/ of a checkout.

    Raises:
        InputError: it is in neither place.
    """
    manifest = _shipped("kernels", MANIFEST)
    if manifest is None:
        raise InputError(
            "the decode suite is missing from this installation. Install geoaudit again, or give "
            "scan a manifest: geoaudit scan MANIFEST.toml"
        )
    return manifest


def _shipped(folder: str, file: str) -> Path | None:
    """Path of a file that ships, which a wheel holds under geoaudit's own name."""
    package = Path(geoaudit.__file__).parent
    for place in (package / f"shipped_{folder}", package.parent / folder):
        if (place / file).is_file():
            return place / file
    return None
