"""Bytes of global loads that a thread has outstanding before it must wait, from machine code.

What is counted: loads from global memory to registers (LDG; LD, whose address may be of any kind,
too) by their width, and copies from global to shared memory (LDGSTS, ``cp.async``). A load is
outstanding until an instruction waits for the scoreboard it occupies, a copy until a ``DEPBAR``
waits for the group that ``LDGDEPBAR`` closed behind it. So a load whose address comes from another
load begins a new batch: the wait for that address ends the batch before. The unrolling is the
compiler's: a loop counts what is outstanding when its body runs over and over, however often.

What makes the figure an upper bound: predicated loads count, as do two of which a thread takes one;
where ways join, the way that brings most counts; a scoreboard is taken to hold its loads until
something waits for it, though they may have arrived; and lines that threads share count for each.

What is not counted: loads of local, shared and constant memory, atomics, and loads of functions
that are called and not inlined. There is no figure of a kernel that copies in bulk (UBLKCP,
UTMALDG: the tensor memory accelerator), as one thread does for its block; whose copies arrive at a
barrier in shared memory (ARRIVES: ``cuda::pipeline``); or that jumps to where nvdisasm cannot tell.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from geoaudit.recording.machine_code.control_flow import Block, Loop, blocks_of, loops_of
from geoaudit.recording.machine_code.instructions import NO_SCOREBOARD, Code, Instruction

_WIDTH_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}
_WORD_BYTES = 4
_LOADS = {"LDG", "LD"}
_COPY = "LDGSTS"
_NOT_FOLLOWED = {"UBLKCP", "UTMALDG", "ARRIVES"}
_JUMPS = {"BRX", "BRXU", "JMX", "JMXU"}
_GROUPS_LEFT = re.compile(r"SB(\d),\s*(0x[0-9a-f]+)")
# Copies that no LDGDEPBAR has closed into a group yet.
_OPEN = -1
# Runs of a loop until what is outstanding repeats: the stages of a pipeline and one more.
_MOST_PASSES = 16

# Scoreboard -> bytes of what occupies it, oldest first.
State = dict[int, tuple[int, ...]]


@dataclass(frozen=True, kw_only=True)
class LoadsInFlight:
    """Bytes of global loads a thread of a kernel has outstanding.

    Attributes:
        peak_bytes: the most at any point of the kernel.
        main_loop_bytes: the most in the loop that loads the most bytes in a run, see
            `loads_in_flight`: the loop that is taken to take the time. None: no loop loads.
        loops_bytes: the most in each loop that loads, in order of address.
        counts_copies_once: a loop issues copies and does not wait for them. How often it runs is
            not in the code, and it is counted once: the figures are the least that can be.
    """

    peak_bytes: int
    main_loop_bytes: int | None
    loops_bytes: tuple[int, ...] = ()
    counts_copies_once: bool = False

    @property
    def bytes_per_thread(self) -> int | None:
        """Of the main loop, or of the kernel where no loop loads; None: cannot tell, or no load."""
        if self.counts_copies_once or not self.peak_bytes:
            return None
        return self.peak_bytes if self.main_loop_bytes is None else self.main_loop_bytes


def loads_in_flight(code: Code) -> LoadsInFlight | None:
    """What a thread of a kernel has outstanding.

    A load belongs to the innermost loop it is in; a copy to the innermost one that waits for
    copies, so that the loop of a pipeline has what the loops inside it fetch ahead.

    Returns:
        None: cannot tell, see the module's text.
    """
    if any(map(_is_beyond, code.instructions)):
        return None
    blocks = blocks_of(code)
    loops = loops_of(blocks)
    loaded = _loaded_in(loops, blocks)
    loading = [loop for loop in loops if loop in loaded]
    found = {loop: _most_outstanding(blocks, loops, loop.body, loop.head) for loop in loading}
    main = max(loading, key=lambda loop: loaded[loop], default=None)
    return LoadsInFlight(
        peak_bytes=_most_outstanding(blocks, loops, frozenset(range(len(blocks))), 0),
        main_loop_bytes=None if main is None else found[main],
        loops_bytes=tuple(found[loop] for loop in loading),
        counts_copies_once=any(
            not _waits(loop, blocks) and any(_copied(blocks[index]) for index in loop.body)
            for loop in loops
        ),
    )


def load_bytes(one: Instruction) -> int:
    """Bytes that a thread loads from global memory by an instruction; 0: it is no such load.

    Example:
        >>> from geoaudit.recording.machine_code.instructions import Instruction
        >>> load_bytes(
        ...     Instruction(
        ...         opcode="LDG.E.128.CONSTANT",
        ...         operands="R4, desc[UR6][R2.64]",
        ...         is_predicated=False,
        ...         occupies=2,
        ...         waits_for=(),
        ...     )
        ... )
        16
    """
    if one.name not in _LOADS and one.name != _COPY:
        return 0
    widths = (_WIDTH_BYTES[suffix] for suffix in one.opcode.split(".") if suffix in _WIDTH_BYTES)
    return next(widths, _WORD_BYTES)


def _is_beyond(one: Instruction) -> bool:
    """Whether nothing can be told of a kernel with this instruction."""
    return one.name in _NOT_FOLLOWED or (one.name in _JUMPS and not one.targets)


def _loaded_in(loops: Sequence[Loop], blocks: Sequence[Block]) -> dict[Loop, int]:
    """Loop -> bytes of the loads and copies that belong to it."""
    found: dict[Loop, int] = {}
    inner_first = sorted(loops, key=lambda loop: len(loop.body))
    waiting = [loop for loop in inner_first if _waits(loop, blocks)]
    for index, block in enumerate(blocks):
        copied = _copied(block)
        loaded = sum(map(load_bytes, block.instructions)) - copied
        for size, candidates in ((loaded, inner_first), (copied, waiting)):
            home = next((loop for loop in candidates if index in loop.body), None)
            if size and home is not None:
                found[home] = found.get(home, 0) + size
    return found


def _copied(block: Block) -> int:
    return sum(load_bytes(one) for one in block.instructions if one.name == _COPY)


def _waits(loop: Loop, blocks: Sequence[Block]) -> bool:
    """Whether a loop waits for copies."""
    return any(one.name == "DEPBAR" for index in loop.body for one in blocks[index].instructions)


def _most_outstanding(
    blocks: Sequence[Block], loops: Sequence[Loop], inside: frozenset[int], first: int
) -> int:
    """The most bytes outstanding in some of the blocks, entered at one with nothing outstanding."""
    back = {(index, loop.head) for loop in loops for index in loop.body}
    entering: dict[int, State] = {first: {}}
    most = 0
    for _ in range(_MOST_PASSES):
        before = dict(entering)
        for index in sorted(inside):
            if index not in entering:
                continue
            state, reached = _after(blocks[index], entering[index])
            most = max(most, reached)
            for successor in inside.intersection(blocks[index].successors):
                carried = state
                if (index, successor) in back:
                    carried = {board: sizes for board, sizes in state.items() if board != _OPEN}
                entering[successor] = _joined(entering.get(successor, {}), carried)
        if entering == before:
            break
    return most


def _joined(one: State, other: State) -> State:
    """Where two ways meet: of each scoreboard, what the way with more bytes on it brings."""
    boards = {*one, *other}
    return {board: max(one.get(board, ()), other.get(board, ()), key=sum) for board in boards}


def _after(block: Block, entering: State) -> tuple[State, int]:
    """What is outstanding behind a block, and the most that is within it, bytes."""
    state = dict(entering)
    most = _outstanding(state)
    for one in block.instructions:
        for board in one.waits_for:
            state.pop(board, None)
        _issue(one, state)
        most = max(most, _outstanding(state))
    return state, most


def _outstanding(state: State) -> int:
    return sum(sum(sizes) for sizes in state.values())


def _issue(one: Instruction, state: State) -> None:
    size = load_bytes(one)
    if one.name == "DEPBAR":
        _wait_for_groups(one, state)
    elif one.name == "LDGDEPBAR":
        group = sum(state.pop(_OPEN, ()))
        state[one.occupies] = (*state.get(one.occupies, ()), group)
    elif one.name == _COPY:
        state[_OPEN] = (*state.get(_OPEN, ()), size)
    elif size and one.occupies != NO_SCOREBOARD:
        state[one.occupies] = (*state.get(one.occupies, ()), size)


def _wait_for_groups(one: Instruction, state: State) -> None:
    """``DEPBAR.LE SB0, 0x1`` leaves one: the latest."""
    found = _GROUPS_LEFT.search(one.operands)
    if found is None:
        return
    board, left = int(found[1]), int(found[2], 16)
    state[board] = state.get(board, ())[-left:] if left else ()
