"""Kernels and their instructions, out of the text of ``nvdisasm -c -hex``.

What an instruction waits for is in its encoding. From compute capability 7.0 on it has 128 bits,
of which bits 110 to 112 name the scoreboard that it occupies until its result is there, and bits
116 to 121 the scoreboards it waits for; 7 is none (Jia et al., "Dissecting the NVIDIA Volta GPU
Architecture via Microbenchmarking", 2018, section 2.1; 9.0 measured to have the same layout).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

NO_SCOREBOARD = 7
_SCOREBOARDS = 6

_KERNEL = re.compile(r"\.text\.(\S+):$")
_LABEL = re.compile(r"(\S+):$")
_INSTRUCTION = re.compile(
    r"/\*[0-9a-f]{4,}\*/\s+(?P<predicate>@!?U?P\w+\s+)?(?P<opcode>[A-Z][\w.]*)"
    r"\s*(?P<operands>[^;]*?)\s*;\s*/\* 0x[0-9a-f]{16} \*/"
)
_UPPER_HALF = re.compile(r"/\* 0x([0-9a-f]{16}) \*/$")
_TARGET = re.compile(r"\.L_\w+")


@dataclass(frozen=True, kw_only=True)
class Instruction:
    """One instruction.

    Attributes:
        opcode: with its suffixes, such as ``LDG.E.128``.
        operands: as printed.
        is_predicated: whether some threads may pass it over.
        occupies: the scoreboard that its result is awaited on, 0 to 5; `NO_SCOREBOARD`: none.
        waits_for: the scoreboards that must be empty before it is issued.
    """

    opcode: str
    operands: str
    is_predicated: bool
    occupies: int
    waits_for: tuple[int, ...]

    @property
    def name(self) -> str:
        """The opcode without its suffixes."""
        return self.opcode.partition(".")[0]

    @property
    def targets(self) -> tuple[str, ...]:
        """Labels among its operands."""
        return tuple(_TARGET.findall(self.operands))


@dataclass(frozen=True, kw_only=True)
class Code:
    """A kernel's instructions.

    Attributes:
        instructions: in the order of their addresses, of its own device functions too.
        labels: label -> index of the instruction it stands before.
    """

    instructions: tuple[Instruction, ...]
    labels: dict[str, int]


def kernels_of(text: str) -> dict[str, Code]:
    """The kernels of a disassembly, by the names they have in their module.

    Args:
        text: of ``nvdisasm -c -hex``.

    Returns:
        Empty where the text holds none, or is of a compute capability below 7.0.
    """
    return {name: code for name, code in _kernels(text) if code.instructions}


def _kernels(text: str) -> Iterator[tuple[str, Code]]:
    name, lines = "", list[str]()
    for line in text.splitlines():
        stripped = line.strip()
        found = _KERNEL.match(stripped)
        if found or stripped.startswith((".section", "//---")):
            if name:
                yield name, _code(lines)
            name, lines = (found[1] if found else ""), []
        elif name:
            lines.append(stripped)
    if name:
        yield name, _code(lines)


def _code(lines: list[str]) -> Code:
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        found, upper = _INSTRUCTION.match(line), _UPPER_HALF.match(following)
        if found and upper:
            instructions.append(_instruction(found, int(upper[1], 16)))
        elif label := _LABEL.match(line):
            labels[label[1]] = len(instructions)
    return Code(instructions=tuple(instructions), labels=labels)


def _instruction(found: re.Match[str], upper_half: int) -> Instruction:
    awaited = upper_half >> (116 - 64)
    return Instruction(
        opcode=found["opcode"],
        operands=found["operands"],
        is_predicated=bool(found["predicate"]),
        occupies=upper_half >> (110 - 64) & 7,
        waits_for=tuple(place for place in range(_SCOREBOARDS) if awaited >> place & 1),
    )
