"""A shard check as JSON: the field names are a promise, new ones may be added."""

import json

from geoaudit.render.row_record import Plain
from geoaudit.render.shard_record import agreement_record, dimension_record, site_record
from geoaudit.shardcheck.listing import Listing

SHARD_SCHEMA_VERSION = "1.0"


def render_shard_json(listing: Listing) -> str:
    """The whole check as one JSON document, the same bytes for the same check.

    Names are whole and unchanged, characters beyond ASCII escaped; what cannot be told is null.
    """
    document = shard_document(listing)
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def shard_document(listing: Listing) -> dict[str, Plain]:
    """The check as plain values: paths relative to the root of the check."""
    return {
        "schema_version": SHARD_SCHEMA_VERSION,
        "device": {"name": listing.device, "sms": listing.sms},
        "sharded_by": listing.by,
        "ranks": list(listing.ranks),
        "assumed": {
            name: {"value": value, "from": source}
            for name, (value, source) in listing.assumed.items()
        },
        "files": _files(listing),
        "launches": _launches(listing),
        "not_analysed": [
            {"path": one.path, "line": one.line or None, "reason": one.reason}
            for one in listing.unanalysed
        ],
        "dimensions": [
            dimension_record(one)
            for one in dict.fromkeys(
                dimension for site in listing.sites for dimension in site.sharded
            )
        ],
        "sites": [site_record(site) for site in listing.sites],
        "unmatched_kernels": [
            {"kernel": kernel, "ns_per_token": time_ns}
            for kernel, time_ns in listing.unmatched_kernels
        ],
        "predicted_and_recorded": agreement_record(listing),
        "notes": [
            {
                "path": one.path or None,
                "line": one.line or None,
                "severity": one.severity,
                "text": one.text,
            }
            for one in listing.notes
        ],
    }


def _files(listing: Listing) -> dict[str, Plain]:
    return {
        "read": listing.read,
        "skipped": sum(listing.skipped.values()),
        "not_analysed": len(listing.files_not_analysed),
        "skipped_by_reason": dict(listing.skipped),
    }


def _launches(listing: Listing) -> dict[str, Plain]:
    return {
        "textual": sum(listing.textual.values()),
        "recognised": sum(listing.recognised.values()),
        "by_idiom": {
            idiom: {
                "textual": listing.textual.get(idiom, 0),
                "recognised": listing.recognised.get(idiom, 0),
            }
            for idiom in sorted({*listing.textual, *listing.recognised})
        },
    }
