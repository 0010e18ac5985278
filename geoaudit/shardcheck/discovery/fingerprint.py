"""What stands for the analysis in the cache's keys: another version gives other answers."""

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import geoaudit

_PACKAGES = ("msgspec", "tree-sitter", "tree-sitter-cuda")
_ROOMS = ("shardcheck", "devices", "diagnosis", "manifest")


@cache
def analysis_fingerprint() -> bytes:
    """16 bytes of the code of the analysis, of the tool's version and of what it parses with."""
    digest = hashlib.blake2b(digest_size=16)
    told = [geoaudit.__version__, platform.python_version(), *map(_version, _PACKAGES)]
    digest.update("\n".join(told).encode())
    package = Path(geoaudit.__file__).parent
    for room in _ROOMS:
        for file in sorted((package / room).rglob("*.*")):
            if file.suffix not in {".py", ".toml"}:
                continue
            digest.update(file.relative_to(package).as_posix().encode() + b"\0")
            digest.update(file.read_bytes())
    return digest.digest()


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package
