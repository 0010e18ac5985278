"""What a file of machine code is, by how it begins."""

import re

from geoaudit.manifest.model import Code, CodeKind

HEAD_BYTES = 1 << 16
"""Bytes of a file that tell what it is: a PTX file may begin with comments."""

_ELF = b"\x7fELF"
_ELF_MACHINE = slice(18, 20)  # e_machine of the ELF header
_CUDA_MACHINE = (190).to_bytes(2, "little")  # EM_CUDA
_FATBIN = (0xBA55ED50).to_bytes(4, "little")  # fatBinary.h of the CUDA toolkit
_PTX_VERSION = re.compile(rb"^\s*\.version\s", re.MULTILINE)


def check_content(code: Code, head: bytes) -> None:
    """Accept a ready binary that begins as its kind does; a source may be any text.

    Args:
        code: of a kernel.
        head: the first HEAD_BYTES of its file.

    Raises:
        ManifestError: it is something else.
    """
    if code.kind == "source" or _kind(head) == code.kind:
        return
    raise code.location.error(f"{code.file} is {_described(head)}, no {code.kind}; {_advice(head)}")


def _kind(head: bytes) -> CodeKind | None:
    if head.startswith(_ELF):
        return "cubin" if head[_ELF_MACHINE] == _CUDA_MACHINE else None
    if head.startswith(_FATBIN):
        return "fatbin"
    return "ptx" if _PTX_VERSION.search(head) else None


def _described(head: bytes) -> str:
    kind = _kind(head)
    if kind is not None:
        return f"a {kind}"
    if not head:
        return "empty"
    return "a program of the host" if head.startswith(_ELF) else "something else"


def _advice(head: bytes) -> str:
    kind = _kind(head)
    return f'write {kind} = "..."' if kind else "build it again, or give CUDA C++ as source"
