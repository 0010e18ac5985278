"""Sources with the launches expected of them, written on the line, and how they are read.

A comment holds ``expect: WORD ... KEY=VALUE ...`` (``//``, ``#``, ``/* */``; ``;`` may end a remark
before it). Words:

- ``none``: the line looks like a launch and is none. No line without a comment may have a site.
- a behaviour of `geoaudit.shardcheck.report`, or several with ``|`` between.
- a rule, ``GA401``: it fires, and no rule that is not named. ``GA401`` and ``GA402`` imply the
  behaviours ``collapses`` and ``small`` and the reverse. ``GA403?``: it may fire.
- ``optional``: the site may be missing.

Keys: ``grid`` and ``block`` compare by value (`tests.expected_extents`; ``(a, b)|(c, d)``: either),
``roots.x`` is the whole set of an axis (``-`` is none, ``|`` either), ``symbols.x`` must be among
the symbols, ``not.x`` must not; ``sharded`` is the whole set of dimensions by their last name;
``kernel``, ``launcher``, ``idiom``; ``by`` and ``rounding`` of the dimensions;
``blocks=96/48/?/12`` at the ranks in order; ``condition~word``; ``allowed=GA401`` rules that a
remark allows.

A line ``options: ...`` in a file gives the options of the command for its case, and
``not_analysed: N`` how many lines are counted as not analysed at least. A folder is one case.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from geoaudit.shardcheck.report import Behaviour

CASES = Path(__file__).parent / "shardcheck_cases"
BEHAVIOURS = frozenset(get_args(Behaviour))
_EXPECT = re.compile(r"(?:^|[/#*;]\s*|\s)expect: (?P<text>.*?)\s*(?:\*/.*)?$")
_HEAD = re.compile(r"^(?://|#)\s*(?P<key>options|not_analysed): (?P<text>.*)$", re.MULTILINE)
_IMPLIED = {"GA401": "collapses", "GA402": "small"}


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """What is expected of one line.

    Attributes:
        behaviours: any of them is right; empty: not compared.
        rules: must fire; `possible_rules` may.
        fields: the keys, as written.
    """

    path: str
    line: int
    is_none: bool = False
    is_optional: bool = False
    behaviours: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()
    possible_rules: frozenset[str] = frozenset()
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """``path:line``."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Files that are checked together, the command's options, and what is expected."""

    name: str
    files: Mapping[str, str]
    options: tuple[str, ...]
    not_analysed: int
    expectations: tuple[Expectation, ...]


def read_cases(folder: Path = CASES) -> tuple[Case, ...]:
    """All cases of the folder, by name."""
    return tuple(_case(entry) for entry in sorted(folder.iterdir()) if entry.name != "__pycache__")


def _case(entry: Path) -> Case:
    paths = sorted(entry.iterdir()) if entry.is_dir() else [entry]
    files = {path.name: path.read_text(encoding="utf-8") for path in paths if path.is_file()}
    heads = {
        match["key"]: match["text"] for text in files.values() for match in _HEAD.finditer(text)
    }
    return Case(
        name=entry.name,
        files=files,
        options=tuple(shlex.split(heads.get("options", ""))),
        not_analysed=int(heads.get("not_analysed", "0")),
        expectations=tuple(
            expectation for name, text in files.items() for expectation in _expectations(name, text)
        ),
    )


def _expectations(path: str, text: str) -> Iterator[Expectation]:
    for number, line in enumerate(text.split("\n"), 1):
        if match := _EXPECT.search(line):
            yield _expectation(path, number, match["text"])


def _expectation(path: str, line: int, text: str) -> Expectation:
    words: set[str] = set()
    fields: dict[str, str] = {}
    for part in split_outside_brackets(text, " "):
        if found := re.match(r"([a-z.]+)([=~])(.*)", part, re.DOTALL):
            fields[found[1] + ("~" if found[2] == "~" else "")] = found[3]
        elif part:
            words.add(part)
    alternatives = {word for part in words for word in part.split("|")}
    rules = {word for word in words if word.startswith("GA") and not word.endswith("?")}
    possible = {word[:-1] for word in words if word.endswith("?")}
    behaviours = (alternatives & BEHAVIOURS) | {_IMPLIED[rule] for rule in rules & set(_IMPLIED)}
    strange = alternatives - BEHAVIOURS - rules - {f"{rule}?" for rule in possible}
    assert not strange - {"none", "optional"}, f"{path}:{line}: unknown word {strange}"
    allowed = set(fields.get("allowed", "").split(","))
    for rule, behaviour in _IMPLIED.items():
        if behaviours == {behaviour} and rule not in allowed:
            rules.add(rule)
        elif behaviour in behaviours and rule not in rules:
            possible.add(rule)
    return Expectation(
        path=path,
        line=line,
        is_none=words == {"none"},
        is_optional="optional" in words or "none" in alternatives,
        behaviours=frozenset(behaviours),
        rules=frozenset(rules),
        possible_rules=frozenset(possible),
        fields=fields,
    )


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """Parts of a text between separators that no bracket holds, without white space around."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
