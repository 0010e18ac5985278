"""Files that a user writes by hand: read whole, and no further than such a file can be long."""

from pathlib import Path

from geoaudit.errors import InputError

LONGEST = 64 * 2**20
"""Bytes. Ten thousand lines of the longest names are fewer."""


def small_text(file: Path, option: str, example: str) -> str:
    """The text of a file.

    Args:
        file: as given.
        option: that names it.
        example: of what is in such a file.

    Raises:
        InputError: it cannot be read, is no text, or does not come to an end.
    """
    try:
        with file.open("rb") as handle:
            content = handle.read(LONGEST + 1)
        if len(content) > LONGEST:
            raise InputError(
                f"{option} {file}: longer than {LONGEST // 2**20} MiB. Name a CSV file: {example}"
            )
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{option} {file}: cannot be read ({error}). Name a CSV file: {example}"
        ) from error
