"""A file's content made a program, as MessagePack: what a worker process does."""

from dataclasses import dataclass

import msgspec

from geoaudit.shardcheck.discovery.content import decoded
from geoaudit.shardcheck.manifest.document import UnreadableError
from geoaudit.shardcheck.manifest.recognising import MANIFEST_END
from geoaudit.shardcheck.program.file_program import FileProgram, NotAnalysed

WHOLE_FILE = 0
"""The line of what is said of a whole file."""


@dataclass(frozen=True, kw_only=True)
class ParsedFile:
    """A program as MessagePack, or why there is none."""

    encoded: bytes = b""
    refused: str | None = None


def parse_content(path: str, content: bytes) -> ParsedFile:
    """The program of a file.

    Args:
        path: relative to the root of the check; its end tells the language.
        content: of the file.
    """
    text, wrong_line = decoded(content)
    try:
        program = _front_end(path, text)
        if wrong_line is not None:
            said = NotAnalysed(wrong_line, "not UTF-8: bytes were replaced from here on")
            program = msgspec.structs.replace(program, not_analysed=(*program.not_analysed, said))
        return ParsedFile(encoded=msgspec.msgpack.encode(program))
    except UnreadableError as error:
        return ParsedFile(refused=f"line {error.line}: {error.reason}")
    except RecursionError:
        return ParsedFile(refused="nested too deeply")
    except MemoryError:
        return ParsedFile(refused="its analysis needs more memory than there is")


def decode_program(encoded: bytes) -> FileProgram:
    """The program that was encoded.

    Raises:
        msgspec.DecodeError: it is none.
    """
    return _DECODER.decode(encoded)


_DECODER = msgspec.msgpack.Decoder(FileProgram)


def _front_end(path: str, text: str) -> FileProgram:
    # Each front end is loaded in the processes that need it.
    if path.endswith(".py"):
        from geoaudit.shardcheck.python.file_program import read_python_file

        return read_python_file(path, text)
    if path.endswith(MANIFEST_END):
        from geoaudit.shardcheck.manifest.file_program import read_manifest_file

        return read_manifest_file(path, text)
    from geoaudit.shardcheck.c_family.reading import read_c_file

    return read_c_file(path, text)
