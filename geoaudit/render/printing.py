"""Lines of a terminal's output, with their styles, made one text."""

import io
from collections.abc import Iterable
from dataclasses import dataclass

from geoaudit.render.text_columns import wrapped

LABEL_WIDTH = 10


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of output, the style of all of it, and the part of it that is marked."""

    text: str = ""
    style: str = ""
    marked: str = ""


def printed(lines: Iterable[Line], width: int, color: bool) -> str:
    """Lines as text that ends with a line feed; without colour there is no escape in it."""
    if not color:
        return "".join(f"{line.text}\n" for line in lines)
    from rich.console import Console
    from rich.text import Text

    handle = io.StringIO()
    console = Console(
        file=handle,
        width=width,
        color_system="standard",
        force_terminal=True,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    )
    for line in lines:
        text = Text(line.text, style=line.style)
        if line.marked:
            start = line.text.find(line.marked)
            text.stylize("bold red", start, start + len(line.marked))
        console.print(text, soft_wrap=True)
    return handle.getvalue()


def labelled(label: str, text: str, width: int, style: str = "") -> list[Line]:
    """A sentence after its label, in as many lines as it takes."""
    head = f"{label:<{LABEL_WIDTH - 1}} "
    lines = wrapped(text, width, first=head, rest=" " * LABEL_WIDTH)
    return [Line(text=line, style=style) for line in lines]
