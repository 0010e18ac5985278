"""Texts made to fill the parser's time: told at once, with their line."""

import time

import pytest

from geoaudit.manifest.document import parse_document
from geoaudit.manifest.hostile_text import line_of_deep_key, with_short_integers
from geoaudit.manifest.location import ManifestError

DEEP = ".".join(["a"] * 60_000)


@pytest.mark.parametrize(
    "deep",
    [
        f"{DEEP} = 1",
        f"n = {{{DEEP} = 1}}",
        f'"=".{DEEP} = 1',
        f"'#'.{DEEP} = 1",
        f"[{DEEP}]",
        f"[[{DEEP}]]",
        f"n = [ # a list\n{{ {DEEP} = 1 }}]",
        f"n = {{ x = '''\n''', {DEEP} = 1 }}",
        "n = {{ {} = 1 }}".format(" . ".join(['"a"'] * 60_000)),
    ],
    ids=lambda deep: deep[:12],
)
def test_a_key_without_end_is_told_wherever_it_stands(deep: str) -> None:
    line = 2 + deep.count("\n")
    with pytest.raises(ManifestError, match=rf"^m.toml:{line}: a key of more than 32 parts"):
        parse_document(f"schema_version = 1\n{deep}\n", file="m.toml")


@pytest.mark.parametrize(
    "harmless",
    [
        f'text = "{DEEP}"',
        f"text = '{DEEP}'",
        f'text = """\n{DEEP}"""',
        f"text = '''{DEEP}'''",
        f"# {DEEP}",
        f"a = 1 # it's {DEEP}",
        "numbers = [" + "1.5, " * 100 + "]",
        "a." * 31 + "b = 1",
    ],
    ids=lambda harmless: harmless[:12],
)
def test_dots_that_part_no_key_are_none(harmless: str) -> None:
    parse_document(harmless, file="m.toml")


@pytest.mark.parametrize(
    "hostile",
    [
        '\\"""\n' * 200_000,
        '"' + '\\"' * 499_999,
        "'''\n" * 200_000 + "'",
        "a" * 1_000_000,
        "a . " * 7 + " " * 900_000,
        "n = " + "9_" * 499_000,
        ("9" * 399 + ".") * 2_500,
        "'" * 999_999,
    ],
    ids=range(8),
)
def test_a_megabyte_is_looked_through_at_once(hostile: str) -> None:
    started = time.perf_counter()
    line_of_deep_key(hostile)
    with_short_integers(hostile)
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    "number",
    ["9" * 5_000, "-" + "9" * 5_000, "9_" * 5_000 + "9", "0x" + "f" * 5_000, "0b" + "1" * 20_000],
    ids=lambda number: number[:3],
)
def test_an_integer_of_thousands_of_digits_is_told_at_its_key(number: str) -> None:
    document = parse_document(f"\na = [1, {number}]\nb = 1\n", file="m.toml")
    with pytest.raises(ManifestError, match=r"^m.toml:2: a\[1\]: is a number beyond 64 bits; "):
        document["a"].entries()


def test_what_is_no_integer_keeps_its_digits() -> None:
    text = f'a = 0.{"3" * 5_000}\nb = "{"9" * 5_000}"\nc = 0x{"f" * 5_000}\n# {"9" * 5_000}'
    assert with_short_integers(text) == text
