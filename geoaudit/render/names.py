"""Names from foreign files made safe to show, each for the place it is shown in.

A kernel's name is whatever a compiler, a Python user or an attacker wrote. Control characters,
terminal escapes and bidirectional overrides are shown as what they are; no markup in a name is
ever interpreted. HTML is escaped by the templates' autoescape, JSON by its encoder.
"""

import re
import unicodedata

from rich.cells import cell_len, set_cell_size

UNNAMED = "(unnamed)"
# Control, format (with all bidirectional controls), surrogate, private use, unassigned, and the
# two separators that end a line.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NAMED_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPREADSHEET_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN_STRUCTURE = re.compile(r"[&<>|`\\*\[\]@~$]|(?<=:)//|(?<=[Ww])\.")
_NOT_PLAIN_IN_CODE = re.compile(r"[|`\\]")


def visible(name: str) -> str:
    r"""The name with every character that shows nothing, or moves text, written as an escape.

    >>> visible("red\x1b[31m\n"), visible("a\u202eb"), visible("")
    ('red\\x1b[31m\\n', 'a\\u202eb', '(unnamed)')
    """
    if name.isascii() and name.isprintable():
        return name or UNNAMED
    return "".join(map(_visible_character, name)) or UNNAMED


def elide(name: str, width: int) -> str:
    """A visible name, its middle left out where it is wider than ``width`` terminal cells.

    Both ends are kept: the start names the kernel, the end tells its template arguments apart.

    >>> elide("abcdefghij", 7)
    'abc…hij'
    """
    # No more than this can be shown, and measuring 5,000 characters a row is slow.
    shown = visible(name if len(name) <= 4 * width else name[: 2 * width] + name[-2 * width :])
    if cell_len(shown) <= width and len(name) <= 4 * width:
        return shown
    room = max(width - 1, 0)
    head = (room + 1) // 2
    tail = room - head
    start = set_cell_size(shown, head).rstrip(" ")
    return start + "…" + _last_cells(shown, tail)


def sentence(text: str, limit: int = 600) -> str:
    """A sentence that may carry foreign names: visible and at most ``limit`` characters."""
    return elide(text, limit)


def markdown_code(name: str, width: int) -> str:
    """A name as code for Markdown, safe in a table cell too, elided to ``width``.

    A code span shows everything literally but backticks, backslashes and the pipes of a table;
    a name that has one of those is written in entities, which no Markdown reads as structure.

    >>> markdown_code("a<b>", 20), markdown_code("a|b", 20)
    ('`a<b>`', '<code>a&#124;b</code>')
    """
    shown = elide(name, width)
    if _NOT_PLAIN_IN_CODE.search(shown):
        return "<code>" + re.sub(r"[^\w ]", _entity, shown) + "</code>"
    return f"`{shown}`"


def markdown_text(text: str, limit: int = 600) -> str:
    """A sentence for Markdown: nothing in it becomes markup, a link or a mention.

    >>> markdown_text("see <b>@me</b>")
    'see &#60;b&#62;&#64;me&#60;/b&#62;'
    """
    return _MARKDOWN_STRUCTURE.sub(_entity, sentence(text, limit))


def spreadsheet_cell(text: str) -> str:
    """A text cell of a CSV file that no spreadsheet runs as a formula.

    A cell that starts like a formula, or with an apostrophe, gets one apostrophe in front: to
    read a name back, take one leading apostrophe away. Control characters are written as
    escapes, since a CSV table may be printed to a terminal; JSON has every name unchanged.

    >>> spreadsheet_cell("=HYPERLINK()"), spreadsheet_cell("'a"), spreadsheet_cell("a")
    ("'=HYPERLINK()", "''a", 'a')
    """
    shown = visible(text) if text else text
    if text.startswith(_SPREADSHEET_FORMULA) or shown.startswith("'"):
        return "'" + shown
    return shown


def _visible_character(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN_CATEGORIES:
        return character
    if character in _NAMED_ESCAPES:
        return _NAMED_ESCAPES[character]
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _last_cells(text: str, cells: int) -> str:
    start = len(text)
    used = 0
    while start > 0 and (used := used + cell_len(text[start - 1])) <= cells:
        start -= 1
    return text[start:]


def _entity(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(character)};" for character in match.group())
