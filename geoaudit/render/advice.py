"""How to read the table, and what to do next: the lines below it."""

from geoaudit.ranking.audit import Audit, AuditedDevice

LEGEND = (
    "! fewer blocks than half of the SMs, ? cannot tell. Share is of the kernel time. A wave is a "
    "model: it takes all blocks to run equally long. In N calls × T ±P, T is the middle one of the "
    "durations, and calls from one place of the token typically differ from their middle by P. "
    "Verdicts are suspected from this one recording unless they say confirmed."
)
JOINED_LEGEND = (
    " +N beside a grid: the row joins N more launch signatures, of which it is the worst."
)
# Verdicts whose page has nothing to try.
_NO_PROBLEM = frozenset({"healthy", "inconclusive", "communication", "bandwidth_bound"})
_RANGES_RECORDED = "ranges recorded (for --token-range)"


def legend(audit: Audit) -> str:
    """What the signs of the table mean."""
    joined = any(row.signatures > 1 for row in (*audit.rows, *audit.communication_rows))
    return LEGEND + JOINED_LEGEND * joined


def next_sentence(audit: Audit) -> str | None:
    """What to do next; None where there is no row to do anything about.

    Without the device nothing can be told, so it comes first. Then, without tokens, ranges that
    could mark them: per trace prefill and decode are mixed. Then the worst row that is a problem,
    then one that a measurement would decide.
    """
    if not audit.rows and not audit.communication_rows:
        return None
    header = audit.header
    if header.devices and all(_is_unknown(one) for one in header.devices):
        return "geoaudit rank --device NAME, with the device it was recorded on (geoaudit devices)"
    if header.tokens is None and _RANGES_RECORDED in header.token_rule:
        return "geoaudit rank --token-range NAME, with the range of one token, of those above"
    problem = next((row for row in audit.rows if row.verdict.name not in _NO_PROBLEM), None)
    if problem is not None:
        return f"geoaudit explain {problem.verdict.name} says what it means and what to try"
    undecided = next((row for row in audit.rows if row.verdict.name == "inconclusive"), None)
    if undecided is not None and undecided.verdict.would_decide:
        return (
            "geoaudit explain KERNEL --scan RECORDING says what measurement would decide: row "
            f"{undecided.rank} first"
        )
    return "geoaudit report -o audit writes this with a picture of the token"


def _is_unknown(device: AuditedDevice) -> bool:
    return device.spec is None and device.usable_sms is None
