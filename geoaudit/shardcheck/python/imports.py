"""Imports, with relative modules resolved by the file's own path."""

import ast

from geoaudit.shardcheck.program.file_program import Import


def read_imports(node: ast.Import | ast.ImportFrom, path: str) -> list[Import]:
    """Return what an import binds. ``import a.b`` binds ``a``; a star import binds ``*``.

    >>> node = ast.parse("from ..ops import run as r").body[0]
    >>> read_imports(node, "engine/layers/linear.py")
    [Import(local='r', module='engine.ops', name='run')]
    """
    if isinstance(node, ast.Import):
        return [
            Import(item.asname, item.name)
            if item.asname
            else Import(item.name.partition(".")[0], item.name.partition(".")[0])
            for item in node.names
        ]
    module = _absolute(node.module or "", node.level, path)
    return [Import(item.asname or item.name, module, item.name) for item in node.names]


def _absolute(module: str, level: int, path: str) -> str:
    if level == 0:
        return module
    folders = path.split("/")[:-1]
    package = folders[: len(folders) - (level - 1)]
    return ".".join([*package, *([module] if module else [])])
