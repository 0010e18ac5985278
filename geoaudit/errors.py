"""Every error geoaudit raises on purpose, with the exit code it ends the process with.

Exit codes: 0 nothing that ``--fail-on`` names, 1 findings and only findings, 2 usage,
configuration or unreadable input, 3 could not measure. A message says what is wrong, where,
and what to do about it.
"""

from collections.abc import Sequence
from typing import ClassVar

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_NOT_MEASURED = 3


class GeoauditError(Exception):
    """Base of all errors raised on purpose; carries the exit code of the process."""

    exit_code: ClassVar[int] = EXIT_USAGE

    def __init__(self, message: str, details: Sequence[str] = ()) -> None:
        """Say what is wrong.

        Args:
            message: one paragraph.
            details: lines to show under it: a compiler's errors, a list to choose from.
        """
        super().__init__(message)
        self.details = tuple(details)


class InputError(GeoauditError):
    """An input file or option value that cannot be used: exit code 2."""


class UnknownDeviceError(InputError):
    """A device name that neither the device table nor the input describes: exit code 2."""


class SchemaError(InputError):
    """A launches table that breaks the schema; names column, rule and first bad row."""


class NotMeasuredError(GeoauditError):
    """The input is readable but holds nothing that could be audited: exit code 3."""

    exit_code = EXIT_NOT_MEASURED
