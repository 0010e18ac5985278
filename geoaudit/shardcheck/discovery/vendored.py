"""Folders that hold other people's code: by name, as a submodule, or as an environment."""

import configparser
from pathlib import Path

from geoaudit.shardcheck.discovery.presence import is_there

FOLDER_NAMES = frozenset(
    {
        "third_party",
        "third-party",
        "thirdparty",
        "3rdparty",
        "3rd_party",
        "external",
        "externals",
        "vendor",
        "vendors",
        "vendored",
        "_vendor",
        "submodules",
        "_deps",
        "node_modules",
        "bower_components",
        "site-packages",
        "dist-packages",
    }
)
_INSIDE = (
    ("cutlass", "include/cutlass/cutlass.h"),
    ("composable_kernel", "include/ck/ck.hpp"),
    ("cub", "cub/cub.cuh"),
    ("pybind11", "include/pybind11/pybind11.h"),
)
"""Folders that are told by their name and a file in them: (name, file)."""


def is_vendored(folder: Path) -> bool:
    """Whether a folder is somebody else's: by its name, or since it is a repository of its own."""
    name = folder.name.casefold()
    if name in FOLDER_NAMES:
        return True
    if is_there(folder / ".git") or is_there(folder / "pyvenv.cfg"):
        return True
    return any(name == known and is_there(folder / file) for known, file in _INSIDE)


def submodules(folder: Path) -> frozenset[str]:
    """Absolute paths of the submodules that the ``.gitmodules`` in a folder names."""
    try:
        text = (folder / ".gitmodules").read_text("utf-8", "replace")
    except OSError:
        return frozenset()
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string("\n".join(line.strip() for line in text.splitlines()))
    except configparser.Error:
        return frozenset()
    paths = (parser.get(section, "path", fallback="") for section in parser.sections())
    return frozenset((folder / path).as_posix() for path in paths if path)
