"""The programs of a tree: from the cache, or parsed in processes beside each other."""

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import msgspec

from geoaudit.shardcheck.discovery.cache import Cache, key_of
from geoaudit.shardcheck.discovery.content import read_content
from geoaudit.shardcheck.discovery.fingerprint import analysis_fingerprint
from geoaudit.shardcheck.discovery.parsing import ParsedFile, decode_program, parse_content
from geoaudit.shardcheck.discovery.survey import Survey
from geoaudit.shardcheck.discovery.walking import SourceFile
from geoaudit.shardcheck.discovery.worker import LIMIT_S, Parse, Worker, hold_signals
from geoaudit.shardcheck.program.file_program import FileProgram

Advance = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How programs are read.

    Attributes:
        jobs: processes; None: one for each processor that this one may use.
        limit_s: seconds that the analysis of a file may take.
        parse: what the processes do; a function of a module.
    """

    jobs: int | None = None
    limit_s: float = LIMIT_S
    parse: Parse = parse_content


@dataclass(frozen=True, kw_only=True)
class ReadPrograms:
    """What was read.

    Attributes:
        programs: by path.
        refused: path -> why it was not analysed.
    """

    programs: tuple[FileProgram, ...]
    refused: Mapping[str, str]


def read_programs(
    survey: Survey,
    cache: Cache,
    options: ReadOptions | None = None,
    advance: Advance | None = None,
) -> ReadPrograms:
    """The programs of a survey's files.

    A file that takes too long, or ends the process that parses it, is refused; the others go on.

    Args:
        survey: what to read.
        cache: of programs by content.
        options: processes and their time.
        advance: told the share that is done, 0 to 1.
    """
    options = options or ReadOptions()
    programs: dict[str, FileProgram] = {}
    refused = dict(survey.refused)
    missing: dict[SourceFile, str] = {}
    for file, digest in survey.digests.items():
        key = key_of((b"program", analysis_fingerprint(), file.path.encode(), digest))
        program = _kept(cache, key)
        if program is None:
            missing[file] = key
        else:
            programs[file.path] = program
    expected = {file: survey.digests[file] for file in missing}
    for done, (file, parsed) in enumerate(_parsed(expected, options), 1):
        if parsed.refused is None:
            programs[file.path] = decode_program(parsed.encoded)
            cache.put(missing[file], parsed.encoded)
        else:
            refused[file.path] = parsed.refused
        if advance is not None:
            advance(done / len(missing))
    return ReadPrograms(
        programs=tuple(programs[path] for path in sorted(programs)),
        refused=dict(sorted(refused.items())),
    )


def _kept(cache: Cache, key: str) -> FileProgram | None:
    encoded = cache.get(key)
    if encoded is None:
        return None
    try:
        return decode_program(encoded)
    except (msgspec.DecodeError, RecursionError):
        cache.discard(key)
        return None


def _parsed(
    digests: Mapping[SourceFile, bytes], options: ReadOptions
) -> Iterable[tuple[SourceFile, ParsedFile]]:
    if not digests:
        return
    jobs = min(options.jobs or _processors(), len(digests))
    workers = [Worker(limit_s=options.limit_s, parse=options.parse) for _ in range(jobs)]
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def parse(file: SourceFile) -> ParsedFile:
        worker = idle.get()
        try:
            return _parse_file(file, digests[file], worker.parse)
        finally:
            idle.put(worker)

    # The largest first, so that none is left over at the end.
    ordered = sorted(digests, key=_size, reverse=True)
    pool = ThreadPoolExecutor(jobs, initializer=hold_signals)
    try:
        yield from _as_done(pool, parse, ordered, most_at_once=2 * jobs)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.close()
        pool.shutdown(wait=True)


def _as_done(
    pool: ThreadPoolExecutor,
    parse: Callable[[SourceFile], ParsedFile],
    files: Iterable[SourceFile],
    most_at_once: int,
) -> Iterable[tuple[SourceFile, ParsedFile]]:
    """Each file with its program; only a few are under way, so that memory holds only these."""
    under_way: dict[Future[ParsedFile], SourceFile] = {}
    remaining = iter(files)
    while True:
        for file in remaining:
            under_way[pool.submit(parse, file)] = file
            if len(under_way) >= most_at_once:
                break
        if not under_way:
            return
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in done:
            yield under_way.pop(future), future.result()


def _parse_file(file: SourceFile, digest: bytes, parse: Parse) -> ParsedFile:
    content = read_content(file.location, include_generated=True)
    if content.refused is not None:
        return ParsedFile(refused=content.refused)
    if content.digest != digest:
        return ParsedFile(refused="it was changed while the tree was read")
    return parse(file.path, content.content)


def _size(file: SourceFile) -> int:
    try:
        return Path(file.location).stat().st_size
    except OSError:
        return 0


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
