from collections.abc import Callable
from dataclasses import replace

import pytest

from geoaudit.ranking.audit import Audit
from geoaudit.render.markdown import render_markdown
from tests.unit.render import builders
from tests.unit.render.test_terminal import AUDITS

JOB_SUMMARY_BYTES = 1024 * 1024


@pytest.mark.parametrize("build", AUDITS.values(), ids=AUDITS)
def test_every_table_row_has_the_cells_of_its_heading(build: Callable[[], Audit]) -> None:
    text = render_markdown(build(), top=0)
    for table in text.split("\n\n"):
        rows = [line for line in table.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in rows}) <= 1


def test_the_summary_fits_whatever_the_names() -> None:
    base = builders.hostile_audit()
    name = "核`|" * 2000
    row = replace(base.rows[0], kernel=name, kernel_short=name)
    finding = replace(base.recording_findings[0], message=name)
    distance = base.distance
    assert distance is not None
    steps = tuple(replace(distance.steps[0], kernel_short=name) for _ in range(3000))
    worst = replace(
        base,
        header=replace(base.header, warnings=(name,) * 3000),
        rows=(row,) * 3000,
        communication_rows=(row,) * 3000,
        recording_findings=(finding,) * 3000,
        distance=replace(distance, steps=steps),
    )
    text = render_markdown(worst, top=0)
    assert len(text.encode()) < JOB_SUMMARY_BYTES
    assert "2,800 more ranked rows" in text


def test_no_markup_of_a_name_survives() -> None:
    text = render_markdown(builders.hostile_audit(), top=0)
    outside_code = "".join(text.split("`")[::2])
    assert "<script" not in outside_code
    assert "<!--" not in outside_code
    assert "@someone" not in outside_code
    assert all(character.isprintable() or character == "\n" for character in text)


def test_top_cuts_and_counts() -> None:
    text = render_markdown(builders.audit(), top=1)
    assert "kda_decode_step" in text
    assert "rms_norm_kernel" not in text
    assert "3 more ranked rows" in text


def test_the_headline() -> None:
    text = render_markdown(builders.replayed_audit())
    assert text.startswith("## Launch geometry per token\n\n**REPLAY")
    assert "CEILING" in text
    assert "**9.1 %**" in text
    assert "GA905" in text


def test_an_empty_audit_is_no_clean_bill() -> None:
    assert "no clean bill" in render_markdown(builders.empty_audit())


def test_a_cut_source_is_said() -> None:
    assert "**PARTIAL" in render_markdown(builders.trace_audit())


def test_the_totals_say_range_gaps_and_what_is_left_out() -> None:
    text = render_markdown(builders.uneven_audit())
    assert "mean of 11; 6.66 to 55.0 ms, median 41.4 ms: kernels 2.00 ms" in text
    assert "- **Gaps**: nothing runs 94.1 % of the time" in text
    assert "12 more rows (--top 0 shows all); 41 rows left out by filters" in text
    untimed = render_markdown(builders.untimed_starts_audit())
    assert "- **Wall** cannot tell (no start times) · kernels 162 µs per token\n" in untimed


def test_no_tail_below_one_wave_and_all_limits_that_tie() -> None:
    text = render_markdown(builders.joined_audit())
    first = next(line for line in text.splitlines() if line.startswith("| 1 |"))
    assert "| 0.02 |" in first
    assert "registers + shared memory" in first
    assert "| 12 +2 |" in first


def test_levers_beyond_ten_are_counted() -> None:
    base = builders.distance_audit()
    assert base.distance is not None
    gaps = replace(base.distance.steps[0], kernel_short=None)
    account = replace(base.distance, steps=(gaps, *base.distance.steps * 8))
    text = render_markdown(replace(base, distance=account))
    assert "| gaps: nothing runs |" in text
    assert "and 7 more" in text
