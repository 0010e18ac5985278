"""Tables in Markdown: the one place that writes their lines."""

from collections.abc import Collection, Iterable, Sequence


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, right: Collection[str] = ()
) -> list[str]:
    r"""The lines of a GitHub-flavoured table.

    Args:
        header: headings.
        rows: cells; foreign text in them is already safe, but a pipe or a line's end is made so.
        right: headings of the columns whose cells end at one edge, as numbers do.

    >>> markdown_table(["a", "b"], [["x|y", "1"]], right={"b"})
    ['| a | b |', '| --- | ---: |', '| x\\|y | 1 |']
    """
    rules = ["---:" if heading in right else "---" for heading in header]
    return [_line(header), _line(rules), *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    shown = (" ".join(cell.replace("|", "\\|").splitlines()) for cell in cells)
    return f"| {' | '.join(shown)} |"
