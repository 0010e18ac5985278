"""Disassemblies written by hand, in the form of ``nvdisasm -c -hex``."""

from collections.abc import Sequence

from geoaudit.recording.machine_code.instructions import Code, kernels_of

Line = str | tuple[str, int] | tuple[str, int, Sequence[int]]


def text_of(lines: Sequence[Line], name: str = "kernel") -> str:
    """A kernel: labels, and instructions with the scoreboard they occupy and those they await."""
    out = [f"//--- .text.{name} ---", f'\t.section\t.text.{name},"ax"', f".text.{name}:"]
    for place, line in enumerate(lines):
        if isinstance(line, str) and line.endswith(":"):
            out.append(line)
            continue
        words, occupies, awaited = _parts(line)
        upper = occupies << 46 | sum(1 << 52 + board for board in awaited)
        out.append(f"        /*{place * 16:04x}*/  {words} ;   /* 0x{0:016x} */")
        out.append(f"                                   /* 0x{upper:016x} */")
    return "\n".join(out)


def code_of(lines: Sequence[Line]) -> Code:
    """The kernel that a disassembly by hand holds."""
    return kernels_of(text_of(lines))["kernel"]


def _parts(line: Line) -> tuple[str, int, Sequence[int]]:
    if isinstance(line, str):
        return line, 7, ()
    return (*line, ()) if len(line) == 2 else line
