"""What a TOML text is checked for before the parser sees it: keys and numbers without end."""

import re

DEEPEST_KEY = 32
"""Parts of the longest dotted key. The parser's time grows with their square."""
_LONGEST_INTEGER = 400  # digits; Python reads 4300, and 64 bits hold 20

# An unterminated string or comment reaches to its end all the same: the parser stops there.
_STRINGS_AND_COMMENTS = (
    r'"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)|'
    r"'''.*?(?:'{3,5}|\Z)|"
    r'"(?:[^"\\\n]|\\.)*+"?|'
    r"'[^'\n]*+'?|"
    r"#[^\n]*+"
)
_STRING_OR_COMMENT = re.compile(_STRINGS_AND_COMMENTS, re.DOTALL)
_DEEP_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{DEEPEST_KEY}}}")
_LONG_INTEGER = re.compile(
    rf"{_STRINGS_AND_COMMENTS}|(?<![\w.+-])([+-]?[\d_]{{{_LONGEST_INTEGER},}}+)(?![\w.+-])",
    re.DOTALL,
)


def line_of_deep_key(text: str) -> int | None:
    r"""The line, from 1, of a dotted key of more than DEEPEST_KEY parts, wherever one may stand.

    Example:
        >>> line_of_deep_key("a = 1.5  # 1.2.3\nb = { " + "c." * 32 + "d = 1 }")
        2
    """
    bare = _STRING_OR_COMMENT.sub(_blanked, text)
    match = _DEEP_KEY.search(bare)
    return None if match is None else bare.count("\n", 0, match.start()) + 1


def with_short_integers(text: str) -> str:
    """The text with integers that Python refuses to read cut to what is still beyond 64 bits.

    So they are told by their own line and key, as any other value that is wrong.

    Example:
        >>> len(with_short_integers("n = " + "9" * 5000))
        404
    """
    return _LONG_INTEGER.sub(_cut, text)


def _blanked(match: re.Match[str]) -> str:
    """A part of a key for a string, nothing for a comment, on as many lines as before."""
    text = match[0]
    return ("" if text.startswith("#") else "s") + "\n" * text.count("\n")


def _cut(match: re.Match[str]) -> str:
    digits = match[1]
    return match[0] if digits is None else digits.replace("_", "")[:_LONGEST_INTEGER]
