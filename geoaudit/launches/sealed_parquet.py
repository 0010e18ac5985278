"""Parquet files with a digest of themselves: a byte that changed is found, wherever it is.

Parquet's own page checksums cover neither its footer, where geoaudit's metadata is, nor the heads
of pages. The digest is that of the whole file with zeros in the digest's own place. Files are
opened here and not by Arrow, which opens none whose name is no UTF-8.
"""

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from geoaudit.errors import InputError

NOT_AS_WRITTEN = "it is not as geoaudit wrote it: cut, damaged, or written again by another tool"
_DIGEST_KEY = b"geoaudit_digest"
_UNSEALED = b"0" * 64
# Thrift's compact protocol, in which Parquet writes a footer: the key's value is the next field,
# binary, of 64 bytes. Names of kernels stand before it, so that the last of these is the key.
_MARK = _DIGEST_KEY + bytes([0x18, len(_UNSEALED)])
_ARROW_PREFIX = "Could not open Parquet input source '<Buffer>': "
# What Arrow raises on damage; a UnicodeDecodeError is a ValueError.
_UNREADABLE = (OSError, pa.ArrowException, ValueError, LookupError, OverflowError, MemoryError)


def write_sealed(table: pa.Table, described: Mapping[bytes, bytes], path: Path) -> None:
    """Write a table with this metadata and its digest.

    Raises:
        OSError: the path cannot be written.
    """
    content = io.BytesIO()
    pq.write_table(
        table.replace_schema_metadata({**described, _DIGEST_KEY: _UNSEALED}),
        content,
        compression="zstd",
        compression_level=9,
    )
    written = content.getvalue()
    place = _place_of_digest(written)
    assert place is not None
    digest = _digest(written, place)
    path.write_bytes(written[:place] + digest + written[place + len(digest) :])


def read_sealed(path: Path) -> tuple[pd.DataFrame, dict[bytes, bytes], bool]:
    """The rows of a file, its metadata, and whether a digest vouches for both.

    Raises:
        InputError: no Parquet file, or not as its digest says. One without a digest may be damaged
            unseen.
    """
    try:
        content = path.read_bytes()
        is_sealed = _is_intact(content)
        table = pq.read_table(pa.BufferReader(content))
        rows = table.replace_schema_metadata(None).to_pandas()
    except _UNREADABLE as error:
        reason = str(error).removeprefix(_ARROW_PREFIX).strip().partition("\n")[0][:200]
        raise InputError(
            f"{path}: not a readable recording ({reason}). Make one with "
            "`geoaudit scan`; a profile of another tool goes to `geoaudit scan FILE` first."
        ) from error
    return rows, table.schema.metadata or {}, is_sealed


def metadata_of(path: Path) -> dict[bytes, bytes]:
    """The metadata of a file, whether or not it is sound; empty where it is no Parquet file."""
    try:
        with path.open("rb") as handle:
            if handle.read(4) != b"PAR1":
                return {}
            return pq.read_schema(handle).metadata or {}
    except _UNREADABLE:
        return {}


def _is_intact(content: bytes) -> bool:
    """Whether a file is as its digest says; False: it has none.

    Raises:
        ValueError: it is not.
    """
    place = _place_of_digest(content)
    if place is None:
        return False
    if content[place : place + len(_UNSEALED)] != _digest(content, place):
        raise ValueError(NOT_AS_WRITTEN)
    return True


def _place_of_digest(content: bytes) -> int | None:
    found = content.rfind(_MARK)
    return None if found < 0 else found + len(_MARK)


def _digest(content: bytes, place: int) -> bytes:
    """Of the content with zeros in the place of its digest."""
    view = memoryview(content)
    digest = hashlib.sha256(view[:place])
    digest.update(_UNSEALED)
    digest.update(view[place + len(_UNSEALED) :])
    return digest.hexdigest().encode()
