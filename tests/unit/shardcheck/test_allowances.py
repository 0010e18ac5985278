import pytest

from geoaudit.diagnosis.finding import Finding
from geoaudit.shardcheck.allowances import allowances_of, apply_allowances
from geoaudit.shardcheck.program.file_program import FileProgram, Remark
from geoaudit.shardcheck.report import SiteReport, SourceNote
from geoaudit.shardcheck.slicing.sites import Axis, LaunchSite
from geoaudit.shardcheck.symbolic.extents import Integer

RULES = {"ga401": "GA401", "sharded-grid-collapses": "GA401", "ga404": "GA404"}
ONE = Axis(extent=Integer(value=1))


def _report(line: int, *rules: str) -> SiteReport:
    site = LaunchSite(
        path="a.cu",
        line=line,
        offset=0,
        kernel="k",
        launcher=None,
        idiom="chevron",
        function="f",
        grid=(ONE, ONE, ONE),
    )
    findings = tuple(
        Finding(rule_id=rule, rule_name="x-y", severity="warning", message="") for rule in rules
    )
    return SiteReport(site=site, behaviour="collapses", findings=findings)


def _applied(
    text: str, *reports: SiteReport, line: int = 10
) -> tuple[tuple[SiteReport, ...], tuple[SourceNote, ...]]:
    program = FileProgram(path="a.cu", language="c", functions=(), remarks=(Remark(line, text),))
    return apply_allowances(reports, allowances_of([program]), RULES)


@pytest.mark.parametrize(
    "text",
    [
        "// geoaudit: allow GA401 one rank only",
        "/* geoaudit: allow sharded-grid-collapses: one rank only */",
        "# geoaudit:allow ga401, GA404 - one rank only",
        "the usual shape; geoaudit: allow GA401 (one rank only)",
    ],
)
def test_a_remark_with_a_reason_allows(text: str) -> None:
    (report,), _ = _applied(text, _report(10, "GA401"))
    assert report.findings == ()
    assert [one.reason for one in report.suppressed] == ["one rank only"]
    assert report.suppressed[0].finding.rule_id == "GA401"


def test_the_line_above_counts_and_no_other() -> None:
    text = "// geoaudit: allow GA401 why"
    reports, _ = _applied(text, _report(11, "GA401"), _report(12, "GA401"))
    assert [len(one.findings) for one in reports] == [0, 1]


def test_the_line_above_speaks_of_the_launch_on_it() -> None:
    text = "// geoaudit: allow GA401 why"
    reports, _ = _applied(text, _report(10, "GA401"), _report(11, "GA401"))
    assert [len(one.findings) for one in reports] == [0, 1]


def test_another_rule_stays() -> None:
    (report,), notes = _applied("// geoaudit: allow GA401 why", _report(10, "GA401", "GA404"))
    assert [one.rule_id for one in report.findings] == ["GA404"]
    assert notes == ()


@pytest.mark.parametrize(
    ("text", "severity", "said"),
    [
        ("// geoaudit: allow GA401", "note", "without a reason"),
        ("/* geoaudit: allow GA401 */", "note", "without a reason"),
        ("// geoaudit: allow GA999 why", "error", "no rule"),
        ("// geoaudit: allow", "error", "allows no rule"),
        (
            "// geoaudit: allow GA404 why",
            "note",
            "not found at this launch with these ranks and sizes",
        ),
    ],
)
def test_a_remark_that_allows_nothing_is_told(text: str, severity: str, said: str) -> None:
    (report,), (note,) = _applied(text, _report(10, "GA401"))
    assert len(report.findings) == 1
    assert (note.path, note.line, note.severity) == ("a.cu", 10, severity)
    assert said in note.text
