import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from geoaudit.render.names import (
    UNNAMED,
    elide,
    markdown_code,
    markdown_text,
    spreadsheet_cell,
    visible,
)
from tests.unit.render.builders import HOSTILE_NAMES

ANY_NAME = st.text(alphabet=st.characters(codec=None), max_size=300) | st.sampled_from(
    HOSTILE_NAMES
)


@given(ANY_NAME)
def test_visible_leaves_no_character_that_acts(name: str) -> None:
    shown = visible(name)
    assert shown
    categories = {unicodedata.category(character) for character in shown}
    assert categories.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    shown.encode()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("red\x1b[31m", "red\\x1b[31m"),
        ("a\u202eb", "a\\u202eb"),
        ("\x9b2J", "\\x9b2J"),
        ("a\r\nb\t", "a\\r\\nb\\t"),
        ("lone\ud800", "lone\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("[red]x[/red]", "[red]x[/red]"),
        ("", UNNAMED),
    ],
)
def test_visible_writes_the_escape(name: str, shown: str) -> None:
    assert visible(name) == shown


@given(ANY_NAME, st.integers(min_value=8, max_value=120))
def test_elide_never_exceeds_its_width(name: str, width: int) -> None:
    assert cell_len(elide(name, max(width, len(UNNAMED)))) <= max(width, len(UNNAMED))


@given(st.text(alphabet="abcdefg<>:, ", min_size=1, max_size=100), st.integers(10, 110))
def test_elide_keeps_what_fits_and_both_ends_of_what_does_not(name: str, width: int) -> None:
    shown = elide(name, width)
    if len(name) <= width:
        assert shown == name
    else:
        start, end = shown.split("…")
        assert name.startswith(start)
        assert name.endswith(end)


def test_a_long_name_is_elided_in_the_middle() -> None:
    assert elide("a" * 2500 + "z" * 2500, 10) == "aaaaa…zzzz"


@given(ANY_NAME)
def test_markdown_code_cannot_leave_its_cell(name: str) -> None:
    code = markdown_code(name, 60)
    assert "|" not in code
    assert "\n" not in code
    if code.startswith("`"):
        assert "`" not in code[1:-1]
        assert "\\" not in code
    else:
        inner = code.removeprefix("<code>").removesuffix("</code>")
        assert not set(inner) & set("<>`|\\*[]@")


@given(ANY_NAME)
def test_markdown_text_holds_no_markup(name: str) -> None:
    assert not set(markdown_text(name)) & set("<>`|*[]@~$\\")


def test_markdown_text_links_nothing() -> None:
    text = markdown_text("https://example.org www.example.org @someone")
    assert "//" not in text
    assert "www." not in text
    assert "@" not in text


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_cell_starts_a_formula(start: str) -> None:
    assert spreadsheet_cell(start).startswith("'")


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"]), max_size=50))
def test_a_cell_reads_back_without_its_one_apostrophe(name: str) -> None:
    cell = spreadsheet_cell(name)
    assert cell.removeprefix("'") == name
