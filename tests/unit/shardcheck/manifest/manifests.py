"""Small manifests, read and checked."""

import textwrap

from geoaudit.shardcheck.check import ReadSources, check
from geoaudit.shardcheck.manifest.file_program import read_manifest_file
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.report import ShardReport, SiteReport
from geoaudit.shardcheck.sharding.options import ShardOptions

PATH = "suite.toml"
HEAD = """
schema_version = 1
name = "small"
"""


def program(text: str) -> FileProgram:
    """The program of a manifest; its indentation does not count."""
    return read_manifest_file(PATH, HEAD + textwrap.dedent(text))


def report(text: str, *others: FileProgram, **options: object) -> ShardReport:
    """The check of a manifest, among other sources."""
    sources = ReadSources(programs=(program(text), *others), skipped={}, refused={})
    return check(sources, ShardOptions(sms=132, **options), "device")  # type: ignore[arg-type]


def site(text: str, **options: object) -> SiteReport:
    """The one launch of a manifest."""
    (found,) = report(text, **options).sites
    return found


def blocks(text: str, **options: object) -> list[tuple[int | None, ...]]:
    """Blocks at each number of ranks, of every launch in order."""
    return [tuple(one.blocks.values()) for one in report(text, **options).sites]
