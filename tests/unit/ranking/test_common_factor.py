import numpy as np
import pytest

from geoaudit.launches.recording import Recording, TokenOptions
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from tests.unit.ranking.builders import Launch, recording

BY_RANGE = RankOptions(token_options=TokenOptions(token_range="decode"))
KERNELS = tuple(f"k{number}" for number in range(6))


def decode(factors: list[float], *, contended: str = "", kernels: int = 6) -> Recording:
    """A token of three sites for each kernel, all durations times the token's factor."""
    generator = np.random.default_rng(3)
    launches = []
    for token, factor in enumerate(factors):
        start = token * 1_000_000
        for site in range(3):
            for kernel in KERNELS[:kernels]:
                noise = 1 + 0.002 * generator.standard_normal()
                noise *= generator.choice([1.0, 1.3, 1.6]) if kernel == contended else 1.0
                duration = round(20_000 * (site + 1) * factor * noise)
                launches.append(
                    Launch(kernel=kernel, start=start, duration=duration, ranges=f"decode#{token}")
                )
                start += duration
    return recording(launches)


def test_a_clock_moves_all_kernels_and_leaves_no_spread_without_it() -> None:
    factors = [1.0, 1.2, 0.9, 1.1] * 3
    for row in rank(decode(factors), BY_RANGE).rows:
        assert row.timing is not None
        assert row.timing.common_factor_range == pytest.approx(1.2 / 0.9 - 1, abs=0.01)
        assert row.timing.relative_mad is not None
        assert row.timing.relative_mad > 0.07
        assert row.timing.relative_mad_without_common_factor == pytest.approx(0.0015, abs=0.0015)


def test_contention_of_one_kernel_is_no_common_factor() -> None:
    audit = rank(decode([1.0] * 12, contended="k0"), BY_RANGE)
    timing = next(row.timing for row in audit.rows if row.kernel == "k0")
    assert timing is not None
    assert timing.common_factor_range == pytest.approx(0.0, abs=0.01)
    assert timing.relative_mad_without_common_factor == pytest.approx(timing.relative_mad, abs=0.01)


def test_few_kernels_or_no_tokens_tell_no_common_factor() -> None:
    for audit in (
        rank(decode([1.0] * 12, kernels=4), BY_RANGE),
        rank(recording([Launch(kernel=kernel) for kernel in KERNELS]), RankOptions()),
    ):
        timing = audit.rows[0].timing
        assert timing is not None
        assert timing.common_factor_range is None
        assert timing.relative_mad_without_common_factor is None
