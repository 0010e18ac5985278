import tomllib
from collections.abc import Iterator

import pytest

from geoaudit.manifest.lines import key_lines
from geoaudit.manifest.location import KeyPath
from tests.unit.manifest.example_manifest import TEXT

# The number of each value is the line it stands in.
NUMBERED = '''# a comment with [brackets] = 1
first = 2
"quoted.key" = 3 # ] } "
text = """
not = 0
[no.table]
"quote\\"""" # closes
'literal' = 8
inner.dotted.key = 9
list = [ 10, # ]
  [ 11, { x = 11 } ], "]", \'[\',
  { a = 12, b.c = [
    13 ] },
]

[table]
line = 17
[ table . "spaced" ]
line = 19
date = 2001-02-03 04:05:06 # a bare value with a space
[[rows]]
line = 22
[[rows.cells]]
line = 24
[[rows.cells]]
line = 26
[rows.cells.deep]
line = 28
[[rows]]
line = 30
raw = \'\'\'
[x]\'\'\'
empty = {}
none = []
tight=[[35],[{y=35},35]]
last = 36'''


def _numbers(value: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, int]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _numbers(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _numbers(part, (*path, index))
    elif isinstance(value, int):
        yield path, value


def _paths(value: object, path: KeyPath = ()) -> Iterator[KeyPath]:
    yield path
    parts = value.items() if isinstance(value, dict) else ()
    entries = enumerate(value) if isinstance(value, list) else ()
    for key, part in (*parts, *entries):
        yield from _paths(part, (*path, key))


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_every_value_is_found_in_its_line(line_break: str) -> None:
    text = NUMBERED.replace("\n", line_break)
    lines = key_lines(text)
    numbers = dict(_numbers(tomllib.loads(text)))
    assert len(numbers) == 20
    assert {path: lines[path] for path in numbers} == numbers


@pytest.mark.parametrize("text", [NUMBERED, TEXT])
def test_every_key_has_a_line_and_nothing_else_has(text: str) -> None:
    assert set(key_lines(text)) == set(_paths(tomllib.loads(text))) - {()}


def test_tables_are_found_at_their_header() -> None:
    lines = key_lines(NUMBERED)
    assert lines["table",] == 16
    assert lines["table", "spaced"] == 18
    assert lines["rows", 0] == 21
    assert lines["rows", 0, "cells", 1] == 25
    assert lines["rows", 1] == 29
