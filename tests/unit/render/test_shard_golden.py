"""Whole outputs of a shard check; ``pytest --update-golden`` writes them anew."""

import json
from collections.abc import Callable

import msgspec
import pytest

from geoaudit.diagnosis.rule import Rule
from geoaudit.render.shard_chain import render_shard_chain
from geoaudit.render.shard_csv import render_shard_csv
from geoaudit.render.shard_html import render_shard_html
from geoaudit.render.shard_json import render_shard_json
from geoaudit.render.shard_markdown import render_shard_markdown
from geoaudit.render.shard_plot import kind_of
from geoaudit.render.shard_sarif import render_shard_sarif
from geoaudit.render.shard_terminal import render_shard_terminal
from geoaudit.shardcheck.behaviours import BEHAVIOURS
from geoaudit.shardcheck.listing import ListedNote
from tests.unit.render import shard_builders as build

Golden = Callable[[str, str], None]
RULES = tuple(
    Rule(
        id=one.rule_id,
        name=one.rule_name,
        since="0.1",
        severities=(one.severity, "note"),
        summary="A grid that sharding shrinks",
        page="What it measures:\n    Blocks.",
    )
    for one in (build.COLLAPSE, build.STALE)
)


def test_terminal(golden: Golden) -> None:
    golden("shard.txt", render_shard_terminal(build.whole(), width=100))


def test_terminal_with_everything(golden: Golden) -> None:
    text = render_shard_terminal(build.whole(), width=120, behaviours=BEHAVIOURS, unanalysed=True)
    golden("shard-all.txt", text)


def test_terminal_without_findings(golden: Golden) -> None:
    empty = build.listing(
        unanalysed=(), notes=(), unmatched_kernels=(), textual={}, recognised={}, skipped={}
    )
    golden("shard-empty.txt", render_shard_terminal(empty, width=80))


def test_chain(golden: Golden) -> None:
    golden("shard-chain.txt", render_shard_chain(build.whole().sites, build.whole(), width=80))


def test_json(golden: Golden) -> None:
    golden("shard.json", render_shard_json(build.whole()))


def test_csv(golden: Golden) -> None:
    golden("shard.csv", render_shard_csv(build.whole()))


def test_markdown(golden: Golden) -> None:
    golden("shard.md", render_shard_markdown(build.whole()))


def test_sarif(golden: Golden) -> None:
    golden("shard.sarif", render_shard_sarif(build.whole(), RULES, "engine"))


def test_html(golden: Golden) -> None:
    golden("shard.html", render_shard_html(build.whole()))


def test_predicted_and_recorded_in_every_format(golden: Golden) -> None:
    listing = build.compared()
    golden("shard-recorded.txt", render_shard_terminal(listing, width=100))
    golden("shard-recorded.json", render_shard_json(listing))
    golden("shard-recorded.csv", render_shard_csv(listing))
    golden("shard-recorded.md", render_shard_markdown(listing))
    golden("shard-recorded.html", render_shard_html(listing))


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    ranks = (1, 2, 4, 8)
    large = build.site(blocks=dict.fromkeys(ranks, 1234), sm_fill=dict.fromkeys(ranks, 1.0))
    check = build.listing(*build.whole().sites, large, ranks=ranks)
    text = render_shard_terminal(check, width=width, behaviours=BEHAVIOURS)
    text += render_shard_terminal(build.compared(), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text


def test_the_names_of_the_issue_are_the_documents() -> None:
    document = json.loads(render_shard_json(build.whole()))
    assert {"schema_version", "files", "launches", "sites"} <= set(document)
    assert {"read", "skipped", "not_analysed"} <= set(document["files"])
    assert (document["launches"]["textual"], document["launches"]["recognised"]) == (5, 4)
    first = document["sites"][0]
    expected = (
        "path line kernel launcher idiom grid roots symbols sharded blocks sm_fill verdict rule "
        "reason chain"
    )
    assert set(expected.split()) <= set(first)
    assert first["grid"] == {"x": "n_head", "y": "1", "z": "1"}
    assert first["roots"] == {"x": ["n_head"], "y": [], "z": []}
    assert first["blocks"] == {"1": 96, "8": 12}
    assert first["rule"] == "GA401"
    assert first["chain"][1] == {
        "path": "csrc/decode.cu",
        "line": 38,
        "text": "grid = dim3(n_head)",
    }


def test_sarif_points_at_the_launch_and_flows_along_the_derivation() -> None:
    log = json.loads(render_shard_sarif(build.listing(build.site()), RULES, ""))
    run = log["runs"][0]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (log["version"], result["ruleId"], result["level"]) == ("2.1.0", "GA401", "warning")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "GA401"
    assert place == {
        "artifactLocation": {"uri": "csrc/decode.cu"},
        "region": {"startLine": 40},
    }
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [one["location"]["physicalLocation"]["region"]["startLine"] for one in flow]
    assert lines == [40, 38, 12]


def test_sarif_says_of_a_finding_held_back_what_it_is_and_why_it_is_held_back() -> None:
    held = build.site(findings=(), known=(build.COLLAPSE,), suppressed=(build.ALLOWED,))
    log = json.loads(render_shard_sarif(build.listing(held), RULES, ""))
    results = log["runs"][0]["results"]
    assert [one["level"] for one in results] == ["warning", "warning"]
    assert all(build.COLLAPSE.message in one["message"]["text"] for one in results)
    assert [one["suppressions"] for one in results] == [
        [{"kind": "external", "status": "accepted", "justification": "in the baseline"}],
        [{"kind": "inSource", "status": "accepted", "justification": "one rank only"}],
    ]


def test_a_note_on_the_command_line_has_no_place_in_a_file() -> None:
    note = ListedNote(path="", line=0, severity="note", text="--dim heds: no grid")
    listing = msgspec.structs.replace(build.listing(), notes=(note,))
    log = json.loads(render_shard_sarif(listing, RULES, "engine"))
    told = log["runs"][0]["invocations"][0]["toolExecutionNotifications"][-1]
    assert "locations" not in told
    assert "note: command line: --dim heds" in render_shard_terminal(listing)


def test_a_fingerprint_stays_where_lines_move() -> None:
    def fingerprints(*lines: int) -> list[str]:
        sites = [build.site(line=line) for line in lines]
        log = json.loads(render_shard_sarif(build.listing(*sites), RULES, ""))
        return [one["partialFingerprints"]["launch/v1"] for one in log["runs"][0]["results"]]

    assert fingerprints(40, 50) == fingerprints(41, 80)
    assert len(set(fingerprints(40, 50))) == 2


def test_a_name_that_does_not_fit_is_told_in_full_beneath() -> None:
    name = "kda_decode_step_" * 3 + "kernel"
    listing = build.listing(build.site(kernel=name))
    assert f"\n    {name}: " in render_shard_terminal(listing, width=80)
    assert f"{name}: " not in render_shard_terminal(listing, width=140)


def test_what_shrinks_to_no_one_knows_how_few_is_not_drawn_as_fine() -> None:
    known = build.site(behaviour="shrinks", sm_fill={1: 1.0, 8: 0.6})
    unknown = build.site(behaviour="shrinks", sm_fill={1: None, 8: None})
    assert (kind_of(known), kind_of(unknown)) == ("busy", "open")
