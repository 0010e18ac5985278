import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from geoaudit.errors import InputError
from geoaudit.shardcheck.discovery.cache import Cache
from geoaudit.shardcheck.discovery.parsing import ParsedFile
from geoaudit.shardcheck.discovery.programs import ReadOptions, ReadPrograms, read_programs
from geoaudit.shardcheck.discovery.survey import survey_tree
from geoaudit.shardcheck.discovery.walking import WalkOptions, find_sources
from geoaudit.shardcheck.program.file_program import FileProgram


def parse_or_break(path: str, content: bytes) -> ParsedFile:
    """What a front end may do, by the content."""
    if content == b"kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if content == b"exit":
        os._exit(7)
    if content == b"signal":
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGPIPE)
    if content == b"hang":
        time.sleep(100)
    if content == b"bug":
        raise KeyError("x")
    if content == b"refuse":
        return ParsedFile(refused="nested too deeply")
    program = FileProgram(path=path, language="c", functions=())
    return ParsedFile(encoded=msgspec.msgpack.encode(program))


def _read(
    folder: Path, cache: Cache, options: ReadOptions, shares: list[float] | None = None
) -> ReadPrograms:
    survey = survey_tree(find_sources([folder], WalkOptions()))
    return read_programs(survey, cache, options, None if shares is None else shares.append)


def test_a_file_that_takes_its_process_down_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    for name, text in {"a": "kill", "b": "exit", "c": "hang", "d": "refuse", "e": "fine"}.items():
        (tmp_path / f"{name}.cu").write_text(text)
    (tmp_path / "f.cu").write_text("fine too")
    (tmp_path / "g.cu").write_text("bug")
    shares: list[float] = []
    options = ReadOptions(jobs=2, limit_s=1.0, parse=parse_or_break)
    read = _read(tmp_path, Cache(None), options, shares)
    assert [program.path for program in read.programs] == ["e.cu", "f.cu"]
    assert read.refused == {
        "a.cu": "its analysis ended the process (SIGKILL)",
        "b.cu": "its analysis ended the process (exit code 7)",
        "c.cu": "its analysis takes more than 1 s",
        "d.cu": "nested too deeply",
        "g.cu": "its analysis failed, which is a bug of geoaudit: KeyError: 'x'",
    }
    assert shares == [pytest.approx(number / 7) for number in range(1, 8)]


def test_what_did_not_change_is_not_parsed_again(tmp_path: Path) -> None:
    folder, cache = tmp_path / "tree", Cache(tmp_path / "cache")
    folder.mkdir()
    (folder / "a.cu").write_text("fine")
    (folder / "b.cu").write_text("fine")
    options = ReadOptions(parse=parse_or_break)
    first: list[float] = []
    second: list[float] = []
    assert _read(folder, cache, options, first) == _read(folder, cache, options, second)
    assert (len(first), len(second)) == (2, 0)
    (folder / "b.cu").write_text("changed")
    _read(folder, cache, options, second)
    assert len(second) == 1


def test_an_entry_that_is_no_program_is_parsed_again(tmp_path: Path) -> None:
    folder, cache = tmp_path / "tree", Cache(tmp_path / "cache")
    folder.mkdir()
    (folder / "a.cu").write_text("fine")
    options = ReadOptions(parse=parse_or_break)
    _read(folder, cache, options)
    entry = next(one for one in (tmp_path / "cache").rglob("*") if one.is_file())
    cache.put(entry.parent.name + entry.name, b"\xc1nonsense")
    assert len(_read(folder, cache, options).programs) == 1


def test_a_file_that_changes_under_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("fine")
    survey = survey_tree(find_sources([tmp_path], WalkOptions()))
    (tmp_path / "a.cu").write_text("other")
    read = read_programs(survey, Cache(None), ReadOptions(parse=parse_or_break))
    assert read.refused == {"a.cu": "it was changed while the tree was read"}


def test_an_interrupt_ends_the_processes_and_reaches_none_of_them(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.cu").write_text("signal")
    options = ReadOptions(jobs=2, parse=parse_or_break)
    assert len(_read(tmp_path, Cache(None), options).programs) == 6

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    survey = survey_tree(find_sources([tmp_path], WalkOptions()))
    with pytest.raises(KeyboardInterrupt):
        read_programs(survey, Cache(None), options, interrupt)
    assert "ThreadPoolExecutor" not in " ".join(one.name for one in threading.enumerate())


def test_a_program_from_standard_input_can_read_sources(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("void f() {}")
    (tmp_path / "signal.py").write_text("raise SystemExit('the source was run')")
    program = (
        "from geoaudit.cli.main import main\n"
        "main(['shard-check', 'a.cu', 'signal.py', '--no-cache', '--format', 'json'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-"],
        input=program,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert '"read": 2' in done.stdout


def test_no_process_that_can_be_started_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cu").write_text("fine")
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(InputError, match="no process to parse in can be started"):
        _read(tmp_path, Cache(None), ReadOptions(parse=parse_or_break))
