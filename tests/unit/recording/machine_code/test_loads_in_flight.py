"""Bytes outstanding, by worked examples and by disassemblies of the suite's own kernels."""

from pathlib import Path

import pytest

from geoaudit.recording.machine_code.control_flow import blocks_of, loops_of
from geoaudit.recording.machine_code.instructions import Instruction, kernels_of
from geoaudit.recording.machine_code.loads_in_flight import (
    LoadsInFlight,
    load_bytes,
    loads_in_flight,
)
from tests.unit.recording.machine_code.assembly import Line, code_of, text_of

FIXTURES = Path(__file__).parents[3] / "fixtures" / "machine_code"


def figures(*lines: Line) -> LoadsInFlight:
    found = loads_in_flight(code_of(lines))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("opcode", "size"),
    [
        ("LDG.E.U8", 1),
        ("LDG.E.S8.CONSTANT", 1),
        ("LDG.E.U16.CONSTANT", 2),
        ("LDG.E", 4),
        ("LDG.E.EF.128", 16),
        ("LDG.E.LTC128B.64", 8),
        ("LDG.E.ENL2.256", 32),
        ("LD.E.64", 8),
        ("LDGSTS.E.BYPASS.128", 16),
        ("LDGSTS.E", 4),
        ("LDS.128", 0),
        ("LDL.64", 0),
        ("LDC.64", 0),
        ("LDGDEPBAR", 0),
        ("STG.E.128", 0),
    ],
)
def test_the_width_of_a_load_is_in_its_suffix(opcode: str, size: int) -> None:
    one = Instruction(opcode=opcode, operands="", is_predicated=False, occupies=7, waits_for=())
    assert load_bytes(one) == size


def test_loads_are_outstanding_until_their_scoreboard_is_awaited() -> None:
    # 16 + 16 on scoreboard 2 and 4 on 3; the wait for 2 leaves 4, and 8 more are 12.
    found = figures(
        ("LDG.E.128 R4, desc[UR6][R2.64]", 2),
        ("LDG.E.128 R8, desc[UR6][R2.64+0x10]", 2),
        ("@P0 LDG.E R12, desc[UR6][R2.64+0x20]", 3),
        ("FADD R4, R4, R8", 7, (2,)),
        ("LDG.E.64 R8, desc[UR6][R2.64]", 2),
        ("EXIT", 7, (2, 3)),
    )
    assert found == LoadsInFlight(peak_bytes=36, main_loop_bytes=None)
    assert found.bytes_per_thread == 36


def test_a_load_by_a_loaded_address_begins_a_batch_of_its_own() -> None:
    found = figures(
        ("LDG.E.64 R2, desc[UR6][R4.64]", 0),
        ("LDG.E.128 R8, desc[UR6][R2.64]", 1, (0,)),
        ("EXIT", 7, (1,)),
    )
    assert found.peak_bytes == 16


def test_the_main_loop_is_the_one_that_loads_most_in_a_run() -> None:
    found = figures(
        ("LDG.E.128 R20, desc[UR6][R2.64]", 0),
        ("LDG.E.128 R24, desc[UR6][R2.64]", 0),
        ("MOV R3, R20", 7, (0,)),
        ".L_x_0:",
        ("LDG.E R4, desc[UR6][R2.64]", 0),
        ("FADD R5, R5, R4", 7, (0,)),
        "@P0 BRA `(.L_x_0)",
        ".L_x_1:",
        ("LDG.E.64 R4, desc[UR6][R2.64]", 0),
        ("LDG.E.64 R6, desc[UR6][R2.64]", 1),
        ("FADD R8, R8, R4", 7, (0,)),
        ("FADD R8, R8, R6", 7, (1,)),
        "@P1 BRA `(.L_x_1)",
        "EXIT",
    )
    assert found == LoadsInFlight(peak_bytes=32, main_loop_bytes=16, loops_bytes=(4, 16))
    assert found.bytes_per_thread == 16


def test_a_load_fetched_ahead_is_outstanding_into_the_next_run() -> None:
    # Awaited at the head of the next run, behind that run's own second load.
    found = figures(
        ".L_x_0:",
        ("LDG.E.64 R6, desc[UR6][R2.64]", 1),
        ("FADD R8, R8, R4", 7, (0,)),
        ("LDG.E.128 R4, desc[UR6][R2.64]", 0),
        ("FADD R8, R8, R6", 7, (1,)),
        "@P1 BRA `(.L_x_0)",
        "EXIT",
    )
    assert found.loops_bytes == (24,)


def test_where_ways_join_the_one_with_more_counts() -> None:
    found = figures(
        "@P0 BRA `(.L_x_0)",
        ("LDG.E.128 R4, desc[UR6][R2.64]", 0),
        "BRA `(.L_x_1)",
        ".L_x_0:",
        ("LDG.E R4, desc[UR6][R2.64]", 0),
        ".L_x_1:",
        ("LDG.E R8, desc[UR6][R2.64]", 1),
        ("EXIT", 7, (0, 1)),
    )
    assert found.peak_bytes == 20


def test_two_stages_of_copies_are_outstanding_in_the_loop_that_waits_for_them() -> None:
    copy = "LDGSTS.E.BYPASS.128 [R9], desc[UR10][R4.64]"
    found = figures(
        copy,
        copy,
        ("LDGDEPBAR", 0),
        ".L_x_0:",
        copy,
        copy,
        ("LDGDEPBAR", 0),
        "DEPBAR.LE SB0, 0x1",
        "@P0 BRA `(.L_x_0)",
        "EXIT",
    )
    assert found == LoadsInFlight(peak_bytes=64, main_loop_bytes=64, loops_bytes=(64,))


def test_a_loop_that_copies_and_does_not_wait_is_counted_once_and_said_so() -> None:
    found = figures(
        ".L_x_0:",
        "LDGSTS.E.BYPASS.128 [R9], desc[UR10][R4.64]",
        "@P0 BRA `(.L_x_0)",
        ("LDGDEPBAR", 0),
        "DEPBAR.LE SB0, 0x0",
        "EXIT",
    )
    assert (found.peak_bytes, found.counts_copies_once) == (16, True)
    assert found.bytes_per_thread is None


@pytest.mark.parametrize(
    "line",
    [
        "UBLKCP [UR4], [UR8], UR6",
        "UTMALDG.2D [UR8], [UR4]",
        "ARRIVES.LDGSTSBAR.64 [R4]",
        "BRX R4 -0x120",
    ],
)
def test_there_is_no_figure_of_what_cannot_be_followed(line: str) -> None:
    assert loads_in_flight(code_of([("LDG.E R4, desc[UR6][R2.64]", 0), line, "EXIT"])) is None


def test_a_kernel_that_loads_nothing_has_no_figure_per_thread() -> None:
    assert figures("STG.E desc[UR6][R2.64], R4", "EXIT").bytes_per_thread is None


def test_a_way_back_that_can_be_entered_elsewhere_is_no_loop() -> None:
    # As the ways of diverged warps, at the end of a kernel: they lead back into the middle.
    code = code_of(
        [
            "BRA.DIV UR4, `(.L_x_1)",
            "SHFL.BFLY PT, R4, R5, 0x1, 0x1f",
            ".L_x_0:",
            "FADD R4, R4, R5",
            "EXIT",
            ".L_x_1:",
            "WARPSYNC.COLLECTIVE R6, `(.L_x_2)",
            ".L_x_2:",
            "BRA `(.L_x_0)",
        ]
    )
    blocks = blocks_of(code)
    assert [block.successors for block in blocks] == [(1, 3), (2,), (), (4,), (2,)]
    assert loops_of(blocks) == ()


def test_threads_that_meet_go_on_where_their_barrier_says() -> None:
    code = code_of(
        [
            "BSSY B0, `(.L_x_1)",
            "@P0 BRA `(.L_x_0)",
            "BSYNC B0",
            ".L_x_0:",
            "NOP",
            "BSYNC B0",
            ".L_x_1:",
            "EXIT",
        ]
    )
    assert [block.successors for block in blocks_of(code)] == [(1, 2), (3,), (3,), ()]


def test_kernels_of_a_text_are_told_apart() -> None:
    both = "\n".join([text_of(["EXIT"], "one"), text_of(["NOP", "EXIT"], "_Z3twoPf")])
    assert {name: len(code.instructions) for name, code in kernels_of(both).items()} == {
        "one": 1,
        "_Z3twoPf": 2,
    }
    assert kernels_of("") == {}


@pytest.mark.parametrize(
    ("file", "kernel", "expected"),
    [
        # 64: the sum, unrolled 16 times; 8: the loop that applies, an element and its weight.
        ("rms_norm", "rms_norm", (64, 64, (4, 64, 8))),
        ("elementwise", "residual_add", (8, None, ())),
        # The token's number, awaited before 2 bytes of its row are fetched.
        ("elementwise", "embedding_lookup", (4, None, ())),
    ],
)
def test_kernels_of_the_suite(
    file: str, kernel: str, expected: tuple[int, int | None, tuple[int, ...]]
) -> None:
    code = kernels_of((FIXTURES / f"{file}.txt").read_text())[kernel]
    peak, main, loops = expected
    assert loads_in_flight(code) == LoadsInFlight(
        peak_bytes=peak, main_loop_bytes=main, loops_bytes=loops
    )
