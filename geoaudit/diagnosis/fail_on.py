"""What ``--fail-on`` names: rules, verdicts, severities and a share of wasted SM-time."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from geoaudit.diagnosis.finding import VERDICTS, Severity, VerdictName
from geoaudit.diagnosis.rule import SEVERITIES
from geoaudit.errors import InputError

_WASTE = re.compile(r"waste\s*>\s*(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class FailOn:
    """What a command fails on.

    Attributes:
        rules: rule ids.
        verdicts: verdicts.
        severity: this severity or a worse one; None: no severity is named.
        wasted_fraction: more wasted SM-time than this share of the kernel time; None: not named.
    """

    rules: frozenset[str] = frozenset()
    verdicts: frozenset[VerdictName] = frozenset()
    severity: Severity | None = None
    wasted_fraction: float | None = None

    @property
    def names_nothing(self) -> bool:
        """Whether nothing can fail."""
        return self == FailOn()


def parse_fail_on(text: str) -> FailOn:
    """Read a comma-separated list of rules, verdicts, severities and ``waste>N%``.

    Case does not matter, and ``-`` and ``_`` are the same. Of several severities, or several
    ``waste``, the one that fails on more counts. Empty text names nothing.

    Raises:
        InputError: a word is none of these; the message names the nearest.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if len(words) == 1 and words[0] in SEVERITIES:
        return FailOn(severity=words[0])
    # Imported here: most of what this module needs is none of the rules.
    from geoaudit.diagnosis.rules import all_rules

    rules, verdicts, severities, wastes = set(), set(), [], []
    known_rules = {
        _key(spelled): rule.id for rule in all_rules() for spelled in (rule.id, rule.name)
    }
    known_verdicts = {_key(name): name for name in VERDICTS}
    known_severities = {_key(name): name for name in SEVERITIES}
    for word in words:
        key = _key(word)
        if key in known_rules:
            rules.add(known_rules[key])
        elif key in known_verdicts:
            verdicts.add(known_verdicts[key])
        elif key in known_severities:
            severities.append(known_severities[key])
        elif key.startswith("waste"):
            wastes.append(_waste(word))
        else:
            raise _unknown(word, (*known_rules, *known_verdicts, *known_severities))
    return FailOn(
        rules=frozenset(rules),
        verdicts=frozenset(verdicts),
        severity=max(severities, key=SEVERITIES.index, default=None),
        wasted_fraction=min(wastes, default=None),
    )


def _waste(word: str) -> float:
    match = _WASTE.fullmatch(word)
    if match is None or float(match[1]) > 100:
        raise InputError(
            f"--fail-on {_shown(word)}: write waste>N% with N from 0 to 100, quoted for the shell: "
            "--fail-on 'waste>10%'."
        )
    return float(match[1]) / 100


def _unknown(word: str, known: Iterable[str]) -> InputError:
    near = difflib.get_close_matches(_key(word), known, n=3, cutoff=0.5)
    spelled = [key.upper() if key.startswith("ga") else key for key in near]
    hint = f" Nearest: {', '.join(spelled)}." if spelled else ""
    return InputError(
        f"--fail-on {_shown(word)}: neither a rule, a verdict, a severity (error, warning, note) "
        f"nor waste>N%.{hint} `geoaudit explain` lists rules and verdicts."
    )


def _shown(word: str) -> str:
    return repr(word if len(word) <= 60 else word[:60] + "...")


def _key(word: str) -> str:
    return word.casefold().replace("-", "_")
