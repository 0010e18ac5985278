"""Times of a recording beside the launches of a source, joined by the kernel's name."""

from collections.abc import Mapping
from typing import Any

import msgspec

from geoaudit.shardcheck.listing import Listing


def with_measured(listing: Listing, ns_per_token: Mapping[str, float]) -> Listing:
    """The listing with times: of a kernel with several sites each has the time of all.

    Args:
        listing: of a check.
        ns_per_token: short name of a recorded kernel -> ns per token, over all its launches.

    Returns:
        With `measured_ns_per_token` of sites, and the kernels that no site has, longest first.
    """
    by_name: dict[str, float] = {}
    for short, time_ns in ns_per_token.items():
        name = _plain(short)
        by_name[name] = by_name.get(name, 0.0) + time_ns
    sites = []
    for site in listing.sites:
        changes: dict[str, Any] = {"measured_ns_per_token": by_name.get(_plain(site.kernel))}
        sites.append(msgspec.structs.replace(site, **changes))
    launched = {_plain(site.kernel) for site in sites}
    unmatched = [(name, ns) for name, ns in by_name.items() if name not in launched]
    return msgspec.structs.replace(
        listing,
        sites=tuple(sites),
        unmatched_kernels=tuple(sorted(unmatched, key=lambda one: (-one[1], one[0]))),
    )


def _plain(name: str) -> str:
    """The name without namespaces and template arguments."""
    return name.partition("<")[0].rpartition("::")[2].strip()
