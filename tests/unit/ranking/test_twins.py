"""Which of two launches in a row is the one that leaves at once."""

from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from tests.unit.ranking.builders import Launch, recording, tokens


def verdicts(layout: list[Launch]) -> dict[str, str]:
    audit = rank(recording(tokens(layout, 12, 1_000_000)), RankOptions())
    return {row.kernel_short: row.verdict.name for row in audit.rows}


def pair(
    first: int,
    second: int,
    *,
    names: tuple[str, str] = ("attn_split", "attn_split_hybrid"),
    blocks: int = 1_280,
) -> list[Launch]:
    return [
        Launch(kernel="norm", duration=9_000, blocks=1),
        Launch(kernel=names[0], start=10_000, duration=first, blocks=blocks, threads=32),
        Launch(kernel=names[1], start=200_000, duration=second, blocks=blocks),
        Launch(kernel="combine", start=500_000, duration=4_000, blocks=40),
    ]


def test_the_one_that_exits_is_the_dud_whichever_comes_first() -> None:
    assert verdicts(pair(1_500, 62_110))["attn_split"] == "dud"
    assert verdicts(pair(62_110, 1_500))["attn_split_hybrid"] == "dud"


def test_more_blocks_than_fit_take_a_while_to_exit() -> None:
    assert verdicts(pair(3_240, 27_000, blocks=4_096))["attn_split"] == "dud"
    assert verdicts(pair(3_240, 27_000))["attn_split"] != "dud"


def test_one_block_that_works_a_while_does_not_exit() -> None:
    assert "dud" not in verdicts(pair(3_500, 9_000, blocks=1)).values()


def test_a_pair_that_both_works_has_no_dud() -> None:
    assert "dud" not in verdicts(pair(20_000, 27_000)).values()
    assert "dud" not in verdicts(pair(4_500, 8_000)).values()


def test_a_short_neighbour_of_another_name_or_grid_is_no_twin() -> None:
    assert (
        "dud" not in verdicts(pair(1_500, 62_110, names=("append", "attn_split_hybrid"))).values()
    )
    layout = pair(1_500, 62_110)
    layout[1] = Launch(kernel="attn_split", start=10_000, duration=1_500, blocks=40)
    assert "dud" not in verdicts(layout).values()


def test_the_reason_names_the_twin() -> None:
    audit = rank(recording(tokens(pair(1_500, 62_110), 12, 1_000_000)), RankOptions())
    (dud,) = (row for row in audit.rows if row.verdict.name == "dud")
    assert "beside attn_split_hybrid" in dud.verdict.reason
    assert "GA207" in [finding.rule_id for finding in dud.findings]
