"""A launch site as plain values, the same in JSON and CSV."""

from geoaudit.render.row_record import Plain
from geoaudit.shardcheck.listing import (
    ComparedLaunch,
    ListedDimension,
    ListedFinding,
    ListedSite,
    Listing,
    Names,
    Texts,
)

AXES = ("x", "y", "z")


def site_record(site: ListedSite) -> dict[str, Plain]:
    """The fields of a site: shares from 0 to 1, times in ns, what cannot be told is null."""
    finding = site.findings[0] if site.findings else None
    return {
        "path": site.path,
        "line": site.line,
        "kernel": site.kernel,
        "launcher": site.launcher,
        "idiom": site.idiom,
        "function": site.function,
        "language": site.language,
        "grid": _texts(site.grid),
        "block": None if site.block is None else _texts(site.block),
        "roots": _names(site.roots),
        "symbols": _names(site.symbols),
        "sharded": [dimension.name for dimension in site.sharded],
        "blocks": {str(ranks): value for ranks, value in site.blocks.items()},
        "sm_fill": {str(ranks): value for ranks, value in site.sm_fill.items()},
        "verdict": site.behaviour,
        "rule": None if finding is None else finding.rule_id,
        "reason": site.reason if finding is None else finding.message,
        "condition": site.condition or None,
        "findings": [
            _finding(one) | {"is_known": one in site.known} for one in (*site.findings, *site.known)
        ],
        "suppressed": [_finding(one.finding) | {"reason": one.reason} for one in site.suppressed],
        "is_launcher": site.is_launcher,
        "callers_followed": site.callers_followed,
        "measured_ns_per_token": site.measured_ns_per_token,
        "chain": [{"path": hop.path, "line": hop.line, "text": hop.text} for hop in site.chain],
    }


def dimension_record(dimension: ListedDimension) -> dict[str, Plain]:
    """The fields of a sharded dimension."""
    return {
        "name": dimension.name,
        "rounding": dimension.rounding,
        "by": dimension.by,
        "total": dimension.total,
        "reason": dimension.reason,
        "is_certain": dimension.is_certain,
    }


def agreement_record(listing: Listing) -> dict[str, Plain] | None:
    """What was predicted held against what was recorded; None: nothing was recorded."""
    agreement = listing.agreement
    if agreement is None:
        return None
    return {
        "ranks": list(agreement.ranks),
        "recordings": [{"ranks": n, "source": source} for n, source in agreement.recordings],
        "agreeing_signatures": agreement.agreeing,
        "recorded_signatures": agreement.signatures,
        "launches": [_compared(one) for one in agreement.launches],
        "unpredicted": [
            {"kernel": one.kernel, "ranks": one.ranks, "blocks": one.blocks, "times": one.launches}
            for one in agreement.unpredicted
        ],
        "left_out": {
            "communication": agreement.communication,
            "libraries": agreement.libraries,
            "without_grid": agreement.without_grid,
        },
    }


def _compared(launch: ComparedLaunch) -> dict[str, Plain]:
    return {
        "path": launch.path,
        "lines": list(launch.lines),
        "kernel": launch.kernel,
        "function": launch.function,
        "by_ranks": {
            str(ranks): {
                "predicted_blocks": launch.predicted[ranks],
                "recorded_blocks": list(launch.recorded[ranks]),
                "outcome": outcome,
            }
            for ranks, outcome in launch.outcomes.items()
        },
    }


def _finding(finding: ListedFinding) -> dict[str, Plain]:
    return {
        "rule_id": finding.rule_id,
        "rule_name": finding.rule_name,
        "severity": finding.severity,
        "message": finding.message,
    }


def _texts(texts: Texts) -> dict[str, Plain]:
    return dict(zip(AXES, texts, strict=True))


def _names(names: Names) -> dict[str, Plain]:
    return {axis: list(several) for axis, several in zip(AXES, names, strict=True)}
