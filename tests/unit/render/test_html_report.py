import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from geoaudit.ranking.audit import Audit
from geoaudit.render.html_report import render_html
from tests.unit.render import builders
from tests.unit.render.test_terminal import AUDITS

VOID = {"meta", "rect", "line", "br"}


class Outline(HTMLParser):
    """Elements, their attributes, and the text of a document; fails on tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.parametrize("build", AUDITS.values(), ids=AUDITS)
def test_the_file_is_well_formed_and_loads_nothing(build: Callable[[], Audit]) -> None:
    outline = Outline(render_html(build()))
    for tag, attributes in outline.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
        assert not {"src", "href", "action", "srcdoc"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)


@pytest.mark.parametrize("build", AUDITS.values(), ids=AUDITS)
def test_the_one_script_is_the_one_the_policy_allows(build: Callable[[], Audit]) -> None:
    text = render_html(build())
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    assert len(scripts) == text.count("<script") == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text


def test_hostile_names_are_text() -> None:
    text = render_html(builders.hostile_audit())
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    text.encode()
    shown = "".join(Outline(text).text)
    assert "</td><script>alert(1)</script>" in shown
    assert "{{ 7 * 7 }}" in shown
    assert "k" * 5000 in shown


def test_the_markup_does_not_depend_on_the_names() -> None:
    hostile = builders.hostile_audit()
    tame = replace(
        hostile,
        rows=tuple(replace(row, kernel="k", kernel_short="k", owner="o") for row in hostile.rows),
    )
    tags = [tag for tag, _ in Outline(render_html(hostile)).elements]
    assert tags == [tag for tag, _ in Outline(render_html(tame)).elements]


def test_what_is_unknown_is_not_zero() -> None:
    text = render_html(builders.unknown_audit())
    shown = "".join(Outline(text).text)
    assert "None" not in shown
    assert "0 ns" not in shown
    assert "<svg" not in text


def test_replay_and_partial_stand_first() -> None:
    body = render_html(builders.replayed_audit()).partition("<body>")[2]
    assert body.index("REPLAY") < body.index("<h1>")
    body = render_html(builders.trace_audit()).partition("<body>")[2]
    assert body.index("PARTIAL") < body.index("<h1>")


def test_the_picture_of_3000_launches_stays_small() -> None:
    text = render_html(replace(builders.audit(), timeline=builders.timeline(3000)))
    assert len(text) < 1_500_000


def test_an_empty_audit_is_no_clean_bill() -> None:
    assert "no clean bill" in render_html(builders.empty_audit())


def legend_of(audit: Audit) -> list[str]:
    """What the legend under the picture names."""
    text = render_html(audit)
    under = text.partition("</svg>")[2].partition("</div>")[0]
    return re.findall(r"</i>([^<]+)</span>", under)


def test_the_legend_names_only_what_is_pictured() -> None:
    names = legend_of(builders.audit())
    assert names == [
        *("starved", "tail, occupancy limited, imbalanced", "communication"),
        *("wasted SM-time", "grid unknown", "gap or copy"),
    ]
    full = builders.timeline(3)[2:]
    dense = replace(builders.audit(), timeline=full, pictured_wall_ns=None)
    assert legend_of(dense) == ["tail, occupancy limited, imbalanced", "gap or copy"]


def test_tokens_that_differ_and_gaps_are_said() -> None:
    text = render_html(builders.uneven_audit())
    assert "mean of 11; 6.66 to 55.0 ms, median 41.4 ms" in text
    assert "nothing runs 94.1 % of the time" in text
    assert "41 rows left out by filters" in text


def test_without_start_times_no_card_shows_a_bare_question_mark() -> None:
    text = render_html(builders.untimed_starts_audit())
    assert "<b>?</b>" not in text
    assert "the recording has no start times" in text


def test_copies_and_communication_have_colours_of_their_own() -> None:
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", render_html(builders.audit())))
    assert colours["copies"] != colours["communication"]


def test_the_gaps_are_a_lever_by_name() -> None:
    base = builders.distance_audit()
    assert base.distance is not None
    gaps = replace(base.distance.steps[0], kernel_short=None)
    text = render_html(replace(base, distance=replace(base.distance, steps=(gaps,))))
    assert "gaps: nothing runs" in text.partition("of the distance")[2]
