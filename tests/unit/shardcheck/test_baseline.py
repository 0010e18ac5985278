import pytest

from geoaudit.errors import InputError
from geoaudit.shardcheck.baseline import baseline_text, read_baseline, without_known
from geoaudit.shardcheck.listing import Listing
from tests.unit.render.shard_builders import COLLAPSE, STALE, listing, site


def _held_against(new: Listing, old: Listing) -> Listing:
    return without_known(new, read_baseline(baseline_text(old).encode(), "b.json"), "b.json")


def test_what_is_known_is_no_finding_though_lines_moved() -> None:
    held = _held_against(listing(site(line=99)), listing(site(line=40)))
    assert held.sites[0].findings == ()
    assert held.sites[0].known == (COLLAPSE,)


def test_another_rule_and_another_launch_of_the_kernel_are_new() -> None:
    old = listing(site())
    new = listing(site(findings=(COLLAPSE, STALE)), site(line=50), site(line=60, function="other"))
    held = _held_against(new, old)
    assert [one.findings for one in held.sites] == [(STALE,), (COLLAPSE,), (COLLAPSE,)]


def test_what_is_gone_is_told() -> None:
    held = _held_against(listing(), listing(site(), site(line=50)))
    assert "2 of 2 known findings are found no more" in held.notes[-1].text
    assert held.notes[-1].path == "b.json"


def test_a_baseline_of_a_check_under_a_baseline_holds_all() -> None:
    held = _held_against(listing(site()), listing(site()))
    assert baseline_text(held) == baseline_text(listing(site()))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not a baseline"),
        (b"\xff", "not a baseline"),
        (b"[]", "not a baseline"),
        (b'{"geoaudit_baseline": "2.0"}', "newer"),
        (b'{"geoaudit_baseline": "x"}', "no version"),
    ],
)
def test_another_file_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_baseline(content, "b.json")
