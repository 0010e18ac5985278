import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.diagnosis.floor import floor_ns, floor_ratio


def test_the_documents_kernel() -> None:
    # 3.1 MB in 87 µs against the document's own floor of 0.9 µs; at 4.17 TB/s it is 0.74 µs.
    assert floor_ns(3_100_000, 4.17e12, 0) == pytest.approx(743, abs=1)
    assert floor_ratio(87_000, 900) == pytest.approx(96.7, abs=0.05)


def test_a_launch_is_a_floor_too() -> None:
    assert floor_ns(0, 4.17e12, 1300) == 1300
    assert floor_ns(4.17e12 / 1e6, 4.17e12, 1300) == 1300
    assert floor_ns(4.17e12 / 1e5, 4.17e12, 1300) == pytest.approx(10_000)


def test_what_is_not_known_has_no_floor() -> None:
    assert floor_ns(None, 4.17e12, 1300) is None
    assert floor_ratio(1000, None) is None
    assert floor_ratio(None, 1000) is None
    assert floor_ratio(1000, 0) is None


@given(size=st.integers(0, 10**12), launch=st.floats(0, 1e5), bandwidth=st.floats(1e9, 1e13))
def test_a_floor_is_below_neither_of_its_parts(size: int, launch: float, bandwidth: float) -> None:
    floor = floor_ns(size, bandwidth, launch)
    assert floor is not None
    assert floor >= launch
    assert floor >= size / bandwidth * 1e9
    assert floor in (launch, size / bandwidth * 1e9)
