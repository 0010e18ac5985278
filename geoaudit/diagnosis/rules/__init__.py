"""All rules of the audit, and the two questions asked of them."""

from geoaudit.diagnosis.evidence import RecordingEvidence, SignatureEvidence
from geoaudit.diagnosis.finding import Finding, Verdict
from geoaudit.diagnosis.recognition import is_launch_bound
from geoaudit.diagnosis.rule import Rule, registered_rules
from geoaudit.diagnosis.rules import block, grid, judged, recording, sharding
from geoaudit.diagnosis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from geoaudit.launches.names import is_communication

GEOMETRY_RULES = (
    grid.grid_smaller_than_device,
    grid.partial_last_wave,
    block.block_not_warp_multiple,
    block.registers_limit_residency,
    block.shared_memory_limits_residency,
    block.block_slots_limit_residency,
    grid.thread_slots_unfilled,
)
RECORDING_RULES = (
    recording.dropped_records,
    recording.geometry_unknown,
    recording.incomplete_coverage,
    recording.untimed_launches,
    recording.replayed_recording,
    recording.partial_recording,
    recording.ranks_differ,
)
SHARD_RULES = sharding.SHARD_RULES


def signature_findings(
    evidence: SignatureEvidence, verdict: Verdict, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> tuple[Finding, ...]:
    """Findings on one launch signature, by id.

    Collectives, copies and launches at the launch floor are recognised, not blamed: no rule on
    their geometry is asked.

    Args:
        evidence: what is known of the signature.
        verdict: what ``judge`` made of it.
        thresholds: the launch floor.
    """
    recognised = is_communication(evidence.kernel, evidence.owner) or is_launch_bound(
        evidence, thresholds
    )
    geometry = () if recognised else tuple(rule(evidence) for rule in GEOMETRY_RULES)
    judgement = judged.Judgement(kernel=evidence.kernel, verdict=verdict)
    judgements = tuple(rule(judgement) for rule in judged.JUDGEMENT_RULES)
    return tuple(finding for finding in (*geometry, *judgements) if finding is not None)


def recording_findings(evidence: RecordingEvidence) -> tuple[Finding, ...]:
    """Findings on the health of a recording, by id."""
    findings = (rule(evidence) for rule in RECORDING_RULES)
    return tuple(finding for finding in findings if finding is not None)


def all_rules() -> tuple[Rule, ...]:
    """What is known of every rule, by id."""
    return registered_rules()
