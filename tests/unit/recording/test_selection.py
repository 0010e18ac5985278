from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Metadata, Recording, TokenOptions
from geoaudit.launches.tokens import segment
from geoaudit.recording.selection import Selection, in_range, select, select_processes
from tests.unit.launches.tokens.launch_builder import Kernel, kernels, table, token
from tests.unit.launches.tokens.launch_builder import in_range as inside

PERIOD = TokenOptions()


def recording(
    launched: Sequence[Kernel], name: str = "engine", seen: int | None = None
) -> Recording:
    return Recording(
        launches=table(launched),
        metadata=Metadata(
            instrument="cupti", source_format="geoaudit", source_name=name, launches_seen=seen
        ),
    )


def tokens(count: int) -> list[Kernel]:
    return [kernel for _ in range(count) for kernel in token()]


def engine(count: int = 12) -> Recording:
    """Set-up launches, a prefill of other shapes, and the tokens."""
    launched = [*kernels("fill fill copy_weights"), *token(grid=500), *tokens(count)]
    return recording(launched)


def ranged(count: int = 6) -> Recording:
    launched = kernels("warm_up settle")
    for number in range(count):
        launched += inside(token(), f"generate/decode#{number}")
    return recording([*launched, *inside(kernels("sum"), "check"), *kernels("tear_down")])


def tokens_of(chosen: Recording) -> int:
    found = segment(chosen.launches, chosen.metadata.token_options)
    return next(one.complete_steps for one in found.classes if one.name == found.default_class)


@pytest.mark.parametrize("name", ["generate", "gen.*"])
def test_a_range_keeps_what_was_launched_inside_it(name: str) -> None:
    chosen = in_range(ranged(), name)
    assert len(chosen.launches) == 6 * len(token())
    left = set(chosen.launches[s.KERNEL].cat.categories)
    assert left & {"warm_up", "settle", "tear_down", "sum", "embed"} == {"embed"}
    assert chosen.launches.index.tolist() == list(range(len(chosen.launches)))
    assert chosen.metadata.warnings == (
        f"only launches inside {name} (--range) are kept: {6 * len(token())} of "
        f"{6 * len(token()) + 4} kernel launches",
    )


def test_a_range_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(NotMeasuredError, match=r"--range nope.*Ranges that are there: decode, gen"):
        in_range(ranged(), "nope")
    with pytest.raises(NotMeasuredError, match="holds no ranges that launches are in"):
        in_range(engine(), "decode")
    with pytest.raises(InputError, match="--range: 'dec' is not|is not a regular expression"):
        in_range(ranged(), "dec(")


def test_a_range_of_copies_alone_is_no_recording() -> None:
    copy = replace(kernels("Memcpy")[0], kind=s.KIND_COPY, ranges="load")
    with pytest.raises(NotMeasuredError, match="only copies and sets"):
        in_range(recording([copy, *tokens(3)]), "load")


def test_tokens_are_dropped_and_limited_with_all_around_them() -> None:
    chosen = select(engine(), PERIOD, Selection(skip_tokens=2, max_tokens=5))
    assert len(chosen.launches) == 5 * len(token())
    assert set(chosen.launches[s.GRID_X].dropna()) == {8}
    assert tokens_of(chosen) == 5
    assert chosen.launches[s.TOKEN].max() == 4
    (warning,) = chosen.metadata.warnings
    assert warning.startswith("only launches of tokens 3 to 7 of 12 (--skip-tokens 2 --max-tok")


def test_what_lies_between_kept_tokens_stays() -> None:
    launched = [*tokens(4), *kernels("check"), *token(grid=500), *tokens(4)]
    marked = TokenOptions(token_kernel="^embed$")
    chosen = select(recording(launched), marked, Selection(skip_tokens=2, max_tokens=4))
    names = chosen.launches[s.KERNEL].astype(str)
    assert (names == "check").sum() == 1
    assert (chosen.launches[s.GRID_X] == 500).any()


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_few_tokens_are_still_counted_as_tokens(most: int) -> None:
    chosen = select(engine(), PERIOD, Selection(max_tokens=most))
    assert len(chosen.launches) == most * len(token())
    found = segment(chosen.launches, chosen.metadata.token_options)
    complete = {one.name: one.complete_steps for one in found.classes}
    assert found.divisor == most or complete[found.default_class or ""] == most


def test_a_count_of_tokens_is_that_of_what_is_kept() -> None:
    options = TokenOptions(token_count=8)
    chosen = select(recording(tokens(8)), options, Selection(skip_tokens=3))
    assert chosen.metadata.token_options == TokenOptions(token_count=5)
    assert tokens_of(chosen) == 5


def test_a_range_is_cut_before_its_tokens_are_counted() -> None:
    decode = TokenOptions(token_range="decode")
    chosen = select(ranged(), decode, Selection(launch_range="generate", max_tokens=2))
    assert len(chosen.launches) == 2 * len(token())
    assert len(chosen.metadata.warnings) == 2


@given(skip=st.integers(0, 11), most=st.integers(1, 14))
def test_any_choice_keeps_just_its_tokens(skip: int, most: int) -> None:
    chosen = select(engine(), TokenOptions(token_kernel="^embed$"), Selection(max_tokens=13))
    every = select(chosen, TokenOptions(), Selection(skip_tokens=skip, max_tokens=most))
    expected = min(most, tokens_of(chosen) - skip)
    assert (every.launches[s.KERNEL] == "argmax").sum() == expected


def test_nothing_asked_for_changes_nothing_but_the_tokens() -> None:
    chosen = select(engine(), PERIOD, Selection())
    assert chosen.metadata == engine().metadata
    assert len(chosen.launches) == len(engine().launches)
    assert chosen.launches[s.TOKEN].max() == 11


def test_untimed_launches_of_a_kept_token_come_along() -> None:
    launches = table(tokens(6))
    launches.loc[30, [s.START_NS, s.DURATION_NS]] = None
    untimed = replace(engine(), launches=launches)
    chosen = select(untimed, TokenOptions(token_count=6), Selection(max_tokens=5))
    assert len(chosen.launches) <= 5 * len(token())
    assert chosen.metadata.untimed == int(chosen.launches[s.DURATION_NS].isna().sum())


def test_devices_are_cut_each_on_its_own() -> None:
    import pandas as pd

    from geoaudit.launches.table import build_launches
    from tests.unit.launches.tokens.launch_builder import columns

    both = [pd.DataFrame(columns(tokens(6), device=device)) for device in (0, 1)]
    launches = build_launches(dict(pd.concat(both, ignore_index=True).items()))
    chosen = select(replace(engine(), launches=launches), PERIOD, Selection(skip_tokens=2))
    assert chosen.launches[s.DEVICE].value_counts().to_dict() == {
        0: 4 * len(token()),
        1: 4 * len(token()),
    }


def test_launches_without_a_record_stay_missing() -> None:
    launched = tokens(6)
    chosen = select(recording(launched, seen=len(launched) + 7), PERIOD, Selection(max_tokens=3))
    assert chosen.metadata.launches_seen == len(chosen.launches) + 7
    assert select(recording(launched), PERIOD, Selection(max_tokens=3)).metadata.launches_seen is (
        None
    )


def test_no_tokens_or_too_few_are_an_error_that_says_so() -> None:
    one_of_each = recording(kernels("a b c d e f g"))
    with pytest.raises(
        NotMeasuredError, match=r"--max-tokens 3: no tokens to choose from: no repeat"
    ):
        select(one_of_each, PERIOD, Selection(max_tokens=3))
    with pytest.raises(NotMeasuredError, match=r"--skip-tokens 12: only 12 complete tokens"):
        select(engine(), PERIOD, Selection(skip_tokens=12))


def test_a_process_without_the_range_is_left_out_and_said() -> None:
    helper = recording(kernels("copy_in"), "helper")
    chosen = select_processes([ranged(), helper], PERIOD, Selection(launch_range="generate"))
    assert [one.metadata.source_name for one in chosen.recordings] == ["engine"]
    assert chosen.notes[0].startswith("helper is left out: --range generate: no launch lies")
    assert chosen.troubles == ()


def test_a_process_without_tokens_is_whole_and_a_trouble_where_tokens_were_asked_for() -> None:
    helper = recording(kernels("copy_in"), "helper")
    chosen = select_processes([engine(), helper], PERIOD, Selection(max_tokens=3))
    assert [len(one.launches) for one in chosen.recordings] == [3 * len(token()), 1]
    assert chosen.troubles[0].startswith("helper is kept whole: --max-tokens 3: no tokens")
    decode = TokenOptions(token_range="decode")
    noted = select_processes([ranged(), helper], decode, Selection())
    assert (len(noted.notes), noted.troubles) == (1, ())


def test_what_can_be_done_to_no_process_is_an_error() -> None:
    helpers = [recording(kernels("copy_in"), name) for name in ("a", "b")]
    for selection in (Selection(launch_range="x"), Selection(max_tokens=1)):
        with pytest.raises(NotMeasuredError):
            select_processes(helpers, PERIOD, selection)
    with pytest.raises(InputError, match="--token-range decode"):
        select_processes(helpers, TokenOptions(token_range="decode"), Selection())
