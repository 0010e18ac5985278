"""What a rule is, and the register of all rules: ids are given once and never again."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from geoaudit.diagnosis.finding import Finding, Severity

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
RETIRED_IDS: frozenset[str] = frozenset()
"""Ids of rules that are gone; a new rule never takes one."""

_ID = re.compile(r"GA[1-9]\d\d")
_NAME = re.compile(r"[a-z]+(-[a-z]+)+")


class Subject(Protocol):
    """What a rule looks at: it knows the kernel it is about, or None for a recording."""

    @property
    def kernel(self) -> str | None:
        """The kernel, whole name."""


S = TypeVar("S", bound=Subject)
Observation = tuple[Severity, str]
Check = Callable[[S], Finding | None]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What is known of a rule without running it.

    Attributes:
        id: stable id, ``GA101``.
        name: reads after "allow ...".
        since: version that brought it.
        severities: severities it can report, worst first.
        summary: one line.
        page: the documentation of the rule, plain text.
    """

    id: str
    name: str
    since: str
    severities: tuple[Severity, ...]
    summary: str
    page: str


_registered: dict[str, Rule] = {}


def rule(
    id: str, name: str, *, since: str, severities: tuple[Severity, ...]
) -> Callable[[Callable[[S], Observation | None]], Check[S]]:
    """Make a documented function a rule.

    The function looks at its subject and returns (severity, message), or None where the rule does
    not fire; what the decorator returns makes that a Finding. Its docstring is the rule's page.

    Raises:
        ValueError: the id or the name is malformed, taken or retired, or the docstring is missing.
    """
    _refuse_reuse(id, name)

    def register(observe: Callable[[S], Observation | None]) -> Check[S]:
        page = inspect.getdoc(observe)
        if not page:
            raise ValueError(f"rule {id} has no docstring, which is its page")
        summary = page.splitlines()[0].rstrip(".")
        _registered[id] = Rule(
            id=id, name=name, since=since, severities=severities, summary=summary, page=page
        )

        def check(subject: S) -> Finding | None:
            observation = observe(subject)
            if observation is None:
                return None
            severity, message = observation
            return Finding(
                rule_id=id,
                rule_name=name,
                severity=severity,
                message=message,
                kernel=subject.kernel,
            )

        check.__doc__, check.__name__ = observe.__doc__, observe.__name__
        return check

    return register


def registered_rules() -> tuple[Rule, ...]:
    """All rules of the modules imported so far, by id."""
    return tuple(_registered[id] for id in sorted(_registered))


def _refuse_reuse(id: str, name: str) -> None:
    if not _ID.fullmatch(id) or not _NAME.fullmatch(name):
        raise ValueError(f"{id} {name}: ids read GA101, names are words-joined-by-hyphens")
    taken = {known.name for known in _registered.values()}
    if id in _registered or id in RETIRED_IDS or name in taken:
        raise ValueError(f"{id} {name}: ids and names of rules are never used twice")
