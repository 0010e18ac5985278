"""Damaged sources end as programs or as refused, and soon: random edits of the small cases.

``GEOAUDIT_MUTATIONS=10000`` makes that many; the seed is fixed, so a failure comes back.
"""

import os
import random
import re
import time
from collections.abc import Callable

import pytest

from geoaudit.shardcheck.discovery.parsing import decode_program, parse_content
from geoaudit.shardcheck.program.file_program import FileProgram
from tests.shardcheck_expectations import read_cases
from tests.shardcheck_pipeline import options_of, reports_of

MUTATIONS = int(os.environ.get("GEOAUDIT_MUTATIONS", "300"))
GROUPS = 10
MOST_SECONDS = 10.0
SOURCES = [
    (path, text.encode()) for case in read_cases() for path, text in case.files.items() if text
]
_TOKEN = re.compile(rb"\s+|\w+|<<<|>>>|.", re.DOTALL)
_BRACKETS = b"()[]{}<>"
_INSERTED = (
    b"<<<", b">>>", b"(", b")", b"{", b"}", b"[", b"]", b"<", b">", b",", b";", b"*", b"-1",
    b"#if\n", b"#endif\n", b"#define X \\\n", b"\\\n", b"/*", b"*/", b"'", b'"', b'"""', b'R"(',
    b"template <", b"struct ", b"lambda ", b"def f():\n", b"while (1) ", b"n_head", b"= n_head",
    b"\0", b"\xff",
)  # fmt: skip

Edit = Callable[[bytes, random.Random], bytes]


def _delete(content: bytes, source: random.Random) -> bytes:
    tokens = _TOKEN.findall(content)
    start = source.randrange(len(tokens))
    return b"".join(tokens[:start] + tokens[start + source.randint(1, 6) :])


def _duplicate(content: bytes, source: random.Random) -> bytes:
    tokens = _TOKEN.findall(content)
    start = source.randrange(len(tokens))
    piece = tokens[start : start + source.randint(1, 40)]
    return b"".join(tokens[:start] + piece * source.randint(2, 4) + tokens[start:])


def _insert(content: bytes, source: random.Random) -> bytes:
    tokens = _TOKEN.findall(content)
    place = source.randrange(len(tokens) + 1)
    piece = source.choice(_INSERTED) * source.choice((1, 1, 1, 2, 50))
    return b"".join([*tokens[:place], piece, *tokens[place:]])


def _cut(content: bytes, source: random.Random) -> bytes:
    place = source.randrange(len(content))
    return content[:place] if source.random() < 0.7 else content[place:]


def _flip_bracket(content: bytes, source: random.Random) -> bytes:
    places = [index for index, letter in enumerate(content) if letter in _BRACKETS]
    if not places:
        return content
    changed = bytearray(content)
    changed[source.choice(places)] = source.choice(_BRACKETS)
    return bytes(changed)


def _spoil_bytes(content: bytes, source: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(source.randint(1, 8)):
        changed[source.randrange(len(changed))] = source.randrange(256)
    return bytes(changed)


def _swap(content: bytes, source: random.Random) -> bytes:
    tokens = _TOKEN.findall(content)
    one, other = source.randrange(len(tokens)), source.randrange(len(tokens))
    tokens[one], tokens[other] = tokens[other], tokens[one]
    return b"".join(tokens)


EDITS: tuple[Edit, ...] = (_delete, _duplicate, _insert, _cut, _flip_bracket, _spoil_bytes, _swap)


def mutation(number: int) -> tuple[str, bytes]:
    """The path and content of a damaged source; the same at every run."""
    source = random.Random(number)
    path, content = source.choice(SOURCES)
    for _ in range(source.choice((1, 1, 2, 3, 6))):
        content = source.choice(EDITS)(content, source) or b" "
    return path, content


@pytest.mark.parametrize("group", range(GROUPS))
def test_a_damaged_source_ends_as_a_program_or_is_refused(group: int) -> None:
    for number in range(group, MUTATIONS, GROUPS):
        path, content = mutation(number)
        began = time.monotonic()

        parsed = parse_content(path, content)
        if parsed.refused is None:
            _is_judged(decode_program(parsed.encoded), number)

        assert time.monotonic() - began < MOST_SECONDS, f"mutation {number} of {path} takes long"


def _is_judged(program: FileProgram, number: int) -> None:
    """The program's launches are judged, and those that it misses are counted.

    A Python file that does not parse is counted once, whatever is in it.
    """
    counted = len(program.not_analysed)
    recognised = dict(program.recognised)
    for idiom, textual in program.textual:
        missed = textual - recognised.get(idiom, 0)
        is_told = missed <= (counted if program.language == "c" else missed * counted)
        assert is_told, f"mutation {number}: {missed} of {idiom} are missed, {counted} told"
    reports_of([program], options_of(["--dim", "n_head=96:tp"]))
