from geoaudit.shardcheck.measured import with_measured
from tests.unit.render.shard_builders import listing, site


def test_times_stand_beside_launches_and_the_rest_is_listed() -> None:
    check = listing(site(kernel="ns::decode"), site(line=50, kernel="decode"), site(kernel="norm"))
    times = {"decode<64>": 10.0, "decode<128>": 5.0, "lost": 7.0, "gemm": 90.0, "late": 9.0}
    joined = with_measured(check, times, {"decode<64>", "decode<128>", "lost", "late"})
    assert [one.measured_ns_per_token for one in joined.sites] == [15.0, 15.0, None]
    assert joined.unmatched_kernels == (("late", 9.0), ("lost", 7.0))
