"""Basic blocks and loops of a kernel's machine code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from geoaudit.recording.machine_code.instructions import Code, Instruction

_BRANCHES = {"BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU"}
_ENDS = {"EXIT", "RET", "KILL", "BPT"}
# Predicates of the thread or of the warp among a branch's operands.
_CONDITION = re.compile(r"!?U?P\d")


@dataclass(frozen=True, kw_only=True)
class Block:
    """Instructions that run one after the other.

    Attributes:
        instructions: at least one.
        successors: indices of the blocks that may follow. A call is followed by what is behind it.
    """

    instructions: tuple[Instruction, ...]
    successors: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Loop:
    """A natural loop: one entry, and a way back to it.

    Attributes:
        head: index of the block it is entered by.
        body: indices of all its blocks, those of loops inside it too.
    """

    head: int
    body: frozenset[int]


def blocks_of(code: Code) -> tuple[Block, ...]:
    """The basic blocks of a kernel, in order of address; the first is where it begins."""
    instructions, count = code.instructions, len(code.instructions)
    behind = {place + 1 for place, one in enumerate(instructions) if _leaves(one)}
    starts = sorted(({0} | behind | set(code.labels.values())) - {count})
    at = {start: index for index, start in enumerate(starts)}
    labelled = {label: at[start] for label, start in code.labels.items() if start in at}
    joins = _joins(instructions)
    blocks = []
    for index, (start, stop) in enumerate(zip(starts, [*starts[1:], count], strict=True)):
        last = instructions[stop - 1]
        targets = _targets(last, joins.get(stop - 1))
        after = [index + 1] if stop < count and _falls_through(last, targets) else []
        known = [labelled[label] for label in targets if label in labelled]
        blocks.append(
            Block(
                instructions=instructions[start:stop],
                successors=tuple(dict.fromkeys([*after, *known])),
            )
        )
    return tuple(blocks)


def loops_of(blocks: Sequence[Block]) -> tuple[Loop, ...]:
    """The natural loops that can be reached, in order of their heads.

    Loops that share a head are one.
    """
    dominators = _dominators(blocks)
    before = _predecessors(blocks)
    bodies: dict[int, set[int]] = {}
    for index, block in enumerate(blocks):
        for head in block.successors:
            if dominators[index] >> head & 1:
                bodies.setdefault(head, {head}).update(_reaching(index, head, before))
    return tuple(Loop(head=head, body=frozenset(body)) for head, body in sorted(bodies.items()))


def _leaves(one: Instruction) -> bool:
    return one.name in _BRANCHES or one.name in _ENDS or one.name == "BSYNC"


def _joins(instructions: Sequence[Instruction]) -> dict[int, str]:
    """Index of each BSYNC -> the label that the latest BSSY of its barrier names."""
    open_at: dict[str, str] = {}
    joins = {}
    for place, one in enumerate(instructions):
        barrier = one.operands.partition(",")[0].strip()
        if one.name == "BSSY" and one.targets:
            open_at[barrier] = one.targets[-1]
        elif one.name == "BSYNC" and barrier in open_at:
            joins[place] = open_at[barrier]
    return joins


def _targets(last: Instruction, join: str | None) -> tuple[str, ...]:
    if last.name == "BSYNC":
        return () if join is None else (join,)
    return last.targets if last.name in _BRANCHES else ()


def _falls_through(last: Instruction, targets: Sequence[str]) -> bool:
    if last.is_predicated or not _leaves(last):
        return True
    if last.name == "BSYNC":
        return not targets
    # BRA.U and BRA with a predicate among its operands, or only for threads apart: BRA.DIV.
    is_conditional = _CONDITION.match(last.operands) or ".DIV" in last.opcode
    return last.name in _BRANCHES and bool(is_conditional)


def _predecessors(blocks: Sequence[Block]) -> list[list[int]]:
    before: list[list[int]] = [[] for _ in blocks]
    for index, block in enumerate(blocks):
        for successor in block.successors:
            before[successor].append(index)
    return before


def _dominators(blocks: Sequence[Block]) -> list[int]:
    """Of each block, a bit for each that every way to it passes; 0: it cannot be reached.

    Iterated to a fixed point (Allen and Cocke).
    """
    before = _predecessors(blocks)
    everything = (1 << len(blocks)) - 1
    reached = set(_reachable(blocks))
    found = [1 if index == 0 else everything * (index in reached) for index in range(len(blocks))]
    changed = True
    while changed:
        changed = False
        for index in sorted(reached - {0}):
            common = everything
            for other in before[index]:
                if other in reached:
                    common &= found[other]
            common |= 1 << index
            changed |= common != found[index]
            found[index] = common
    return found


def _reachable(blocks: Sequence[Block]) -> Iterator[int]:
    seen, waiting = {0}, [0]
    while waiting:
        index = waiting.pop()
        yield index
        new = set(blocks[index].successors) - seen
        seen |= new
        waiting += new


def _reaching(last: int, head: int, before: Sequence[Sequence[int]]) -> set[int]:
    """Blocks from which a loop's last block is reached without passing its head."""
    seen, waiting = {last}, [last]
    while waiting:
        index = waiting.pop()
        if index == head:
            continue
        new = set(before[index]) - seen
        seen |= new
        waiting += new
    return seen
