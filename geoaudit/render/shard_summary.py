"""A shard check in sentences: what was read and assumed, what was found, what is not shown."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from geoaudit.quantities import count, percent, plural, share
from geoaudit.shardcheck.behaviours import BEHAVIOURS
from geoaudit.shardcheck.listing import ListedSite, Listing

MOST_TAKEN = 3


def header_lines(listing: Listing) -> tuple[tuple[str, str], ...]:
    """Label and text of what was read and what it is held against."""
    ranks = ", ".join(map(str, listing.ranks))
    return (
        ("device", f"{listing.device} · {listing.sms} SMs · {listing.by} = {ranks}"),
        ("assumed", " · ".join(_assumptions(listing))),
        ("files", files_sentence(listing)),
        ("launches", launches_sentence(listing)),
        ("findings", findings_sentence(listing)),
    )


def _assumptions(listing: Listing) -> list[str]:
    """What was told by an option, and which symbols were taken for which reason."""
    told, taken = [], defaultdict[str, dict[str, int]](dict)
    for name, (value, source) in listing.assumed.items():
        if source.startswith("--"):
            told.append(f"{name} {value:,} ({source})")
        else:
            taken[source.partition(",")[0]][name] = value
    told += [f"{_taken(values)} ({source})" for source, values in sorted(taken.items())]
    return told or ["nothing"]


def _taken(values: Mapping[str, int]) -> str:
    """Values of symbols; of more than a few how many they are."""
    if len(values) <= MOST_TAKEN:
        return ", ".join(f"{name} {value:,}" for name, value in values.items())
    most, least = max(values.values()), min(values.values())
    each = f"each {most:,}" if most == least else f"from {least:,} to {most:,}"
    return f"{plural(len(values), 'symbol')} {each}"


def files_sentence(listing: Listing) -> str:
    """Files that were read, left out and not analysed."""
    parts = [f"{plural(listing.read, 'file')} read"]
    skipped = sum(listing.skipped.values())
    if skipped:
        reasons = ", ".join(f"{count(n)} {reason}" for reason, n in listing.skipped.items())
        parts.append(f"{count(skipped)} skipped ({reasons})")
    whole = set(listing.files_not_analysed)
    parts.append(f"{count(len(whole))} not analysed")
    in_part = {one.path for one in listing.unanalysed} - whole
    if in_part:
        parts.append(f"{count(len(in_part))} in part")
    return ", ".join(parts)


def launches_sentence(listing: Listing) -> str:
    """Launches that a text search finds, and that the analysis recognised."""
    textual, recognised = (sum(counts.values()) for counts in (listing.textual, listing.recognised))
    unknown = sum(site.behaviour == "unknown" for site in listing.sites)
    found = f"{count(recognised)} of {count(textual)} recognised"
    if textual:
        found += f" ({percent(share(recognised, textual))})"
    calls = sum(site.launcher is not None for site in listing.sites)
    total = plural(len(listing.sites), "site")
    launched = plural(calls, "call of a launcher", "calls of launchers")
    total += f", {launched} among them" * bool(calls)
    return f"{found} · {total} · {count(unknown)} cannot be told"


def findings_sentence(listing: Listing) -> str:
    """Findings by rule, with those that the baseline or a remark holds back."""
    by_rule = Counter(
        f"{one.rule_id} {one.rule_name}" for site in listing.sites for one in site.findings
    )
    parts = [f"{count(number)} × {rule}" for rule, number in sorted(by_rule.items())] or ["none"]
    known = sum(len(site.known) for site in listing.sites)
    allowed = sum(len(site.suppressed) for site in listing.sites)
    parts += [f"{count(known)} in the baseline"] * bool(known)
    parts += [f"{count(allowed)} allowed in the source"] * bool(allowed)
    return " · ".join(parts)


def left_out_sentence(listing: Listing, shown: Sequence[ListedSite]) -> str:
    """Launches that are not shown, by behaviour; empty: all are."""
    hidden = Counter(site.behaviour for site in listing.sites)
    hidden.subtract(site.behaviour for site in shown)
    parts = [f"{count(hidden[one])} {one}" for one in BEHAVIOURS if hidden[one]]
    if not parts:
        return ""
    more = plural(sum(hidden.values()), "more launch", "more launches")
    return f"{more}: {', '.join(parts)} (--all lists them, --show unknown only those)"


def unanalysed_sentence(listing: Listing) -> str:
    """How much was seen and not understood; empty: nothing."""
    if not listing.unanalysed:
        return ""
    files = len({one.path for one in listing.unanalysed})
    places = plural(len(listing.unanalysed), "place")
    return f"{places} in {plural(files, 'file')} not analysed (--unanalysed lists them)"
