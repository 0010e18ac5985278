"""What every renderer says of several ranks."""

import csv
import io
import json
from dataclasses import replace
from typing import Literal

import pytest

from geoaudit.ranking.audit import Audit
from geoaudit.render.csv_table import render_csv
from geoaudit.render.html_report import render_html
from geoaudit.render.json_document import render_json
from geoaudit.render.markdown import render_markdown
from geoaudit.render.rank_csv import RANK_COLUMNS
from geoaudit.render.terminal import render_terminal
from tests.unit.render import builders, rank_builders


def lines(audit: Audit) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_csv(audit), newline="")))


def test_a_csv_has_a_line_for_each_signature_and_rank() -> None:
    found = lines(rank_builders.ranks_audit())
    assert list(found[0]) == list(RANK_COLUMNS)
    assert "rank" not in RANK_COLUMNS
    assert [(one["place"], one["distributed_rank"]) for one in found[:4]] == [
        ("1", "0"),
        ("1", "1"),
        ("2", "0"),
        ("2", "1"),
    ]
    assert [one["time_per_token_ns"] for one in found[:2]] == ["346400.0", "386400.0"]
    shared = [one for one in found if one["group"] == "communication"]
    assert [one["waiting_per_token_ns"] for one in shared] == ["40000.0", "0.0"]
    assert {one["skew_median_ns"] for one in shared} == {"4000.0"}


def test_json_has_the_ranks_whatever_the_rows_are() -> None:
    by_signature = replace(rank_builders.ranks_audit(), group="signature")
    ranks = json.loads(render_json(by_signature))["ranks"]
    assert [one["distributed_rank"] for one in ranks["ranks"]] == [0, 1]
    assert ranks["collectives"][0]["waiting_per_token_ns"] == [40_000.0, 0.0]
    assert json.loads(render_json(builders.audit()))["ranks"] is None


def test_what_cannot_be_told_is_null_and_never_zero() -> None:
    ranks = json.loads(render_json(rank_builders.untold_ranks_audit()))["ranks"]
    assert ranks["geometry"] is None
    assert ranks["geometry_unknown"] == "rank 1 has no complete step of class decode"
    assert ranks["run_ranks"] is None
    assert ranks["collectives"][0]["waiting_per_token_ns"] == [None, None]
    assert ranks["ranks"][1]["tokens"] is None
    text = render_terminal(rank_builders.untold_ranks_audit())
    assert "geometry  cannot tell, rank 1 has no complete step of class decode" in text
    assert "waiting: cannot tell" in text


def test_the_slowest_rank_is_marked() -> None:
    text = render_terminal(rank_builders.ranks_audit())
    line = next(line for line in text.splitlines() if "attention_merge" in line)
    assert "346 µs    386 µs *  10.4 %" in line


def test_many_ranks_are_shown_by_their_range_and_the_slowest() -> None:
    text = render_terminal(rank_builders.many_ranks_audit())
    line = next(line for line in text.splitlines() if "attention_merge" in line)
    assert "346 µs  486 µs  626 µs        7  44.7 %" in line
    assert "PARTIAL   rank 8 of 9 has no recording, so every figure is of the others" in text


def test_a_rank_that_launches_nothing_has_none() -> None:
    text = render_terminal(rank_builders.differing_ranks_audit())
    assert "none" in next(line for line in text.splitlines() if line.startswith("1  kda"))
    assert "at position 119: rank 0 sample grid 1 block 128; rank 1 nothing" in text
    assert "7 more rows (--top 0 shows all)" in text


@pytest.mark.parametrize("group", ["signature", "rank"])
def test_reports_have_a_section_on_the_ranks(group: Literal["signature", "rank"]) -> None:
    audit = replace(rank_builders.differing_ranks_audit(), group=group)
    markdown, html = render_markdown(audit), render_html(audit)
    assert "### Ranks" in markdown
    assert "<h2>Ranks</h2>" in html
    for text in (markdown, html):
        assert "a rank has no launch at 1 of 120 positions; 3 launches without a position" in text
        assert (">apart<" in text or "| apart |" in text) == (group == "rank")
    assert "Ranks" not in render_html(builders.audit())


def test_no_name_acts_in_markdown_or_html() -> None:
    audit = rank_builders.untold_ranks_audit()
    assert "<script>alert" not in render_html(audit)
    assert "<script>alert(1)" not in render_markdown(audit).replace("`</td><script>alert(1)", "")


def test_a_table_by_signature_has_a_line_on_the_ranks() -> None:
    audit = replace(rank_builders.ranks_audit(), group="signature")
    assert (
        "ranks     0, 1 of 2 · geometry the same on all at 120 positions · collectives 356 µs per"
        in render_terminal(audit)
    )
