"""A manifest's text → its program: a function for each launch, and the symbols at its top."""

from geoaudit.shardcheck.manifest.document import Document, UnreadableError
from geoaudit.shardcheck.manifest.launch_functions import IDIOM, launch_function
from geoaudit.shardcheck.manifest.launch_items import LaunchItem, launch_items
from geoaudit.shardcheck.manifest.symbols import Definitions, assignments, top_definitions
from geoaudit.shardcheck.program.expressions import Number
from geoaudit.shardcheck.program.file_program import FileProgram, NotAnalysed, Remark
from geoaudit.shardcheck.program.statements import Function
from geoaudit.shardcheck.python.remarks import read_remarks

LANGUAGE = "manifest"


def read_manifest_file(path: str, text: str) -> FileProgram:
    """Return what a manifest says.

    Args:
        path: relative to the root of the check, ``/`` between parts.
        text: of the file.

    Returns:
        The program: for each launch of its steps a function named as the segment that lists it. A
        launch that cannot be read is in `not_analysed`.

    Raises:
        UnreadableError: it is no manifest, or launches nothing that can be named.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    document = Document(text)
    document.table(("kernels",))
    symbols = top_definitions(document)
    items = tuple(launch_items(document))
    if not items:
        raise UnreadableError(document.line(("steps",)), "no step of it launches a kernel")
    return _read(path, text, document, symbols, items)


def _read(
    path: str, text: str, document: Document, symbols: Definitions, items: tuple[LaunchItem, ...]
) -> FileProgram:
    functions: dict[Function, Function] = {}
    refused: dict[NotAnalysed, None] = {}
    recognised = set()
    for item in items:
        try:
            function = launch_function(document, symbols, item)
            numbered = launch_function(document, symbols, item, offset=len(functions))
        except UnreadableError as error:
            refused[NotAnalysed(error.line, error.reason)] = None
        else:
            functions.setdefault(function, numbered)
            recognised.add(item.path)
    top = Function(name="", kind="file", body=tuple(assignments(symbols, constant=True)), line=1)
    return _program(
        path,
        (top, *functions.values()),
        tuple(refused),
        textual=len({item.path for item in items}),
        recognised=len(recognised),
        remarks=_remarks(text, symbols),
    )


def _remarks(text: str, symbols: Definitions) -> tuple[Remark, ...]:
    numbers = {one.line for one in symbols.values() if isinstance(one.value, Number)}
    return read_remarks(text.split("\n"), numbers, numbers)


def _program(
    path: str,
    functions: tuple[Function, ...],
    refused: tuple[NotAnalysed, ...],
    *,
    textual: int = 0,
    recognised: int = 0,
    remarks: tuple[Remark, ...] = (),
) -> FileProgram:
    return FileProgram(
        path=path,
        language=LANGUAGE,
        functions=functions or (Function(name="", kind="file", line=1),),
        textual=((IDIOM, textual),) if textual else (),
        recognised=((IDIOM, recognised),) if recognised else (),
        not_analysed=refused,
        remarks=remarks,
    )
