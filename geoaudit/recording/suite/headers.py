"""What a source includes: CuPy's cache knows of the source alone."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def headers_of(source: Path) -> tuple[Path, ...]:
    """The files that a source includes by quoted names, and those they include.

    They are looked for beside the file that includes them and beside the source; others, the
    toolkit's for one, are left out.

    Args:
        source: a readable CUDA C++ file.
    """
    return tuple(_headers(source, source.parent, set()))


def header_digest(source: Path) -> str | None:
    """A digest of `headers_of` a source.

    Given to the compiler as a macro, it makes a changed header a cause to compile anew.

    Args:
        source: a readable CUDA C++ file.

    Returns:
        16 hexadecimal digits; None where it includes none.
    """
    headers = headers_of(source)
    if not headers:
        return None
    digest = hashlib.blake2b(digest_size=8)
    for header in headers:
        content = header.read_bytes()
        digest.update(f"{header.name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _headers(file: Path, folder: Path, seen: set[Path]) -> Iterator[Path]:
    for name in _INCLUDE.findall(file.read_text(encoding="utf-8", errors="replace")):
        for place in (file.parent / name, folder / name):
            header = place.resolve()
            if header.is_file() and header not in seen:
                seen.add(header)
                yield header
                yield from _headers(header, folder, seen)
                break
