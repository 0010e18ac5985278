from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len

from geoaudit.ranking.audit import Audit
from geoaudit.render.ascii_text import to_ascii
from geoaudit.render.terminal import render_terminal
from tests.unit.render import builders

AUDITS: dict[str, Callable[[], Audit]] = {
    "token": builders.audit,
    "replayed": builders.replayed_audit,
    "trace": builders.trace_audit,
    "unknown": builders.unknown_audit,
    "empty": builders.empty_audit,
    "distance": builders.distance_audit,
    "hostile": builders.hostile_audit,
}


@pytest.mark.parametrize("name", [name for name in AUDITS if name != "hostile"])
@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    for line in render_terminal(AUDITS[name](), width=width).splitlines():
        assert cell_len(line) <= width


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("build", AUDITS.values(), ids=AUDITS)
def test_nothing_acts_on_the_terminal(build: Callable[[], Audit], wide: bool) -> None:
    text = render_terminal(build(), wide=wide)
    assert text.endswith("\n")
    acting = {character for character in text if not character.isprintable()}
    assert acting <= {"\n"}


def test_markup_in_a_name_is_shown_and_not_interpreted() -> None:
    text = render_terminal(builders.hostile_audit(), width=200)
    assert "[red]x[/red]" in text
    assert ":smile:" in text


def test_colour_only_where_asked_for() -> None:
    assert "\x1b[" in render_terminal(builders.audit(), color=True)
    assert "\x1b" not in render_terminal(builders.audit())


def test_the_first_line_of_a_replay_says_so() -> None:
    first = render_terminal(builders.replayed_audit()).splitlines()[0]
    assert first.startswith("REPLAY")
    assert "NVIDIA H200" in first
    assert "2026-11-29" in first


def test_without_tokens_nothing_is_said_to_be_per_token() -> None:
    text = render_terminal(builders.trace_audit(), wide=True)
    assert "per trace" in text
    assert "per token" not in text
    assert "/token" not in text


def test_a_cut_source_and_lost_records_are_shown() -> None:
    text = render_terminal(builders.trace_audit())
    assert "PARTIAL" in text
    assert "dropped: 311" in text
    assert "the profile says 114 SMs, the device table 132" in text
    assert "31.0 % of the kernel time has an unknown grid" in text


def test_what_is_unknown_is_not_zero() -> None:
    text = render_terminal(builders.unknown_audit(), wide=True)
    audited = text.partition("wall ")[2]
    assert "cannot tell" in audited
    assert not {"0", "0 ns", "0 %", "None", "nan"} & set(audited.split("  "))


def test_dropped_records_that_cannot_be_told_are_not_zero() -> None:
    assert "dropped: cannot tell" in render_terminal(builders.audit())


def test_an_empty_table_is_no_clean_bill() -> None:
    text = render_terminal(builders.empty_audit())
    assert "no clean bill" in text
    filtered = render_terminal(replace(builders.empty_audit(), hidden_rows=7))
    assert "the filters left none" in filtered


def test_the_waste_is_a_ceiling_with_and_without_communication() -> None:
    text = render_terminal(builders.audit())
    assert "792 µs = 39.6 % of kernel time; without communication 480 µs = 24.0 %" in text
    assert "CEILING" in text


def test_a_fill_below_half_is_marked_and_one_above_is_not() -> None:
    lines = render_terminal(builders.audit()).splitlines()
    assert "9.1 % !" in next(line for line in lines if "kda_decode_step" in line)
    assert "!" not in next(line for line in lines if "attention_merge" in line)


def test_hidden_rows_are_counted() -> None:
    assert "12 more rows" in render_terminal(builders.audit())
    one = render_terminal(replace(builders.audit(), hidden_rows=1))
    assert "1 more row," in one
    assert "more row" not in render_terminal(replace(builders.audit(), hidden_rows=0))


def test_wide_shows_whole_names_and_narrow_elides_them() -> None:
    whole = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_64x64_64x6_tn>"
    assert whole in render_terminal(builders.audit(), wide=True)
    assert whole not in render_terminal(builders.audit())


def test_communication_stands_under_the_table() -> None:
    text = render_terminal(builders.audit())
    assert text.index("ncclDevKernel") > text.index("attention_merge")


def test_a_reached_target_is_said() -> None:
    account = builders.distance_audit().distance
    assert account is not None
    reached = replace(account, distance_ns=-10.0, steps=())
    text = render_terminal(replace(builders.audit(), distance=reached))
    assert "the target is reached" in text


def test_an_ascii_terminal_gets_ascii() -> None:
    text = to_ascii(render_terminal(builders.audit()))
    assert text.isascii()
    assert text.count("?") == render_terminal(builders.audit()).count("?")
