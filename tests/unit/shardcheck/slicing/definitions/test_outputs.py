"""Variables that calls write through pointers and references."""

import pytest

from ...slices import assert_extent, assert_unknown, c_value

FILLING = """
struct Parts { int rows; int columns; };
void by_pointer(int* out, int v) { *out = v * 2; }
void by_reference(int& out, int v) { out = v * 2; }
void not_at_all(const int& in, int v) { v = in; }
void by_value(int out, int v) { out = v; }
void through(int* out, int v) { by_pointer(out, v + 1); }
void sometimes(int& out, int v) { if (v > 4) out = v; }
void both(int v, int* first, int* second) { *first = v; *second = v + 1; }
void fields(Parts* p, int v) { p->rows = v; p->columns = 3; }
void fields_by_reference(Parts& p, int v) { p.rows = v; }
int returns_and_writes(int v, int& out) { out = v * 3; return 0; }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x; by_pointer(&x, n);", "n * 2"),
        ("int x; by_reference(x, n);", "n * 2"),
        ("int x = m; not_at_all(x, n);", "m"),
        ("int x = m; by_value(x, n);", "m"),
        ("int x = m; sometimes(x, n);", "n if n > 4 else m"),
        ("int x, y; both(n, &y, &x);", "n + 1"),
        ("Parts p; fields(&p, n); int x = p.rows * p.columns;", "n * 3"),
        ("Parts p; fields_by_reference(p, n); int x = p.rows;", "n"),
        ("Parts p; p.columns = m; fields_by_reference(p, n); int x = p.columns;", "m"),
        ("int x; int error = returns_and_writes(n, x);", "n * 3"),
        ("int x = m; if (c) by_reference(x, n);", "n * 2 if c else m"),
        ("int a[2]; by_pointer(&a[0], n); by_pointer(&a[1], m); int x = a[0];", "n * 2"),
        ("int x = n; by_reference(x, x);", "n * 2"),
    ],
)
def test_what_a_function_of_the_source_writes(body: str, expected: str) -> None:
    assert_extent(c_value(body, FILLING), expected)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("int x; cudaDeviceGetAttribute(&x, cudaDevAttrMultiProcessorCount, 0);", "sm_count"),
        ("int x; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&x, k, 128, 0);", "occupancy"),
        ("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int x = p.multiProcessorCount;",
         "sm_count"),
    ],
)  # fmt: skip
def test_what_the_runtime_writes(body: str, kind: str) -> None:
    extent = c_value(body).extent
    assert getattr(extent, "kind", extent) == kind


def test_what_is_written_elsewhere_is_unknown() -> None:
    found = c_value("int x = n; query_size(&x, m);")
    assert_unknown(found, of=set(), reason="x is written by query_size, which is not followed")
