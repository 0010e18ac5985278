"""Whole outputs compared byte for byte; ``pytest --update-golden`` writes them anew."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from geoaudit.render.csv_table import render_csv
from geoaudit.render.html_report import render_html
from geoaudit.render.json_document import render_json
from geoaudit.render.markdown import render_markdown
from geoaudit.render.terminal import render_terminal
from tests.unit.render import builders, rank_builders
from tests.unit.render.test_terminal import AUDITS

Golden = Callable[[str, str], None]


@pytest.mark.parametrize("name", AUDITS)
def test_terminal(name: str, golden: Golden) -> None:
    golden(f"audit-{name}.txt", render_terminal(AUDITS[name](), width=100))


def test_wide_terminal(golden: Golden) -> None:
    golden("audit-wide.txt", render_terminal(builders.audit(), wide=True))


@pytest.mark.parametrize("name", ["token", "trace", "unknown", "distance", "ranks-differing"])
def test_json(name: str, golden: Golden) -> None:
    golden(f"audit-{name}.json", render_json(AUDITS[name]()))


@pytest.mark.parametrize("name", ["token", "unknown", "ranks"])
def test_csv(name: str, golden: Golden) -> None:
    golden(f"audit-{name}.csv", render_csv(AUDITS[name]()))


@pytest.mark.parametrize("name", ["replayed", "trace", "distance", "ranks-differing"])
def test_markdown(name: str, golden: Golden) -> None:
    golden(f"audit-{name}.md", render_markdown(AUDITS[name]()))


def test_html_of_ranks(golden: Golden) -> None:
    golden("audit-ranks.html", render_html(rank_builders.ranks_audit()))


def test_a_table_by_signature_says_how_the_ranks_compare(golden: Golden) -> None:
    audit = replace(rank_builders.many_ranks_audit(), group="signature")
    golden("audit-ranks-header.txt", render_terminal(audit, width=100))


def test_html(golden: Golden) -> None:
    golden("audit-replayed.html", render_html(builders.replayed_audit()))
