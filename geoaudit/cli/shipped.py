"""The recorded capture that ships with the package, for machines that cannot run the suite."""

from pathlib import Path

import geoaudit
from geoaudit.errors import InputError

CAPTURE = "h200-llama-decode/graph.parquet"


def shipped_capture() -> Path:
    """Path of the capture: inside an installed package, or in reports/ of a checkout.

    Raises:
        InputError: it is in neither place.
    """
    package = Path(geoaudit.__file__).parent
    for folder in (package / "shipped_reports", package.parent / "reports"):
        if (folder / CAPTURE).is_file():
            return folder / CAPTURE
    raise InputError(
        f"the recorded capture {CAPTURE} is missing from this installation. Install geoaudit "
        "again, or give scan a profile: geoaudit scan TRACE"
    )
