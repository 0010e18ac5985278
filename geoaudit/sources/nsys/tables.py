"""The tables of an Nsight Systems SQLite export, read by name and only where they are needed.

The exporter creates tables lazily, adds columns from version to version and lets any cell be
empty, so everything is probed. Nothing is read that the audit does not need: an export can hold
the whole environment of the profiled process.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from geoaudit.errors import InputError
from geoaudit.sources.registry import Progress

SQLITE_MAGIC = b"SQLite format 3\x00"
KERNEL_TABLE = "CUPTI_ACTIVITY_KIND_KERNEL"
COPY_TABLE = "CUPTI_ACTIVITY_KIND_MEMCPY"
SET_TABLE = "CUPTI_ACTIVITY_KIND_MEMSET"
CALL_TABLE = "CUPTI_ACTIVITY_KIND_RUNTIME"
GRAPH_TABLE = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
RANGE_TABLE = "NVTX_EVENTS"
GPU_TABLE = "TARGET_INFO_GPU"
CUDA_DEVICE_TABLE = "TARGET_INFO_CUDA_DEVICE"
CONTEXT_TABLE = "TARGET_INFO_CUDA_CONTEXT_INFO"
STRING_TABLE = "StringIds"
EXPORT_TABLE = "META_DATA_EXPORT"
DIAGNOSTIC_TABLE = "DIAGNOSTIC_EVENT"

# No profile holds this value: it stands for NULL on the way from SQLite into a numpy array.
_NULL = -(2**63)
_NUMBER = "ifnull({0}, :null)"
_CHECKED_NUMBER = (
    "CASE typeof({0}) WHEN 'integer' THEN {0} WHEN 'real' THEN CAST({0} AS INTEGER) ELSE :null END"
)
_ROWS_PER_FETCH = 65_536
_STRINGS_PER_QUERY = 500


class Database:
    """One export, opened read-only; tables and columns are looked up by name."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        self.tables: tuple[str, ...] = tuple(str(name) for (name,) in rows)

    def find(self, table: str) -> str | None:
        """The name under which this table is in the export, or None.

        A later generation of a table may carry a suffix (``_V2``); of several the newest that
        holds rows is meant.
        """
        pattern = re.compile(re.escape(table) + r"(?:_V(\d+))?", re.IGNORECASE)
        matches = [(match, name) for name in self.tables if (match := pattern.fullmatch(name))]
        newest_first = sorted(matches, key=lambda found: -int(found[0].group(1) or 1))
        names = [name for _, name in newest_first]
        filled = [name for name in names if self._has_rows(name)]
        return next(iter(filled or names), None)

    def count(self, table: str, where: str = "1") -> int:
        """Rows of a table that meet a condition; 0 where the table is missing."""
        name = self.find(table)
        if name is None:
            return 0
        row = self._connection.execute(
            f"SELECT COUNT(*) FROM {_quoted(name)} WHERE {where}"
        ).fetchone()
        return int(row[0])

    def columns(self, table: str) -> frozenset[str]:
        """Column names of a table, lower case (SQLite ignores case); empty: no such table."""
        name = self.find(table)
        if name is None:
            return frozenset()
        described = self._connection.execute(f"PRAGMA table_info({_quoted(name)})")
        return frozenset(str(row[1]).lower() for row in described)

    def integers(
        self,
        table: str,
        columns: Sequence[str],
        *,
        where: str = "1",
        progress: Progress | None = None,
    ) -> pd.DataFrame:
        """These columns of a table as Int64, in the order of the rows.

        Args:
            table: logical name of the table.
            columns: names as the exporter spells them; those that the table lacks are null.
            where: SQL condition over columns that exist.
            progress: called with the share of the rows read, 0 to 1.

        Returns:
            A frame with exactly these columns; no rows where the table is missing. Cells that
            hold no number are null.
        """
        name, present = self.find(table), self.columns(table)
        known = [column for column in columns if column.lower() in present]
        values = np.empty((0, len(known)), dtype=np.int64)
        if name is not None and known:
            rest = f"FROM {_quoted(name)} WHERE {where}"
            expected = self.count(table, where)
            try:
                values = self._fetch_integers(known, _NUMBER, rest, expected, progress)
            except (TypeError, ValueError, OverflowError):
                # A damaged export can hold text in any column; checking each cell takes twice
                # as long.
                values = self._fetch_integers(known, _CHECKED_NUMBER, rest, expected, progress)
        rows = len(values) if known else self.count(table, where)
        by_name = {column: values[:, index] for index, column in enumerate(known)}
        return pd.DataFrame({column: _nullable(by_name.get(column), rows) for column in columns})

    def texts(self, table: str, column: str, *, where: str = "1") -> list[str | None]:
        """One column of a table as text, in the order of the rows; empty: nothing there."""
        name = self.find(table)
        if name is None or column.lower() not in self.columns(table):
            return []
        query = f"SELECT CAST({_quoted(column)} AS TEXT) FROM {_quoted(name)} WHERE {where}"
        return [value for (value,) in self._connection.execute(query)]

    def strings(self, identifiers: Sequence[int]) -> dict[int, str]:
        """The strings of these identifiers of ``StringIds``; no other string is read."""
        name = self.find(STRING_TABLE)
        if name is None or not {"id", "value"} <= self.columns(STRING_TABLE):
            return {}
        found: dict[int, str] = {}
        for first in range(0, len(identifiers), _STRINGS_PER_QUERY):
            some = [int(one) for one in identifiers[first : first + _STRINGS_PER_QUERY]]
            marks = ", ".join("?" * len(some))
            query = (
                f"SELECT id, CAST(value AS TEXT) FROM {_quoted(name)} "
                f"WHERE value IS NOT NULL AND id IN ({marks})"
            )
            found.update(self._connection.execute(query, some))
        return found

    def export_facts(self, keys: Sequence[str]) -> dict[str, str]:
        """Values of these keys of ``META_DATA_EXPORT``; no other key is read."""
        name = self.find(EXPORT_TABLE)
        if name is None or not {"name", "value"} <= self.columns(EXPORT_TABLE):
            return {}
        marks = ", ".join("?" * len(keys))
        query = f"SELECT name, CAST(value AS TEXT) FROM {_quoted(name)} WHERE name IN ({marks})"
        rows = self._connection.execute(query, list(keys))
        return {str(key): str(value) for key, value in rows if value}

    def _has_rows(self, name: str) -> bool:
        query = f"SELECT 1 FROM {_quoted(name)} LIMIT 1"
        return self._connection.execute(query).fetchone() is not None

    def _fetch_integers(
        self,
        columns: Sequence[str],
        expression: str,
        rest: str,
        expected_rows: int,
        progress: Progress | None,
    ) -> np.ndarray:
        parts, done = [np.empty((0, len(columns)), dtype=np.int64)], 0
        selected = ", ".join(expression.format(_quoted(column)) for column in columns)
        cursor = self._connection.execute(f"SELECT {selected} {rest}", {"null": _NULL})
        while rows := cursor.fetchmany(_ROWS_PER_FETCH):
            parts.append(np.array(rows, dtype=np.int64))
            done += len(rows)
            if progress is not None:
                progress(min(1.0, done / max(1, expected_rows)))
        return np.concatenate(parts)


@contextmanager
def open_database(path: Path) -> Iterator[Database]:
    """A read-only view of an export; the file is neither locked nor changed.

    Raises:
        InputError: the file is no readable database: cut, damaged, or still being written.
    """
    for suffix in ("-wal", "-journal"):
        pending = path.with_name(path.name + suffix)
        if pending.exists() and pending.stat().st_size:
            raise InputError(
                f"{path}: {pending.name} beside it holds changes that are not in the database "
                "yet: wait until nsys has finished, or export again with "
                "`nsys export --type sqlite`"
            )
    try:
        uri = path.absolute().as_uri() + "?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            # Names need not be UTF-8; a bad byte must not hide a kernel.
            connection.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
            yield Database(connection)
    # The message of an error may itself hold bytes of the damaged file that are not UTF-8.
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: the SQLite database cannot be read ({_cause(error)}): it is cut, damaged or "
            "still being written; export it again with `nsys export --type sqlite`"
        ) from error


def _cause(error: Exception) -> str:
    return str(error) if isinstance(error, sqlite3.Error) else "its schema is no text"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _nullable(values: np.ndarray | None, rows: int) -> pd.api.extensions.ExtensionArray:
    if values is None:
        return pd.array([pd.NA], dtype="Int64").repeat(rows)
    return pd.arrays.IntegerArray(values.copy(), mask=values == _NULL)
