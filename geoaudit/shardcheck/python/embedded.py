"""CUDA text in Python strings → programs of their own."""

from collections.abc import Iterable

from geoaudit.shardcheck.c_family.reading import read_c_file
from geoaudit.shardcheck.program.file_program import FileProgram


def read_embedded(path: str, sources: Iterable[tuple[int, str]]) -> tuple[FileProgram, ...]:
    """Return the programs of strings that hold a CUDA kernel.

    Args:
        path: of the Python file.
        sources: first line and text of each string that mentions ``__global__``.
    """
    return tuple(read_c_file(path, text, first_line=line) for line, text in sources if "{" in text)
