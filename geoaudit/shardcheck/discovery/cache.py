"""What earlier runs found out, kept by content in the user's cache folder.

The folder is ``geoaudit/shard-check`` in ``XDG_CACHE_HOME`` (by default ``~/.cache``). An entry is
a file named by a hash of all that it depends on: content, path, options and the analysis itself.
It begins with a hash of what follows, so that a damaged one is known, and thrown away.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 1 << 30
"""Of all entries; the oldest go first."""
_KEPT_SHARE = 0.75
_DIGEST_BYTES = 16


def cache_folder() -> Path | None:
    """Where entries are; None: the user has no home folder, and no variable says."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        # The XDG base directory specification: a relative path is to be ignored.
        folder = Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        return None
    return folder / "geoaudit" / "shard-check"


def key_of(parts: Iterable[bytes]) -> str:
    """The name of an entry that depends on these: every difference in them is one in the name."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


class Cache:
    """Entries in a folder. What cannot be read or written is as if it were not there."""

    def __init__(self, folder: Path | None) -> None:
        """Use a folder, which is made when something is kept.

        Args:
            folder: None: nothing is kept.
        """
        self._folder = folder
        self._wrote = False

    def get(self, key: str) -> bytes | None:
        """What is kept under a key; None: nothing that is whole."""
        if self._folder is None:
            return None
        file = self._file(self._folder, key)
        try:
            entry = file.read_bytes()
        except OSError:
            return None
        content = entry[_DIGEST_BYTES:]
        if entry[:_DIGEST_BYTES] != _digest(content):
            self.discard(key)
            return None
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep content under a key, in one step: others see all of it or nothing."""
        if self._folder is None:
            return
        with suppress(OSError):
            file = self._file(self._folder, key)
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
            try:
                with os.fdopen(descriptor, "wb") as handle:
                    handle.write(_digest(content) + content)
                Path(name).replace(file)
            finally:
                Path(name).unlink(missing_ok=True)
            self._wrote = True

    def discard(self, key: str) -> None:
        """Throw an entry away."""
        if self._folder is not None:
            with suppress(OSError):
                self._file(self._folder, key).unlink(missing_ok=True)

    def prune(self, most_bytes: int = MOST_BYTES) -> None:
        """Throw the oldest away where all are larger than allowed; looked for after writing."""
        if self._folder is None or not self._wrote:
            return
        entries = sorted(_entries(self._folder))
        total = sum(size for _, size, _ in entries)
        if total <= most_bytes:
            return
        for _, size, file in entries:
            if total <= _KEPT_SHARE * most_bytes:
                return
            with suppress(OSError):
                Path(file).unlink(missing_ok=True)
            total -= size

    @staticmethod
    def _file(folder: Path, key: str) -> Path:
        return folder / key[:2] / key[2:]


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest()


def _entries(folder: Path) -> Iterable[tuple[float, int, str]]:
    """Time, bytes and name of every entry."""
    for path, _, names in os.walk(folder):
        for file in (Path(path, name) for name in names):
            with suppress(OSError):
                status = file.stat()
                yield status.st_mtime, status.st_size, str(file)
