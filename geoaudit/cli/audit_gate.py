"""The end of a command that can be a gate: its exit code, and why."""

from typing import TYPE_CHECKING

import click

from geoaudit.errors import EXIT_FINDINGS

if TYPE_CHECKING:
    from geoaudit.diagnosis.gate import FailOn
    from geoaudit.ranking.audit import Audit


def apply_gate(audit: "Audit", fail_on: "FailOn") -> None:
    """End with exit code 1 where the audit holds what ``--fail-on`` names, saying what.

    Raises:
        NotMeasuredError: something is named and the recording is a replay.
    """
    from geoaudit.diagnosis.gate import gate, require_measured

    require_measured(audit.header.replayed, fail_on)
    rows = (*audit.rows, *audit.communication_rows)
    totals = audit.totals
    wasted, kernel = totals.wasted_sm_time_per_token_ns, totals.kernel_time_per_token_ns
    reasons = gate(
        fail_on,
        [*audit.recording_findings, *(finding for row in rows for finding in row.findings)],
        [row.verdict for row in rows],
        None if wasted is None or not kernel else wasted / kernel,
    )
    for reason in reasons:
        click.echo(f"geoaudit: --fail-on: {reason}", err=True)
    if reasons:
        click.get_current_context().exit(EXIT_FINDINGS)
