"""Shard-check's parts in a row, for tests: sources -> programs -> launch sites -> reports."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from geoaudit.devices.table import find_device
from geoaudit.shardcheck.check import ReadSources, check
from geoaudit.shardcheck.discovery.cache import Cache
from geoaudit.shardcheck.discovery.parsing import decode_program, parse_content
from geoaudit.shardcheck.discovery.programs import ReadPrograms, read_programs
from geoaudit.shardcheck.discovery.stack import room_for_derivations
from geoaudit.shardcheck.discovery.survey import Survey, survey_tree
from geoaudit.shardcheck.discovery.walking import WalkOptions, find_sources
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.report import SiteReport
from geoaudit.shardcheck.sharding.options import (
    ShardOptions,
    parse_dimension,
    parse_ranks,
    parse_values,
)


def read_file(path: str, text: str) -> FileProgram:
    """The program of a source text.

    Raises:
        AssertionError: it is refused.
    """
    parsed = parse_content(path, text.encode())
    assert parsed.refused is None, f"{path}: {parsed.refused}"
    return decode_program(parsed.encoded)


def options_of(words: Sequence[str]) -> ShardOptions:
    """The options of a check from words of its command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dim", action="append", default=[])
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--shard", default="tp=1,2,4,8")
    parser.add_argument("--device", default="H200")
    given = parser.parse_args(words)
    by, ranks = parse_ranks(given.shard)
    return ShardOptions(
        sms=find_device(given.device).sm_count,
        ranks=ranks,
        by=by,
        dimensions=tuple(map(parse_dimension, given.dim)),
        values=parse_values(given.set),
    )


def reports_of(programs: Sequence[FileProgram], options: ShardOptions) -> tuple[SiteReport, ...]:
    """Every launch of programs with what sharding does to it, remarks that allow a rule applied."""
    sources = ReadSources(programs=tuple(programs), skipped={}, refused={})
    with room_for_derivations():
        return check(sources, options, device="").sites


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A repository as it is read."""

    survey: Survey
    read: ReadPrograms


def read_tree(root: Path, cache_folder: Path | None = None) -> Tree:
    """The programs of a folder, read as the command does.

    Args:
        root: the folder.
        cache_folder: of programs; None: nothing is kept.
    """
    survey = survey_tree(find_sources([root], WalkOptions()))
    return Tree(survey=survey, read=read_programs(survey, Cache(cache_folder)))
