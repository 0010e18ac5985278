"""NVTX ranges of an Nsight Systems export, laid over the launch calls."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from geoaudit.launches.ranges import SEPARATOR, SEPARATOR_IN_NAME, range_paths
from geoaudit.sources.nsys.tables import CALL_TABLE, RANGE_TABLE, Database
from geoaudit.sources.registry import Progress, part_of

# Event types of NVTX_EVENTS (ENUM_NSYS_EVENT_TYPE): 59, 60 are push/pop and start/end ranges,
# 70, 71 the same from an imported text trace, 75 names a domain.
_RANGE_TYPES = (59, 60, 70, 71)
_DOMAIN_TYPE = 75

# A serialised thread identifier holds the process in its upper bits, the thread in the lower 24.
_THREAD_BITS = 24


def process_of(global_identifiers: pd.Series) -> pd.Series:
    """Operating-system process of serialised process or thread identifiers, Int64."""
    return (global_identifiers // 2**_THREAD_BITS) % 2**24


def launch_ranges(
    database: Database, launches: pd.DataFrame, progress: Progress | None = None
) -> tuple[pd.Series, list[str]]:
    """The NVTX path around the call that made each launch, outermost first, joined by ``/``.

    Args:
        database: the export.
        launches: columns ``correlationId`` and ``globalPid``, Int64.
        progress: called with the share done, 0 to 1.

    Returns:
        The path per launch, null outside of every range or where the export does not hold the
        call; and a warning where calls are missing although there are ranges.
    """
    empty = pd.Series([None] * len(launches), index=launches.index, dtype=object)
    ranges = _read_ranges(database, part_of(progress, 0.0, 0.4))
    if ranges.empty or launches.empty:
        return empty, []
    calls = _launch_calls(database, launches, part_of(progress, 0.4, 0.8))
    found = calls["time"].notna().to_numpy()
    paths = empty.copy()
    if found.any():
        known = calls[found]
        paths[found] = range_paths(
            ranges, known["thread"].to_numpy(np.int64), known["time"].to_numpy(np.int64)
        )
    lost = len(launches) - int(found.sum())
    warnings = []
    if lost:
        warnings.append(
            f"{lost:,} of {len(launches):,} launches and copies have no API call in the export: "
            "they count as outside of every NVTX range"
        )
    return paths, warnings


def _read_ranges(database: Database, progress: Progress | None) -> pd.DataFrame:
    columns = ["start", "end", "eventType", "globalTid", "domainId", "textId"]
    present = database.columns(RANGE_TABLE)
    empty = pd.DataFrame({"thread": [], "start": [], "end": [], "label": []})
    if not {"start", "end", "globaltid"} <= present:
        return empty
    where = '"start" IS NOT NULL'
    if "eventtype" in present:
        where = f'"eventType" IN ({", ".join(map(str, _RANGE_TYPES))})'
    events = database.integers(RANGE_TABLE, columns, where=where, progress=progress)
    events["label"] = _labels(database, events, where)
    events = events[events["start"].notna() & events["globalTid"].notna()]
    if events.empty:
        return empty
    # A range without an end was still open when the capture ended.
    return pd.DataFrame(
        {
            "thread": events["globalTid"].astype("int64"),
            "start": events["start"].astype("int64"),
            "end": events["end"].fillna(np.iinfo(np.int64).max).astype("int64"),
            "label": events["label"],
        }
    )


def _labels(database: Database, events: pd.DataFrame, where: str) -> list[str]:
    explicit = database.texts(RANGE_TABLE, "text", where=where) or [None] * len(events)
    registered = database.strings(events["textId"].dropna().unique().tolist())
    text_ids = events["textId"].fillna(-1).tolist()
    names = [
        text or registered.get(identifier) or "(unnamed range)"
        for text, identifier in zip(explicit, text_ids, strict=True)
    ]
    domains = _domain_names(database)
    processes = process_of(events["globalTid"]).fillna(-1).tolist()
    keys: Sequence[tuple[int, int]] = list(
        zip(processes, events["domainId"].fillna(0).tolist(), strict=True)
    )
    return [
        (f"{domains[key]}:{name}" if key in domains else name).replace(SEPARATOR, SEPARATOR_IN_NAME)
        for key, name in zip(keys, names, strict=True)
    ]


def _domain_names(database: Database) -> dict[tuple[int, int], str]:
    """Name of each NVTX domain by (process, domain id)."""
    if not {"eventtype", "domainid"} <= database.columns(RANGE_TABLE):
        return {}
    where = f'"eventType" = {_DOMAIN_TYPE}'
    rows = database.integers(RANGE_TABLE, ["globalTid", "domainId", "textId"], where=where)
    explicit = database.texts(RANGE_TABLE, "text", where=where) or [None] * len(rows)
    registered = database.strings(rows["textId"].dropna().unique().tolist())
    processes = process_of(rows["globalTid"]).fillna(-1).tolist()
    names: dict[tuple[int, int], str] = {}
    for process, domain, text_id, text in zip(
        processes,
        rows["domainId"].fillna(0).tolist(),
        rows["textId"].fillna(-1).tolist(),
        explicit,
        strict=True,
    ):
        if name := text or registered.get(text_id):
            names[(process, domain)] = name
    return names


def _launch_calls(
    database: Database, launches: pd.DataFrame, progress: Progress | None
) -> pd.DataFrame:
    """Thread and time of the API call of each launch, in the order of the launches."""
    columns = ["start", "correlationId", "globalTid"]
    calls = database.integers(CALL_TABLE, columns, progress=progress).dropna()
    calls = calls.rename(columns={"start": "time", "globalTid": "thread"})
    keys = ["correlationId"]
    wanted = launches[["correlationId"]].copy()
    if launches["globalPid"].notna().any():
        # Correlation identifiers are unique within a process only.
        keys = ["correlationId", "process"]
        wanted["process"] = process_of(launches["globalPid"])
        calls["process"] = process_of(calls["thread"])
    calls = calls.drop_duplicates(keys)
    return wanted.merge(calls, on=keys, how="left", validate="many_to_one")
