"""Which files of a tree are sources to read, and which are not, counted by reason."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from geoaudit.errors import InputError
from geoaudit.shardcheck.c_family.placeholders import TEMPLATE_ENDS
from geoaudit.shardcheck.discovery.content import MOST_BYTES
from geoaudit.shardcheck.discovery.ignore_rules import (
    IgnoreRules,
    is_ignored,
    rules_above,
    rules_of_folder,
    rules_of_lines,
)
from geoaudit.shardcheck.discovery.vendored import is_vendored, submodules
from geoaudit.shardcheck.manifest.recognising import MANIFEST_END, is_manifest

SUFFIXES = (".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc", ".hip", ".py")
SOURCE_ENDS = (*SUFFIXES, *(f"{one}{end}" for one in SUFFIXES[:-1] for end in TEMPLATE_ENDS))
"""Of files that are read: sources, and templates of those of C and C++."""
SOURCES_TOLD = f"Those end in {', '.join(SUFFIXES)}, or are manifests of geoaudit (.toml)"

IGNORED = "ignored by git"
EXCLUDED = "excluded"
VENDORED = "vendored"
HIDDEN = "in hidden folders"
LINKED = "links to what is read elsewhere"


@dataclass(frozen=True, kw_only=True)
class WalkOptions:
    """What to leave out.

    Attributes:
        exclude: patterns as in a ``.gitignore``, relative to the root.
        include_vendored: read other people's code too.
    """

    exclude: tuple[str, ...] = ()
    include_vendored: bool = False


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A file to read: where it is, and its path relative to the root, ``/`` between parts."""

    location: str
    path: str


@dataclass(frozen=True, kw_only=True)
class SourceTree:
    """What there is to read.

    Attributes:
        root: folder that paths are relative to.
        files: by path.
        skipped: reason -> files; of ignored and hidden folders, which are not entered, the
            folder counts as one.
        refused: path of a folder that cannot be listed -> why.
    """

    root: Path
    files: tuple[SourceFile, ...]
    skipped: Mapping[str, int]
    refused: Mapping[str, str] = field(default_factory=dict)


def find_sources(paths: Sequence[Path], options: WalkOptions) -> SourceTree:
    """The sources under paths; a file that is named itself is read whatever would leave it out.

    Raises:
        InputError: a path is not there, or is a file of no language that is read.
    """
    for path in paths:
        _require_source(path)
    resolved = [Path(os.path.realpath(path)) for path in paths]
    root = _root(resolved)
    walk = _Walk(root=root, options=options)
    for path in resolved:
        if path.is_dir():
            walk.enter(path)
        else:
            walk.add(path.as_posix())
    files = (
        SourceFile(location=location, path=_relative(location, root)) for location in walk.locations
    )
    return SourceTree(
        root=root,
        files=tuple(sorted(files, key=lambda file: file.path)),
        skipped=dict(sorted(walk.skipped.items())),
        refused={_relative(location, root): why for location, why in walk.refused.items()},
    )


def _require_source(path: Path) -> None:
    if path.is_dir():
        return
    if not path.exists():
        raise InputError(f"{path}: no such file or folder. Give a source tree or its files.")
    if not _is_source(path):
        raise InputError(f"{path}: not a source that is read. {SOURCES_TOLD}; or give a folder.")


def _is_source(path: Path) -> bool:
    """Whether a file is read: by how its name ends, and of TOML by what it holds."""
    if not path.name.endswith(MANIFEST_END):
        return path.name.endswith(SOURCE_ENDS)
    try:
        with path.open("rb") as handle:
            return is_manifest(handle.read(MOST_BYTES))
    except OSError:
        return False


def _root(resolved: Sequence[Path]) -> Path:
    folders = [path if path.is_dir() else path.parent for path in resolved]
    try:
        return Path(os.path.commonpath(folders))
    except ValueError as error:
        raise InputError(
            f"{', '.join(map(str, resolved))}: have no folder in common. Check them one at a time."
        ) from error


def _relative(location: str, root: Path) -> str:
    """The path from the root; absolute where it is not under it, legible where it is no UTF-8."""
    path = location.removeprefix(root.as_posix().rstrip("/") + "/")
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "replace")


@dataclass(kw_only=True)
class _Walk:
    """Goes through folders and collects."""

    root: Path
    options: WalkOptions
    locations: set[str] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)
    _entered: set[str] = field(default_factory=set)
    _submodules: set[str] = field(default_factory=set)

    def add(self, location: str) -> None:
        self.locations.add(location)

    def enter(self, folder: Path) -> None:
        """Collect the sources under a folder."""
        excluded = rules_of_lines(self.root.as_posix(), self.options.exclude)
        pending: list[tuple[str, tuple[IgnoreRules, ...]]] = [
            (folder.as_posix(), rules_above(folder))
        ]
        while pending:
            location, rules = pending.pop()
            own = rules_of_folder(location)
            inside = rules if own is None else (*rules, own)
            self._submodules |= submodules(Path(location))
            for entry in self._listed(location):
                below = self._take(entry, inside, excluded)
                if below is not None:
                    pending.append((below, inside))

    def _listed(self, location: str) -> list[os.DirEntry[str]]:
        if location in self._entered:
            return []
        self._entered.add(location)
        try:
            with os.scandir(location) as entries:
                return list(entries)
        except OSError as error:
            self.refused[location] = f"folder cannot be read: {error.strerror or error}"
            return []

    def _take(
        self,
        entry: os.DirEntry[str],
        rules: Sequence[IgnoreRules],
        excluded: IgnoreRules | None,
    ) -> str | None:
        """Collect a file, or give the folder that is to be entered."""
        target = self._target(entry)
        if target is None:
            return None
        is_folder = entry.is_dir()
        if not is_folder and not _is_source(Path(entry.path)):
            return None
        location = entry.path.replace(os.sep, "/")
        reason = self._reason_to_skip(location, is_folder, rules, excluded)
        if reason is None:
            if is_folder:
                return target
            self.add(target)
        elif reason == VENDORED:
            self.skipped[reason] += sum(1 for _ in _sources_below(location))
        else:
            self.skipped[reason] += 1
        return None

    def _target(self, entry: os.DirEntry[str]) -> str | None:
        """Where an entry is: links are followed out of the tree only, so that nothing is twice."""
        location = entry.path.replace(os.sep, "/")
        if not entry.is_symlink():
            return location
        try:
            target = Path(entry.path).resolve(strict=True)
        except (OSError, RuntimeError):
            target = None
        if target is None or target.is_relative_to(self.root) or self.root.is_relative_to(target):
            if entry.name.endswith(SOURCE_ENDS) or (target is not None and target.is_dir()):
                self.skipped[LINKED] += 1
            return None
        return target.as_posix()

    def _reason_to_skip(
        self,
        location: str,
        is_folder: bool,
        rules: Sequence[IgnoreRules],
        excluded: IgnoreRules | None,
    ) -> str | None:
        path = location + "/" * is_folder
        name = location.rpartition("/")[2]
        if name == ".git":
            return HIDDEN
        if is_ignored(path, rules):
            return IGNORED
        if excluded is not None and path.startswith(excluded.base) and excluded.decides(path):
            return EXCLUDED
        if not is_folder:
            return None
        if name.startswith("."):
            return HIDDEN
        if not self.options.include_vendored and (
            location in self._submodules or is_vendored(Path(location))
        ):
            return VENDORED
        return None


def _sources_below(location: str) -> Iterator[str]:
    """Names of source files under a folder, links left out."""
    for _, _, names in os.walk(location):
        yield from (name for name in names if name.endswith(SOURCE_ENDS))
