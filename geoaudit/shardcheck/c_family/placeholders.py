"""Templates of source (``str.format``, Jinja, ``$name``, ``@@NAME@@``) as the source they make.

A placeholder becomes a name, ``{kernel}_nl<<<{grid}>>>`` reads ``kernel_nl<<<grid>>>``; one that
stands for whole lines becomes blank. Lines stay where they are.
"""

import re

TEMPLATE_ENDS = (".jinja", ".jinja2", ".j2", ".in", ".tmpl", ".tpl")
"""Of the names of files that are templates."""
PLACEHOLDER = "formatted_value"
OPENS, CLOSES = "\x01", "\x02"  # around the name of a placeholder that a parser has found
_MOST_ROUNDS = 4  # a template of a template doubles its braces again

_FOUND = re.compile(f"{OPENS}(\\w+){CLOSES}")
_FORMAT = re.compile(
    r"\{\{|\}\}|\{(?P<name>[A-Za-z_]?\w*(?:[.\[][\w\].]*)?)(?:![rsa])?(?::[^{}\s]*)?\}"
)
_JINJA_MARK = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_JINJA_VALUE = re.compile(
    r"\{\{-?\s*(?P<value>[\"'A-Za-z_(][^{};\n]*?)\s*-?\}\}(?=(?P<after>[ \t]*\n)?)"
)
_OTHERS = re.compile(
    r"@@(\w+)@@|@(\w+)@|\$\{(\w+)\}|\$([A-Za-z_]\w*)|%\((\w+)\)[sdi]|(?<=[(,<\[])[ \t]*%[sdi]\b"
)
_GOES_ON = frozenset("<(=.,;)[]>-+*/%&|?:!")
_ENDS = frozenset(";{}")


def without_placeholders(text: str) -> str:
    """The source that a template makes; a text that is none as it is."""
    text = _FOUND.sub(lambda found: _put_in(found, found[1]), text)
    if "{%" in text or "{{" in text and not _is_format(text):
        text = _JINJA_MARK.sub(lambda found: "\n" * found[0].count("\n"), text)
        text = _JINJA_VALUE.sub(lambda found: _put_in(found, named(found["value"])), text)
    for _ in range(_MOST_ROUNDS):
        if not _is_format(text):
            break
        text = _FORMAT.sub(_formatted, text)
    return _OTHERS.sub(_other, text)


def named(expression: str) -> str:
    """A name for what an expression of Python gives: its own last one, a number as it is."""
    expression = expression.partition("|")[0].strip()
    if expression.isdigit():
        return expression
    found = re.fullmatch(r"[A-Za-z_][\w.]*", expression)
    return expression.rpartition(".")[2] if found and expression[-1] != "." else PLACEHOLDER


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a placeholder stands for whole lines: alone on its own, between statements."""
    line = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    after = text[end : line_end if line_end >= 0 else len(text)].strip()
    if text[line:start].strip() or not (after == "" or after.startswith("//")):
        return False
    before, follows = text[:line].rstrip()[-1:], text[end:].lstrip()[:1]
    return (not before or before in _ENDS) and follows not in _GOES_ON


def _is_format(text: str) -> bool:
    """Whether every brace is doubled, or those of a placeholder."""
    rest = _FORMAT.sub("", text)
    return "{" not in rest and "}" not in rest and _FORMAT.search(text) is not None


def _formatted(found: re.Match[str]) -> str:
    if found["name"] is None:
        return found[0][0]
    name = found["name"]
    return _put_in(found, PLACEHOLDER if name.isdigit() else named(name))


def _put_in(found: re.Match[str], name: str) -> str:
    is_blank = "indent" in name or _stands_alone(found.string, *found.span())
    return "" if is_blank else name


def _other(found: re.Match[str]) -> str:
    return next((name for name in found.groups() if name), PLACEHOLDER)
