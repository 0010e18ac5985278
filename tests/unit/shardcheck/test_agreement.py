"""What is predicted held against what was recorded."""

from geoaudit.shardcheck.agreement import RecordedRun, with_recorded
from geoaudit.shardcheck.listing import Agreement, ListedSite, Listing
from tests.unit.render.shard_builders import listing, site


def _agreement(check: Listing, *runs: RecordedRun) -> Agreement:
    found = with_recorded(check, runs).agreement
    assert found is not None
    return found


def _run(ranks: int, **launches: int) -> RecordedRun:
    """A run of launches as ``kernel_blocks=times``."""
    found = {}
    for name, times in launches.items():
        kernel, _, blocks = name.rpartition("_")
        found[kernel, int(blocks)] = times
    return RecordedRun(ranks=ranks, source=f"{ranks}.parquet", launches=found)


def _site(
    kernel: str, line: int, blocks: tuple[int | None, int | None], **changes: object
) -> ListedSite:
    by_ranks = dict(zip((1, 8), blocks, strict=True))
    return site(kernel=kernel, line=line, blocks=by_ranks, **changes)


def test_a_recorded_signature_agrees_where_a_launch_has_exactly_so_many_blocks() -> None:
    check = listing(_site("ns::decode<64>", 1, (96, 12)), _site("norm", 2, (1, 1)))
    found = _agreement(check, _run(8, decode_12=4, norm_1=9), _run(1, decode_96=4, norm_2=9))
    assert (found.ranks, found.agreeing, found.signatures) == ((1, 8), 3, 4)
    decode, norm = found.launches
    assert decode.outcomes == {1: "agrees", 8: "agrees"}
    assert (norm.outcomes, norm.recorded) == ({1: "differs", 8: "agrees"}, {1: (2,), 8: (1,)})
    (lost,) = found.unpredicted
    assert (lost.kernel, lost.ranks, lost.blocks, lost.launches) == ("norm", 1, 2, 9)


def test_blocks_that_another_launch_of_the_kernel_predicts_are_not_held_against_it() -> None:
    check = listing(_site("norm", 1, (1, 1)), _site("norm", 2, (20, 20), function="other"))
    found = _agreement(check, _run(8, norm_1=9))
    assert [one.outcomes[8] for one in found.launches] == ["agrees", "not_recorded"]
    assert [one.is_recorded for one in found.launches] == [True, False]
    assert (found.agreeing, found.signatures) == (1, 1)


def test_what_cannot_be_told_agrees_with_nothing() -> None:
    found = _agreement(listing(_site("decode", 1, (None, None))), _run(8, decode_12=4))
    assert found.launches[0].outcomes == {8: "unknown"}
    assert found.launches[0].recorded == {8: (12,)}
    assert found.launches[0].is_recorded
    assert (found.agreeing, found.signatures) == (0, 1)


def test_a_kernel_of_no_launch_and_a_launch_of_several_kernels() -> None:
    check = listing(_site("a | b", 1, (4, 4)))
    found = _agreement(check, _run(8, a_4=1, c_4=2))
    assert found.launches[0].outcomes == {8: "agrees"}
    assert [one.kernel for one in found.unpredicted] == ["c"]


def test_launches_for_callers_are_no_predictions() -> None:
    found = _agreement(listing(_site("decode", 1, (4, 4), is_launcher=True)), _run(8, decode_4=1))
    assert (found.launches, found.agreeing) == ((), 0)


def test_runs_of_one_number_of_ranks_are_taken_together() -> None:
    check = listing(_site("a", 1, (4, 4)), _site("a", 2, (4, 4)))
    runs = [_run(8, a_4=1), _run(8, a_4=1, a_5=1)]
    runs[1] = RecordedRun(
        ranks=8, source="b", launches=runs[1].launches, communication=3, libraries=2
    )
    found = _agreement(check, *runs)
    assert (found.agreeing, found.signatures, len(found.recordings)) == (1, 2, 2)
    assert (found.communication, found.libraries, found.without_grid) == (3, 2, 0)
    assert [one.lines for one in found.launches] == [(1, 2)]


def test_without_a_run_nothing_is_said() -> None:
    check = listing(site())
    assert with_recorded(check, ()) == check
