"""Which paths a repository ignores: ``.gitignore`` files, nested ones too, and its own exclude."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from geoaudit.shardcheck.discovery.presence import is_there

_MAX_IGNORE_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class IgnoreRules:
    """The patterns of one file.

    Attributes:
        base: folder that they are relative to, absolute, with a slash at the end.
        spec: the patterns.
        any_pattern: matches whatever one of the patterns matches: most paths match none, and
            that is asked once in place of once for each pattern.
    """

    base: str
    spec: GitIgnoreSpec
    any_pattern: re.Pattern[str]

    def decides(self, path: str) -> bool | None:
        """Whether a path under `base` is ignored; a folder ends with a slash; None: not said."""
        relative = path[len(self.base) :]
        if self.any_pattern.match(relative) is None:
            return None
        return self.spec.check_file(relative).include


def rules_of_lines(base: str, lines: Iterable[str]) -> IgnoreRules | None:
    """The rules of lines in git's syntax; lines that are no pattern are left out, as git does.

    Args:
        base: folder that they are relative to, absolute.
        lines: of a ``.gitignore``.

    Returns:
        None: there is no pattern.
    """
    patterns = [pattern for line in lines for pattern in _patterns(line)]
    sources = [pattern.regex.pattern for pattern in patterns if pattern.regex is not None]
    if not sources:
        return None
    # Groups with names may not be there twice in one expression.
    unnamed = (re.sub(r"\(\?P<\w+>", "(?:", source) for source in sources)
    any_pattern = re.compile("|".join(f"(?:{source})" for source in unnamed))
    return IgnoreRules(
        base=base.rstrip("/") + "/", spec=GitIgnoreSpec(patterns), any_pattern=any_pattern
    )


def _patterns(line: str) -> Sequence[GitIgnoreSpecPattern]:
    try:
        return GitIgnoreSpec.from_lines([line]).patterns
    except (ValueError, re.error):
        return []


def rules_of_folder(folder: str) -> IgnoreRules | None:
    """The rules of the ``.gitignore`` in a folder; None: there is none, or it cannot be read."""
    return _rules_of_file(Path(folder) / ".gitignore", folder)


def rules_above(folder: Path) -> tuple[IgnoreRules, ...]:
    """The rules that hold in a folder from above it: of its repository, outermost first.

    Empty outside of a repository, as for git.
    """
    inside = [folder, *folder.parents]
    top = next((one for one in inside if is_there(one / ".git")), None)
    if top is None:
        return ()
    above = inside[1 : inside.index(top) + 1] if top != folder else []
    files = [(top / ".git" / "info" / "exclude", top)]
    files += [(one / ".gitignore", one) for one in reversed(above)]
    found = (_rules_of_file(file, base.as_posix()) for file, base in files)
    return tuple(rules for rules in found if rules is not None)


def _rules_of_file(file: Path, base: str) -> IgnoreRules | None:
    try:
        with file.open("rb") as handle:
            content = handle.read(_MAX_IGNORE_BYTES)
    except OSError:
        return None
    return rules_of_lines(base, content.decode("utf-8", "replace").splitlines())


def is_ignored(path: str, rules: Sequence[IgnoreRules]) -> bool:
    """Whether a path is ignored: of rules that say something the last counts.

    Args:
        path: absolute; a folder ends with a slash.
        rules: outermost folder first. Folders above the path are not ignored themselves.
    """
    for one in reversed(rules):
        decision = one.decides(path)
        if decision is not None:
            return decision
    return False
