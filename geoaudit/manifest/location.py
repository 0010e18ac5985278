"""Where something stands in a manifest, and the errors that name it."""

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from geoaudit.errors import InputError

KeyPath = tuple[str | int, ...]
"""Keys and list indices from the top of the document: ``("kernels", "norm", "grid", 0)``."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN_CHARACTERS = 60


class ManifestError(InputError):
    """A manifest that cannot be used; the message names file, line and key: exit code 2."""


@dataclass(frozen=True, kw_only=True)
class Location:
    """A place in a manifest.

    Attributes:
        file: the manifest, as the user named it.
        line: line of the key, from 1.
        key: dotted path of the key; empty for the document itself.
    """

    file: str
    line: int
    key: str

    def error(self, what: str) -> ManifestError:
        """The error that names this place.

        Args:
            what: what is wrong and what to do, parted by a semicolon.
        """
        place = f"{self.file}:{self.line}: "
        return ManifestError(f"{place}{self.key}: {what}" if self.key else f"{place}{what}")


def key_text(path: KeyPath) -> str:
    """A key path as a user would write it: ``kernels.norm.grid[0]``.

    Example:
        >>> key_text(("kernels", "norm", "grid", 0))
        'kernels.norm.grid[0]'
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + _key(part)
    return text


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"; did you mean x?"`` for the nearest known word, or nothing where none is near.

    Example:
        >>> did_you_mean("n_heads", ["n_head", "hidden"])
        '; did you mean n_head?'
    """
    near = difflib.get_close_matches(word[:_SHOWN_CHARACTERS], list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def shown(value: object) -> str:
    """A value of the input as it may stand in a message: quoted, escaped and not too long."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."


def _key(part: str) -> str:
    if _BARE_KEY.fullmatch(part) and len(part) <= _SHOWN_CHARACTERS:
        return part
    return json.dumps(part[:_SHOWN_CHARACTERS])
