"""What repetitions showed, in lines and as a table."""

import json

import pytest

from geoaudit.quantities import duration
from geoaudit.ranking.arm_gains import gains_of_rows
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.render.html_report import render_html
from geoaudit.render.interventions import arm_gains_markdown, intervention_lines
from geoaudit.render.json_document import render_json
from geoaudit.render.kernel_argument import kernel_argument
from tests.unit.diagnosis.test_interventions import KDA, NORM
from tests.unit.ranking.builders import Launch, recording, tokens
from tests.unit.render import builders


def test_a_line_for_each_launch_and_each_shape() -> None:
    assert intervention_lines([KDA, NORM]) == [
        "kda_decode_step, 12 blocks of 128 threads: 20.3 µs alone, 20.4 µs in its token: alike, so "
        "not contended",
        "  KDA_VALUE_TILE=32, 48 blocks of 256 threads: 2.45 µs",
        "  KDA_VALUE_TILE=16, 96 blocks of 256 threads: 2.03 µs",
        "  KDA_VALUE_TILE=8, 192 blocks of 256 threads: 1.95 µs",
        "rms_norm, 1 block of 128 threads: 20.7 µs alone, 20.7 µs in its token: alike, so not "
        "contended",
        "  WIDE_NORM=1, 1 block of 1,024 threads: 2.60 µs",
    ]
    assert intervention_lines([]) == []


def test_ceilings_stand_beside_gains() -> None:
    layout = [
        Launch(kernel="kda_decode_step", blocks=12, duration=20_400),
        Launch(kernel="rms_norm", blocks=1, start=30_000, duration=20_700),
    ]
    rows = rank(recording(tokens(layout, 4, 100_000)), RankOptions()).rows
    lines = arm_gains_markdown(gains_of_rows(rows, [KDA, NORM]))
    assert lines[0] == "| kernel | blocks | setting | ceiling per token | realised per token |"
    assert "| `rms_norm` | 1 | `WIDE_NORM=1` | 20.5 µs | 18.1 µs |" in lines
    assert "| `kda_decode_step` | 12 | `KDA_VALUE_TILE=8` | 18.5 µs | 18.4 µs |" in lines
    assert lines[-1].startswith("Spearman's rank correlation of ceiling and gain over 4 pairs: ")
    assert arm_gains_markdown([])[-1].endswith("over 0 pairs: cannot be told")


def test_every_shape_that_was_tried_is_argued_with() -> None:
    (row, *_) = builders.tried_audit().rows
    sections = dict(kernel_argument(row, "token")[1])
    tile, wide = sections["Tried"]
    assert tile.startswith("TILE=8, 192 blocks of 256 threads: 2.03 µs alone, which wins ")
    assert wide.startswith("WIDE=1, 12 blocks of 1,024 threads of kda_wide: 25.4 µs alone, which ")
    assert " loses " in wide
    assert wide.endswith(f"ceiling is {duration(row.wasted_sm_time_per_token_ns)}")


def test_json_and_the_page_hold_gains_and_evidence() -> None:
    audit = builders.tried_audit()
    document = json.loads(render_json(audit))
    (tile, wide) = document["gains"]["pairs"]
    assert (tile["setting"], wide["setting"]) == ("TILE=8", "WIDE=1")
    assert audit.rows[0].time_per_token_ns
    assert tile["realised_ns"] == pytest.approx(0.9 * audit.rows[0].time_per_token_ns)
    assert document["gains"]["rank_correlation"] is None
    (done,) = document["rows"][0]["interventions"]
    assert done["sweep"][0]["alone_ns"] == 2_032
    assert document["rows"][0]["rests_on"] == list(audit.rows[0].verdict.rests_on)
    html = render_html(audit)
    assert "<h2>Ceilings and gains</h2>" in html
    assert (
        "Spearman&#39;s rank correlation of ceiling and gain over 2 pairs: cannot be told" in html
    )
    assert "Ceilings and gains" not in render_html(builders.audit())
    assert json.loads(render_json(builders.audit()))["gains"] is None
