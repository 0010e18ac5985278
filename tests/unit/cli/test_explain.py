from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from geoaudit.cli.explain import explain
from geoaudit.cli.main import AuditGroup
from geoaudit.diagnosis.pages import page_names
from geoaudit.launches.declared import SourceLine, SplitOrigin, SplitProperties
from geoaudit.launches.store import read_recording, write_recording
from geoaudit.render.csv_table import COLUMNS
from geoaudit.render.json_document import audit_document
from tests.unit.ranking.builders import Launch
from tests.unit.ranking.builders import recording as ranked
from tests.unit.render import builders

GROUP = AuditGroup("geoaudit", commands=[explain])


def run(*arguments: str, color: bool = False) -> tuple[int, str]:
    result = CliRunner().invoke(GROUP, ["explain", *arguments], color=color)
    return result.exit_code, result.output


def test_without_a_name_all_pages_are_listed() -> None:
    code, output = run()
    assert code == 0
    assert output.index("Rules:") < output.index("Verdicts:") < output.index("Columns:")
    assert all(f"  {name} " in output for name in page_names())


def test_a_rule_prints_its_page_plainly() -> None:
    code, output = run("ga101")
    assert code == 0
    assert output.startswith("GA101 grid-smaller-than-device: ")
    assert "\nWhat to do:\n    Find an axis" in output
    assert "\x1b" not in output


def test_headings_are_bold_on_a_terminal() -> None:
    assert "\x1b[1mLimits:" in run("starved", color=True)[1]


def test_a_heading_of_two_words_needs_no_quotes() -> None:
    assert run("SM", "fill")[1].startswith("sm_fill (column): ")


def test_verdict_and_column_of_one_name_are_both_printed() -> None:
    output = run("tail")[1]
    assert "tail (verdict): " in output
    assert "\n\ntail_blocks (column): " in output


def test_an_unknown_name_is_a_usage_error_with_the_nearest() -> None:
    code, output = run("GA1O1")
    assert code == 2
    assert "geoaudit: error: no page explains 'GA1O1'. Nearest: GA101" in output
    assert "Traceback" not in output


def test_several_names_print_their_pages() -> None:
    code, output = run("GA101", "starved", "SM", "fill")
    assert code == 0
    starts = [
        output.index(text) for text in ("GA101 grid-", "starved (verdict)", "sm_fill (column)")
    ]
    assert starts == sorted(starts)


def test_one_unknown_name_among_several_is_refused() -> None:
    code, output = run("GA101", "starvd")
    assert code == 2
    assert "no page explains 'starvd'. Nearest: starved" in output


@pytest.mark.parametrize("columns", [80, 100])
def test_no_line_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert max(map(len, run()[1].splitlines())) <= columns
    for name in page_names():
        assert max(map(len, run(name)[1].splitlines())) <= columns, name


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from _keys(one)
    if isinstance(value, list):
        for one in value:
            yield from _keys(one)


FIELDS = sorted(
    {
        *_keys(audit_document(builders.distance_audit())),
        *_keys(audit_document(builders.tried_audit())),
        *COLUMNS,
    }
    - {"totals"},
)
PRINTED = [
    *("#", "kernel", "grid", "block", "calls/token", "time/token", "median", "spread", "sites ±"),
    *("SM fill", "waves", "tail", "blocks/SM", "limiter", "occupancy", "threads", "wasted"),
    *("share", "verdict", "median ± spread", "±", "lever", "ceiling", "together"),
    *("of the distance", "device", "source", "tokens", "step", "other", "launches", "unknown"),
    *("wall", "partial", "warning", "gaps", "calls", "time"),
]


@pytest.mark.parametrize("name", [*FIELDS, *PRINTED])
def test_everything_printed_has_a_page(name: str) -> None:
    code, output = run(name)
    assert code == 0, output


CAPTURE = Path(__file__).parents[3] / "reports" / "h200-decode-suite" / "eager.parquet"


def test_a_kernel_of_a_recording_is_argued_for() -> None:
    code, output = run("kda_decode_step", "--scan", str(CAPTURE))
    assert code == 0
    assert output.startswith("kda_decode_step  grid 12 · block 128\n\nstarved (suspected)\n")
    for heading in ("Cost", "Rests on", "Ruled out", "Would decide", "More blocks", "Findings"):
        assert f"\n\n{heading}\n  " in output
    assert "not contention: spread" in output
    assert "BV = 32" in output


@pytest.mark.parametrize(
    ("split", "lines"),
    [
        (
            None,
            [
                "a reduction across blocks: no (declared)",
                "duplicated reads: no (declared)",
                "another memory layout: no (declared)",
            ],
        ),
        (
            SplitProperties(
                cross_block_reduction=False,
                duplicated_reads=True,
                from_source=SplitOrigin(
                    axis="the warps of a block",
                    cross_block_reduction=SourceLine(line=108),
                    duplicated_reads=SourceLine(line=107),
                    layout_change=SourceLine(reason="a lambda"),
                ),
            ),
            [
                "along the warps of a block, by the kernel's source:",
                "a reduction across blocks: no (from the source, line 108)",
                "duplicated reads: yes (from the source, line 107)",
                "another memory layout: cannot tell (from the source: a lambda)",
            ],
        ),
        (SplitProperties(), ["a reduction across blocks: cannot tell", "duplicated reads: cannot"]),
    ],
    ids=["declared", "from the source", "nobody says"],
)
def test_who_says_what_more_blocks_cost(
    tmp_path: Path, split: SplitProperties | None, lines: list[str]
) -> None:
    recording = read_recording(CAPTURE)
    if split is not None:
        declared = tuple(
            replace(one, split=split) if one.kernel_short == "kda_decode_step" else one
            for one in recording.metadata.declared
        )
        metadata = replace(recording.metadata, declared=declared)
        recording = replace(recording, metadata=metadata)
    file = tmp_path / "scan.parquet"
    write_recording(recording, file)
    output = run("kda_decode_step", "--scan", str(file))[1]
    assert "\n\nMore blocks\n  " + "\n  ".join(lines) in output


def test_a_part_of_a_name_argues_for_every_signature() -> None:
    code, output = run("projection", "--scan", str(CAPTURE))
    assert code == 0
    assert output.count("projection  grid ") > 1


def test_a_regular_expression_and_a_grid_pick_signatures() -> None:
    code, output = run("kda.*step|short_c.nv", "--scan", str(CAPTURE))
    assert code == 0
    assert "kda_decode_step  grid 12 ·" in output
    assert "short_conv  grid " in output
    code, output = run("projection", "--grid", "64x12", "--scan", str(CAPTURE))
    assert (code, output.count("projection  grid ")) == (0, 1)
    assert output.startswith("projection  grid 64×12 ·")
    code, output = run("projection", "--grid", "7", "--scan", str(CAPTURE))
    assert (code, "no launch of 'projection' has it. There are " in output) == (2, True)
    for wrong in ("0x0", "all", "1x2x3x4"):
        code, output = run("projection", "--grid", wrong, "--scan", str(CAPTURE))
        assert (code, "is no grid" in output) == (2, True)
    code, output = run("starved", "--grid", "12")
    assert (code, "--grid is for --scan RECORDING: give that too." in output) == (2, True)


def test_a_name_that_is_no_regular_expression_is_still_a_part_of_one(tmp_path: Path) -> None:
    file = tmp_path / "scan.parquet"
    write_recording(ranked([Launch(kernel="scale(float*, int)")] * 12), file)
    assert run("scale(float*", "--scan", str(file))[0] == 0
    assert run("scale(int*", "--scan", str(file))[0] == 2


def test_a_kernel_that_is_not_there_names_the_nearest() -> None:
    code, output = run("kda_decode_stop", "--scan", str(CAPTURE))
    assert code == 2
    assert "no kernel is named 'kda_decode_stop'. There are kda_decode_step" in output
    code, output = run("--scan", str(CAPTURE))
    assert (code, "name a kernel" in output) == (2, True)


def test_what_a_verdict_rests_on_can_be_given_as_to_rank(tmp_path: Path) -> None:
    file = tmp_path / "bytes.csv"
    file.write_text("kernel,bytes\nkda_decode_step,417000000\n", encoding="utf-8")
    code, output = run("kda_decode_step", "--scan", str(CAPTURE), "--bytes", str(file))
    assert code == 0
    # 417 MB at the 4.24 TB/s measured on the device of the capture.
    assert "against a floor of 98.2 µs" in output
    file.write_text("kernel,bytes\nkda_decode_stop,1\n", encoding="utf-8")
    code, output = run("kda_decode_step", "--scan", str(CAPTURE), "--bytes", str(file))
    assert "bytes.csv:2: no launch is of a kernel that matches kda_decode_stop" in output
    code, output = run("kda_decode_step", "--scan", str(CAPTURE), "--device", "A100", "--sms", "5")
    assert code == 0
    assert "5 SMs" in output


def test_options_of_a_scan_need_one() -> None:
    code, output = run("GA101", "--sms", "5")
    assert (code, "--sms is for --scan RECORDING: give that too." in output) == (2, True)
