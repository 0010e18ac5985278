from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len

from geoaudit.diagnosis.finding import VerdictName
from geoaudit.ranking.audit import Audit
from geoaudit.render.ascii_text import to_ascii
from geoaudit.render.terminal import render_terminal
from tests.unit.render import builders, rank_builders

AUDITS: dict[str, Callable[[], Audit]] = {
    "token": builders.audit,
    "replayed": builders.replayed_audit,
    "trace": builders.trace_audit,
    "unknown": builders.unknown_audit,
    "empty": builders.empty_audit,
    "distance": builders.distance_audit,
    "uneven": builders.uneven_audit,
    "untimed-starts": builders.untimed_starts_audit,
    "joined": builders.joined_audit,
    "hostile": builders.hostile_audit,
    "ranks": rank_builders.ranks_audit,
    "ranks-many": rank_builders.many_ranks_audit,
    "ranks-differing": rank_builders.differing_ranks_audit,
    "ranks-untold": rank_builders.untold_ranks_audit,
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
    filtered = render_terminal(replace(builders.empty_audit(), filtered_rows=7))
    assert "the filters left none" in filtered


def test_the_waste_is_a_ceiling_with_and_without_communication() -> None:
    text = render_terminal(builders.audit())
    assert "792 µs = 39.6 % of kernel time; without communication 480 µs = 28.8 %" in text
    assert "CEILING" in text


def test_a_fill_below_half_is_marked_and_one_above_is_not() -> None:
    lines = render_terminal(builders.audit()).splitlines()
    assert "9.1 % !" in next(line for line in lines if "kda_decode_step" in line)
    assert "!" not in next(line for line in lines if "attention_merge" in line)


def test_hidden_rows_are_counted() -> None:
    assert "12 more rows (--top 0 shows all)" in render_terminal(builders.audit())
    assert "filters" not in render_terminal(builders.audit())
    filtered = render_terminal(builders.uneven_audit())
    assert "12 more rows (--top 0 shows all); 41 rows left out by filters" in filtered
    one = render_terminal(replace(builders.audit(), hidden_rows=1))
    assert "1 more row " in one
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


def test_tokens_that_differ_show_their_range() -> None:
    text = render_terminal(builders.uneven_audit())
    wall = "34.9 ms per token, mean of 11; 6.66 to 55.0 ms, median 41.4 ms"
    assert f"wall      {wall}\n" in text
    assert "wall      4.18 ms per token\n" in render_terminal(builders.audit())


def test_mostly_gaps_are_said_plainly() -> None:
    text = " ".join(render_terminal(builders.uneven_audit()).split())
    assert "nothing runs 94.1 % of the time: launches come late; a CUDA graph or fewer" in text
    few = replace(builders.totals(), gap_time_per_token_ns=1_600_000.0)
    assert "nothing runs" not in render_terminal(replace(builders.audit(), totals=few))


def test_without_start_times_the_wall_is_unknown_in_words() -> None:
    text = render_terminal(builders.untimed_starts_audit())
    assert "wall      cannot tell (no start times) · kernels 162 µs per token\n" in text
    assert "?, ?" not in text


def test_a_device_of_bare_sm_count_and_the_index_of_several() -> None:
    text = render_terminal(builders.untimed_starts_audit())
    said = "Mystery GPU · 132 SMs (--sms), limits unknown: no waves or resident blocks"
    assert f"device 0  {said}" in text
    assert f"device 1  {said}" in text
    assert "totals are means over these 2 devices" in text


def test_tokens_that_were_told_are_not_called_complete() -> None:
    text = render_terminal(builders.untimed_starts_audit())
    assert "tokens    7 tokens as told; totals divided by 7 · " in text


def test_a_row_that_joins_signatures_says_how_many_more() -> None:
    text = render_terminal(builders.joined_audit())
    assert "12 +2" in text
    assert "+N beside a grid" in " ".join(text.split())
    assert "+N beside a grid" not in " ".join(render_terminal(builders.audit()).split())


def test_limits_that_tie_are_all_named() -> None:
    for wide in (False, True):
        text = render_terminal(builders.joined_audit(), wide=wide)
        assert "registers + shared memory" in text


def test_below_one_wave_there_is_no_tail() -> None:
    wide = render_terminal(builders.audit(), wide=True).splitlines()
    heading = next(line for line in wide if line.startswith("#"))
    end = heading.index("tail") + len("tail")
    tails = [line[end - 4 : end].strip() for line in wide if line[1:2] == " " and line[0].isdigit()]
    # The last is the row of communication, below one wave too.
    assert tails == ["", "", "", "112", ""]


def test_rows_that_add_up_to_more_than_the_total_say_why() -> None:
    concurrent = replace(builders.totals(), wasted_sm_time_per_token_ns=500_000.0)
    text = render_terminal(replace(builders.audit(), totals=concurrent))
    assert "the rows add up to 796 µs: each row blames a launch as if it ran alone" in text
    assert "the rows add up" not in render_terminal(builders.audit())


def test_records_that_are_missing_are_counted() -> None:
    text = " ".join(render_terminal(builders.trace_audit()).split())
    assert "1,691 recorded, 1,440 audited, 5 untimed · dropped: 311 · 311 launch calls" in text


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["healthy", "tail", "starved"], "next: geoaudit explain tail "),
        (["healthy", "inconclusive"], "says what measurement would decide: row 2 first"),
        (["healthy"], "next: geoaudit report -o audit "),
    ],
)
def test_the_next_step_is_the_first_problem(names: list[VerdictName], expected: str) -> None:
    rows = tuple(builders.row(rank, verdict_name=name) for rank, name in enumerate(names, start=1))
    assert expected in render_terminal(replace(builders.audit(), rows=rows))


def test_recorded_ranges_come_before_any_kernel() -> None:
    base = builders.trace_audit()
    rule = "no period; ranges recorded (for --token-range): decode"
    text = render_terminal(replace(base, header=replace(base.header, token_rule=rule)))
    assert "next: geoaudit rank --token-range NAME" in text
    none = replace(base.header, token_rule="figures are per trace; no ranges recorded")
    assert "next: geoaudit explain starved" in render_terminal(replace(base, header=none))


def test_an_unknown_device_comes_before_all() -> None:
    base = builders.trace_audit()
    rule = "no period; ranges recorded (for --token-range): decode"
    unknown = replace(base.header.devices[0], spec=None, usable_sms=None)
    text = render_terminal(
        replace(base, header=replace(base.header, devices=(unknown,), token_rule=rule))
    )
    assert "next: geoaudit rank --device NAME" in text


def test_at_most_ten_levers_are_printed_and_a_ceiling_is_no_saving() -> None:
    base = builders.distance_audit()
    assert base.distance is not None
    gaps = replace(base.distance.steps[0], kernel_short=None)
    account = replace(base.distance, steps=(gaps, *base.distance.steps * 8))
    text = render_terminal(replace(base, distance=account))
    assert "\ngaps: nothing runs " in text
    assert "of the distance" in text
    assert "and 7 more" in text
    assert "A ceiling is not a saving" in text
