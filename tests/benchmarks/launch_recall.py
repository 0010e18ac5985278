"""Recall and speed of the C-family front end over whole repositories.

Run: python -m tests.benchmarks.launch_recall FOLDER…

For each folder: launches recognised of those that a text search finds, by idiom; megabytes per
second of processor time beside those of one raw parse; the slowest file; what was not analysed.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from geoaudit.shardcheck.c_family.reading import read_c_file
from geoaudit.shardcheck.c_family.syntax import parse

SUFFIXES = {".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc", ".hip"}


def sources(folder: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every C-family file."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink():
            yield str(path.relative_to(folder)), path.read_text("utf-8", "replace")


def measure(folder: Path) -> None:
    """Prints the figures of a repository."""
    textual: Counter[str] = Counter()
    recognised: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    size, spent, raw, slowest = 0, 0.0, 0.0, (0.0, "")
    for path, text in sources(folder):
        begin = time.process_time()
        program = read_c_file(path, text)
        middle = time.process_time()
        parse(text.encode("utf-8", "replace"))
        raw += time.process_time() - middle
        spent += middle - begin
        size += len(text)
        slowest = max(slowest, (middle - begin, path))
        textual.update(dict(program.textual))
        recognised.update(dict(program.recognised))
        reasons.update(note.reason for note in program.not_analysed)
    print(f"{folder.name}: {size / 1e6:.1f} MB in {spent:.1f} s, one raw parse {raw:.1f} s")
    print(f"  slowest {slowest[0]:.1f} s {slowest[1]}")
    for idiom, count in sorted(textual.items()):
        print(f"  {idiom}: {recognised[idiom]} of {count} ({recognised[idiom] / count:.1%})")
    for reason, count in reasons.most_common():
        print(f"  not analysed: {count} × {reason}")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        measure(Path(argument))
