"""Tables for a terminal that shows only ASCII."""

_ASCII = str.maketrans(
    {
        "µ": "u",
        "×": "x",
        "±": "+-",
        "·": "|",
        "…": "...",
        "█": "#",
        "▒": "=",
        "░": ".",
        "─": "-",
        "│": "|",
        "├": "|",
        "└": "`",
        "▁": "_",
        "▂": ".",
        "▃": ":",
        "▄": "-",
        "▅": "=",
        "▆": "+",
        "▇": "*",
    }
)


def to_ascii(text: str) -> str:
    """The text in ASCII alone: the tables' own signs get near ones, anything else becomes ?.

    >>> to_ascii("12×4 · 86.6 µs ±1.1 %")
    '12x4 | 86.6 us +-1.1 %'
    """
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")
