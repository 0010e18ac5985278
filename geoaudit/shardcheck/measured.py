"""Times of a recording beside the launches of a source, joined by the kernel's name."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from geoaudit.shardcheck.listing import Listing


def with_measured(
    listing: Listing, ns_per_token: Mapping[str, float], expected: Collection[str]
) -> Listing:
    """The listing with times: of a kernel with several sites each has the time of all.

    Args:
        listing: of a check.
        ns_per_token: short name of a recorded kernel -> ns per token, over all its launches.
        expected: those of them that should have a site: not of libraries.

    Returns:
        With `measured_ns_per_token` of sites, and the expected kernels that no site has, longest
        first.
    """
    by_name: dict[str, float] = {}
    for short, time_ns in ns_per_token.items():
        name = plain_name(short)
        by_name[name] = by_name.get(name, 0.0) + time_ns
    sites = []
    for site in listing.sites:
        changes: dict[str, Any] = {"measured_ns_per_token": by_name.get(plain_name(site.kernel))}
        sites.append(msgspec.structs.replace(site, **changes))
    launched = {plain_name(site.kernel) for site in sites}
    unmatched = {plain_name(name) for name in expected} - launched
    return msgspec.structs.replace(
        listing,
        sites=tuple(sites),
        unmatched_kernels=tuple(
            sorted(((name, by_name[name]) for name in unmatched), key=lambda one: (-one[1], one))
        ),
    )


def plain_name(name: str) -> str:
    """The name without namespaces and template arguments.

    >>> plain_name("ns::kda_decode_step<128>")
    'kda_decode_step'
    """
    return name.partition("<")[0].rpartition("::")[2].strip()
