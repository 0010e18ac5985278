from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.ranking.audit import Audit, TimelineLaunch
from geoaudit.render.token_picture import (
    MARGIN_LEFT,
    PLOT_WIDTH,
    TALL_STRIP,
    TokenPicture,
    picture_title,
    token_pictures,
)
from tests.unit.render import builders


def launch(start_ns: int, duration_ns: int, fill: float | None, rank: int = 1) -> TimelineLaunch:
    return TimelineLaunch(
        kernel_short="kda_decode_step<float, 128>",
        start_ns=start_ns,
        duration_ns=duration_ns,
        sm_fill=fill,
        row_rank=rank,
    )


def pictures(launches: Sequence[TimelineLaunch]) -> tuple[TokenPicture, ...]:
    audit = replace(builders.audit(), timeline=tuple(launches), pictured_wall_ns=None)
    return token_pictures(audit)


def picture(launches: Sequence[TimelineLaunch]) -> TokenPicture:
    """The last picture: the one without gaps where there are two."""
    return pictures(launches)[-1]


def filled_area(made: TokenPicture) -> float:
    """Share of the plot's area that is filled."""
    area = sum(bar.width * bar.height for strip in made.strips for bar in strip.bars)
    return area / (len(made.strips) * PLOT_WIDTH * made.strip_height)


def test_width_is_time_and_height_is_fill() -> None:
    made = picture([launch(0, 300, 0.25), launch(400, 600, 1.0)])
    first, second = made.strips[0].bars
    assert first.x == MARGIN_LEFT
    assert first.width == pytest.approx(0.3 * PLOT_WIDTH, abs=0.01)
    assert first.height == pytest.approx(0.25 * TALL_STRIP, abs=0.01)
    assert second.x == pytest.approx(MARGIN_LEFT + 0.4 * PLOT_WIDTH, abs=0.01)
    assert second.height == TALL_STRIP
    assert first.verdict == "starved"


def test_an_unknown_fill_is_a_full_bar_of_its_own_kind() -> None:
    bar = picture([launch(0, 10, None)]).strips[0].bars[0]
    assert bar.verdict == "unknown"
    assert bar.height == TALL_STRIP
    assert "SM fill unknown" in bar.title


def test_launches_side_by_side_stand_on_each_other() -> None:
    made = picture([launch(0, 1000, 0.25), launch(500, 1000, 0.5)])
    assert filled_area(made) == pytest.approx((1000 * 0.25 + 1000 * 0.5) / 1500, rel=1e-3)
    tops = [bar.y for bar in made.strips[0].bars]
    assert min(tops) == pytest.approx(made.strips[0].y + 0.25 * TALL_STRIP, abs=0.01)


def test_together_they_never_fill_more_than_all() -> None:
    made = picture([launch(0, 1000, 0.75), launch(0, 1000, 0.75)])
    assert filled_area(made) == pytest.approx(1.0, rel=1e-3)


@given(
    st.lists(
        st.tuples(st.integers(0, 3000), st.integers(1, 5000), st.floats(0, 1)),
        min_size=1,
        max_size=400,
    )
)
def test_the_filled_area_is_the_filled_sm_time(steps: list[tuple[int, int, float]]) -> None:
    launches: list[TimelineLaunch] = []
    now = 0
    for gap, duration_ns, fill in steps:
        now += gap if launches else 0
        launches.append(launch(now, duration_ns, fill))
        now += duration_ns
    filled = sum(one.duration_ns * (one.sm_fill or 0) for one in launches)
    made = picture(launches)
    time_ns = now if made.gaps else sum(one.duration_ns for one in launches)
    wanted = filled / time_ns
    assert filled_area(made) == pytest.approx(wanted, abs=0.01)
    for strip in made.strips:
        for bar in strip.bars:
            assert strip.y - 0.02 <= bar.y <= strip.y + made.strip_height + 0.02
            assert MARGIN_LEFT <= bar.x <= MARGIN_LEFT + PLOT_WIDTH


def test_thin_launches_are_drawn_together() -> None:
    launches = [launch(index * 10, 10, 0.5) for index in range(3000)]
    launches += [launch(30_000, 30_000_000, 1.0)]
    made = picture(launches)
    assert sum(len(strip.bars) for strip in made.strips) < 30
    assert any("too short to draw apart" in bar.title for bar in made.strips[0].bars)


def test_the_verdict_is_that_of_the_launch_s_own_row() -> None:
    audit = builders.audit()
    made = token_pictures(audit)[0]
    verdicts = {bar.title.split(" · ")[0]: bar.verdict for bar in made.strips[0].bars}
    assert verdicts["ncclDevKernel_AllReduce_Sum_bf16_RING_LL"] == "communication"
    assert verdicts["kda_decode_step<float, 128>"] == "starved"


@pytest.mark.parametrize("timeline", [(), (launch(0, 0, 1.0),)])
def test_no_time_no_picture(timeline: tuple[TimelineLaunch, ...]) -> None:
    audit: Audit = replace(builders.audit(), timeline=timeline)
    assert token_pictures(audit) == ()


def test_mostly_gaps_are_shown_and_then_left_out() -> None:
    sparse, closed = pictures([launch(0, 100, 0.5), launch(9_000, 300, 1.0)])
    assert (sparse.gaps, closed.gaps) == (True, False)
    assert filled_area(sparse) == pytest.approx(350 / 9_300, abs=1e-3)
    assert filled_area(closed) == pytest.approx(350 / 400, abs=1e-3)


def test_closing_gaps_keeps_launches_side_by_side() -> None:
    launches = [launch(5_000, 100, 0.25), launch(5_050, 100, 0.5), launch(90_000, 50, 1.0)]
    assert filled_area(picture(launches)) == pytest.approx((25 + 50 + 50) / 200, abs=1e-3)


def test_ticks_are_round_and_within_the_plot() -> None:
    ticks = picture([launch(0, 1_000_000, 1.0)]).strips[0].ticks
    assert [tick.label for tick in ticks][:3] == ["0 µs", "200 µs", "400 µs"]
    assert all(MARGIN_LEFT <= tick.x <= MARGIN_LEFT + PLOT_WIDTH for tick in ticks)


def test_the_pause_after_the_last_kernel_is_in_the_picture() -> None:
    timeline = (launch(0, 700, 1.0),)
    audit = replace(builders.audit(), timeline=timeline, pictured_wall_ns=1000.0)
    (made,) = token_pictures(audit)
    assert filled_area(made) == pytest.approx(0.7, abs=1e-3)
    assert made.strips[0].ticks[-1].x == pytest.approx(MARGIN_LEFT + PLOT_WIDTH, abs=0.01)


def test_a_long_pause_at_the_end_gets_the_picture_without_gaps() -> None:
    audit = replace(builders.audit(), timeline=(launch(0, 10, 1.0),), pictured_wall_ns=1000.0)
    sparse, closed = token_pictures(audit)
    assert filled_area(sparse) == pytest.approx(0.01, abs=1e-3)
    assert filled_area(closed) == pytest.approx(1.0, abs=1e-3)


def test_the_title_says_which_token() -> None:
    assert picture_title(builders.audit()) == "Token 5 of 12, the one of median wall time"
    assert picture_title(builders.trace_audit()) == "The start of the trace"
