"""The check of a tree, from the cache where nothing changed since."""

from collections.abc import Callable
from contextlib import suppress

import msgspec

from geoaudit.shardcheck.discovery.cache import Cache, key_of
from geoaudit.shardcheck.discovery.fingerprint import analysis_fingerprint
from geoaudit.shardcheck.discovery.survey import Survey
from geoaudit.shardcheck.listing import Listing
from geoaudit.shardcheck.sharding.options import ShardOptions


def check_survey(
    survey: Survey,
    options: ShardOptions,
    device: str,
    *,
    cache: Cache,
    jobs: int | None = None,
    advance: Callable[[float], None] | None = None,
) -> Listing:
    """The check of a survey's files.

    Args:
        survey: of the tree.
        options: what grids are evaluated at.
        device: name of the device whose SMs the options give.
        cache: of reports and programs.
        jobs: processes that parse; None: one for each processor.
        advance: told the share of the files that are read.
    """
    told = (analysis_fingerprint(), survey.digest(), repr(options).encode(), device.encode())
    key = key_of((b"report", *told))
    kept = _kept(cache, key)
    if kept is not None:
        return kept
    # Imported where needed: a report that is kept needs no analysis.
    from geoaudit.shardcheck.check import ReadSources, check
    from geoaudit.shardcheck.discovery.programs import ReadOptions, read_programs
    from geoaudit.shardcheck.discovery.stack import room_for_derivations
    from geoaudit.shardcheck.wording import listing_of

    read = read_programs(survey, cache, ReadOptions(jobs=jobs), advance)
    sources = ReadSources(programs=read.programs, skipped=survey.skipped, refused=read.refused)
    with room_for_derivations():
        listing = listing_of(check(sources, options, device))
    # What a process failed at may succeed another time.
    if read.refused == survey.refused:
        _keep(cache, key, listing)
    cache.prune()
    return listing


def _keep(cache: Cache, key: str, listing: Listing) -> None:
    # A size beyond 64 bits is told and not kept.
    with suppress(OverflowError):
        cache.put(key, msgspec.msgpack.encode(listing))


def _kept(cache: Cache, key: str) -> Listing | None:
    encoded = cache.get(key)
    if encoded is None:
        return None
    try:
        return msgspec.msgpack.decode(encoded, type=Listing)
    except msgspec.DecodeError:
        cache.discard(key)
        return None
