"""The part of a gate that looks at findings alone, of recordings and of sources."""

from collections.abc import Iterable, Sequence

from geoaudit.diagnosis.fail_on import FailOn
from geoaudit.diagnosis.finding import Finding
from geoaudit.diagnosis.rule import SEVERITIES
from geoaudit.errors import InputError
from geoaudit.quantities import plural


def source_gate(fail_on: FailOn, findings: Sequence[Finding]) -> tuple[str, ...]:
    """The reasons to fail on findings in a source; none: the gate is passed."""
    return (*rule_reasons(fail_on, findings), *severity_reasons(fail_on, findings))


def require_of_source(fail_on: FailOn) -> None:
    """Refuse what no source can have.

    Raises:
        InputError: a verdict or a waste is named, which only a recording has.
    """
    if fail_on.verdicts or fail_on.wasted_fraction is not None:
        named = [*sorted(fail_on.verdicts), *["waste"] * (fail_on.wasted_fraction is not None)]
        raise InputError(
            f"--fail-on {', '.join(named)}: only a recording has that. A source has rules (GA401, "
            "sharded-grid-collapses, ...) and severities (error, warning, note)."
        )


def rule_reasons(fail_on: FailOn, findings: Sequence[Finding]) -> Iterable[str]:
    """A sentence for each rule that is named and fired."""
    for rule_id in sorted(fail_on.rules):
        fired = [finding for finding in findings if finding.rule_id == rule_id]
        if fired:
            yield f"{rule_id} {fired[0].rule_name}: {_first_of(fired)}"


def severity_reasons(fail_on: FailOn, findings: Sequence[Finding]) -> Iterable[str]:
    """A sentence for each severity that is named and has findings."""
    if fail_on.severity is None:
        return
    for severity in SEVERITIES[: SEVERITIES.index(fail_on.severity) + 1]:
        fired = [finding for finding in findings if finding.severity == severity]
        if fired:
            yield f"{severity}: {_first_of(fired)}"


def _first_of(findings: Sequence[Finding]) -> str:
    first = findings[0]
    kernel = f" ({first.kernel})" if first.kernel else ""
    return f"{plural(len(findings), 'finding')}, first: {first.message}{kernel}"
