"""A file of findings that are known: only what is new fails a gate.

A finding is known again by path, kernel, function and rule, and by its number among findings of
the same, in the order of lines: not by its line, which moves.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from geoaudit.errors import InputError
from geoaudit.shardcheck.listing import ListedFinding, ListedNote, ListedSite, Listing

SCHEMA_VERSION = "1.0"


class KnownFinding(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """What a finding is known again by."""

    path: str
    kernel: str
    function: str
    rule: str
    occurrence: int = 1


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """What the file holds."""

    geoaudit_baseline: str
    findings: tuple[KnownFinding, ...] = ()


def baseline_text(listing: Listing) -> str:
    """The findings of a listing, known ones too, as a file."""
    found = sorted(identity for _, _, identity in _identities(listing.sites))
    document = Baseline(geoaudit_baseline=SCHEMA_VERSION, findings=tuple(found))
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def read_baseline(content: bytes, name: str) -> Baseline:
    """The baseline in a file's content.

    Args:
        content: of the file.
        name: of the file, for messages.

    Raises:
        InputError: it is no baseline, or of a newer version.
    """
    try:
        baseline = msgspec.json.decode(content, type=Baseline)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{name}: not a baseline ({error}). `--write-baseline {name}` makes one."
        ) from error
    version = re.fullmatch(r"([0-9]{1,9})(\.[0-9]+)*", baseline.geoaudit_baseline)
    told = f"{name}: version {baseline.geoaudit_baseline[:20]!r}"
    if version is None:
        raise InputError(f"{told} is no version. `--write-baseline {name}` writes the file anew.")
    if int(version[1]) > int(SCHEMA_VERSION.partition(".")[0]):
        raise InputError(f"{told} is newer than {SCHEMA_VERSION}; upgrade geoaudit.")
    return baseline


def without_known(listing: Listing, baseline: Baseline, name: str) -> Listing:
    """The listing with what the baseline holds moved from `findings` to `known`.

    Args:
        listing: of a check.
        baseline: what is known.
        name: of its file, for a note on what is in it and is found no more.
    """
    known = set(baseline.findings)
    found: dict[tuple[int, str], KnownFinding] = {}
    for number, finding, identity in _identities(listing.sites):
        found[number, finding.rule_id] = identity
    sites = tuple(
        _split(site, [one for one in site.findings if found[number, one.rule_id] in known])
        for number, site in enumerate(listing.sites)
    )
    gone = known - set(found.values())
    notes = listing.notes
    if gone:
        one = min(gone)
        text = (
            f"{len(gone)} of {len(known)} known findings are found no more, first {one.rule} of "
            f"{one.kernel} in {one.path}: write the baseline again"
        )
        notes = (*notes, ListedNote(path=name, line=0, severity="note", text=text))
    return msgspec.structs.replace(listing, sites=sites, notes=notes)


def _split(site: ListedSite, known: list[ListedFinding]) -> ListedSite:
    if not known:
        return site
    new = tuple(one for one in site.findings if one not in known)
    changes: dict[str, Any] = {"findings": new, "known": (*site.known, *known)}
    return msgspec.structs.replace(site, **changes)


def _identities(
    sites: Iterable[ListedSite],
) -> Iterator[tuple[int, ListedFinding, KnownFinding]]:
    """Number of the site, finding and what it is known by; of each rule a site has one finding."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for number, site in enumerate(sites):
        for finding in (*site.findings, *site.known):
            key = (site.path, site.kernel, site.function, finding.rule_id)
            counts[key] += 1
            path, kernel, function, rule = key
            yield (
                number,
                finding,
                KnownFinding(
                    path=path, kernel=kernel, function=function, rule=rule, occurrence=counts[key]
                ),
            )
