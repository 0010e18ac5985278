"""Sources under tests/shardcheck_cases have the launches that their comments say, and no others."""

import re
from collections.abc import Iterator

import pytest

from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.report import SiteReport
from geoaudit.shardcheck.slicing.sites import Axis, LaunchSite
from geoaudit.shardcheck.symbolic.substitution import substitute
from geoaudit.shardcheck.symbolic.walking import symbols as symbols_of
from tests.expected_extents import differences, spelling
from tests.shardcheck_expectations import Case, Expectation, read_cases, split_outside_brackets
from tests.shardcheck_pipeline import options_of, read_file, reports_of


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_a_source_has_the_launches_that_its_comments_say(case: Case) -> None:
    programs = [read_file(path, text) for path, text in case.files.items()]

    reports = reports_of(programs, options_of(case.options))

    assert "\n".join([*_sites_differ(case, reports), *_counts_differ(case, programs)]) == ""


def _sites_differ(case: Case, reports: tuple[SiteReport, ...]) -> Iterator[str]:
    expected = {each.place: each for each in case.expectations if not each.is_none}
    found: dict[str, SiteReport] = {}
    for report in reports:
        place = f"{report.site.path}:{report.site.line}"
        if place not in expected:
            yield f"{place}: a site that is none: {report.site.kernel}"
        elif place in found:
            yield f"{place}: two sites"
        found[place] = report
    for place, expectation in expected.items():
        if place in found:
            yield from (f"{place}: {text}" for text in _site_differs(expectation, found[place]))
        elif not expectation.is_optional:
            yield f"{place}: no site is found"


def _counts_differ(case: Case, programs: list[FileProgram]) -> Iterator[str]:
    """Every launch of the text is recognised, or its file says what was not analysed."""
    missed = 0
    for program in (each for outer in programs for each in (outer, *outer.embedded)):
        counted = len(program.not_analysed)
        recognised = dict(program.recognised)
        for idiom, textual in program.textual:
            if not textual - counted <= recognised.get(idiom, 0) <= textual:
                yield f"{program.path}: {idiom}: {recognised.get(idiom, 0)} of {textual} recognised"
        missed += counted
    if not case.not_analysed <= missed:
        yield f"{missed} lines are counted as not analysed, not {case.not_analysed}"


def _site_differs(expected: Expectation, report: SiteReport) -> Iterator[str]:
    yield from _judgement_differs(expected, report)
    site, fields = report.site, expected.fields
    for name, got in (
        ("kernel", site.kernel),
        ("launcher", site.launcher or "-"),
        ("idiom", site.idiom),
    ):
        if name in fields and got not in fields[name].split("|"):
            yield f"{name} is {got}, not {fields[name]}"
    yield from _extents_differ("grid", fields.get("grid"), site.grid, site)
    if "block" in fields and site.block is None:
        yield "the block is not told"
    elif site.block is not None:
        yield from _extents_differ("block", fields.get("block"), site.block, site)
    for name, axis in zip("xyz", site.grid, strict=True):
        yield from _names_differ(name, axis, expected, site)


def _extents_differ(
    name: str, text: str | None, axes: tuple[Axis, Axis, Axis], site: LaunchSite
) -> Iterator[str]:
    if text is None:
        return
    own = tuple(axis.extent for axis in axes)
    beyond = tuple(substitute(extent, dict(site.bindings)) for extent in own)
    tries = [
        differences(each, extents, site.constants)
        for each in split_outside_brackets(text, "|")
        for extents in (own, beyond)
    ]
    if all(tries):
        yield from (f"{name}.{sentence}" for sentence in tries[0])


def _names_differ(name: str, axis: Axis, expected: Expectation, site: LaunchSite) -> Iterator[str]:
    beyond = {
        symbol.name
        for bound, extent in site.bindings
        if bound.name in axis.symbols
        for symbol in symbols_of(extent)
    }
    constants = {spelling(constant.symbol.name) for constant in site.constants}
    symbols = set(map(spelling, {*axis.symbols, *beyond}))
    roots = set(map(spelling, axis.roots)) - constants
    wanted = [_names(each) for each in expected.fields.get(f"roots.{name}", "").split("|")]
    if f"roots.{name}" in expected.fields and roots not in wanted:
        yield f"roots.{name} are {sorted(roots)}, not {expected.fields[f'roots.{name}']}"
    wanted = [_names(each) for each in expected.fields.get(f"symbols.{name}", "").split("|")]
    if not any(each <= symbols for each in wanted):
        yield f"symbols.{name} are {sorted(symbols)}, not {expected.fields[f'symbols.{name}']}"
    if unwanted := symbols & _names(expected.fields.get(f"not.{name}", "")):
        yield f"symbols.{name} have {sorted(unwanted)}"


def _judgement_differs(expected: Expectation, report: SiteReport) -> Iterator[str]:
    fields = expected.fields
    if expected.behaviours and report.behaviour not in expected.behaviours:
        wanted = "|".join(sorted(expected.behaviours))
        yield f"it {report.behaviour}, not {wanted}: {report.reason}"
    rules = {
        finding.rule_id
        for finding in report.findings
        if finding.severity != "note" or finding.rule_id in expected.rules
    }
    if not expected.rules <= rules <= expected.rules | expected.possible_rules:
        yield f"rules are {sorted(rules)}, not {sorted(expected.rules)}"
    allowed = {one.finding.rule_id for one in report.suppressed}
    if allowed != _names(fields.get("allowed", "")):
        yield f"allowed are {sorted(allowed)}, not {fields.get('allowed', '-')}"
    if "blocks" in fields:
        yield from _blocks_differ(fields["blocks"], report)
    if fields.get("condition~", "") not in report.condition:
        yield f"the condition is {report.condition!r}, without {fields['condition~']}"
    yield from _dimensions_differ(expected, report)


def _blocks_differ(wanted: str, report: SiteReport) -> Iterator[str]:
    got = [report.blocks[ranks] for ranks in sorted(report.blocks)]
    text = "/".join("?" if blocks is None else str(blocks) for blocks in got)
    if not re.fullmatch(wanted.replace("?", r"[^/]*"), text):
        yield f"blocks are {text}, not {wanted}"


def _dimensions_differ(expected: Expectation, report: SiteReport) -> Iterator[str]:
    fields = expected.fields
    names = {_last(dimension.name) for dimension in report.sharded}
    wanted = [set(map(_last, _names(each))) for each in fields.get("sharded", "").split("|")]
    if "sharded" in fields and names not in wanted:
        yield f"sharded are {sorted(names)}, not {fields['sharded']}"
    for key, got in (
        ("by", {dimension.by for dimension in report.sharded}),
        ("rounding", {dimension.rounding for dimension in report.sharded}),
    ):
        if key in fields and not got & set(fields[key].split("|")):
            yield f"{key} is {sorted(got)}, not {fields[key]}"


def _names(text: str) -> set[str]:
    return {spelling(name) for name in text.split(",") if name not in ("", "-")}


def _last(name: str) -> str:
    return spelling(name).rsplit(".", 1)[-1]
