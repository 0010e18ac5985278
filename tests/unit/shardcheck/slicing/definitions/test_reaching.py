"""What reaches the end of a function, through branches, blocks and early returns."""

import pytest

from ...slices import assert_extent, assert_unknown, c_value, python_value


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = n; x = m;", "m"),
        ("int x = n; if (c) x = m;", "m if c else n"),
        ("int x = n; if (c) { x = m; return; }", "n"),
        ("int x = n; if (c) { throw 1; } else { x = m; }", "m"),
        ("int x = n; if (c) { x = m; } else { abort(); }", "m"),
        ("int x = n; if (c) { int x = m; x += 1; }", "n"),
        ("int x = n; { int x = m; x += 1; }", "n"),
        ("int x = n; { x = m; }", "m"),
        ("int x; if (n > 4) x = n; else if (n > 2) x = m; else x = k;",
         "n if n > 4 else m if n > 2 else k"),
        ("int x = n; if (c) { if (m > 2) x = m; }", "(m if m > 2 else n) if c else n"),
        ("int y = n; int x = y; y = m;", "n"),
        ("int x = 1; switch (n) { case 4: x = m; break; case 8: x = k; break; }",
         "m if n == 4 else k if n == 8 else 1"),
        ("int x = 2; switch (n) { case 1: case 3: x = m; break; default: x = k; }",
         "m if n == 1 or n == 3 else k"),
        ("int x = 1; switch (n) { case 1: x = m; case 2: x = x * 2; break; }",
         "m * 2 if n == 1 else 2 if n == 2 else 1"),
        ("int x; if constexpr (sizeof(int) == 4) x = n; else x = m;", "n"),
        ("int x = n; if (int y = m; y > 2) x = y;", "m if m > 2 else n"),
        ("int x = n; try { x = m; } catch (...) { throw; }", "m"),
    ],
)  # fmt: skip
def test_the_last_assignment_on_every_path_counts_in_c(body: str, expected: str) -> None:
    assert_extent(c_value(body), expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = n\nif c:\n    x = m", "m if c else n"),
        ("x = n\nif c:\n    x = m\n    return x", "n"),
        ("x = n\nif c:\n    raise ValueError\nelse:\n    x = m", "m"),
        ("if n > 4:\n    x = n\nelif n > 2:\n    x = m\nelse:\n    x = k",
         "n if n > 4 else m if n > 2 else k"),
        ("x = n\nif (y := m * 2) > 4:\n    x = y", "m * 2 if m * 2 > 4 else n"),
        ("if (x := m * 2) > 4:\n    pass", "m * 2"),
        ("x = n\nwith guard(m) as y:\n    x = m", "m"),
        ("try:\n    x = n\nexcept ValueError:\n    x = m", "one_of(n, m)"),
        ("x = n\ntry:\n    import fast\nexcept ImportError:\n    x = m", "one_of(n, m)"),
        ("x = n\ny = [x for x in range(m)]", "n"),
        ("x = n\ny = lambda x: m", "n"),
        ("x = n\ndef inner():\n    x = m\ninner()", "n"),
        ("x: int = n", "n"),
        ("match n:\n    case 4:\n        x = m\n    case _:\n        x = k", "m if n == 4 else k"),
        ("x = n if c else m", "n if c else m"),
        ("x = n\nassert x > m", "n"),
    ],
)  # fmt: skip
def test_the_last_assignment_on_every_path_counts_in_python(body: str, expected: str) -> None:
    assert_extent(python_value(body), expected)


def test_a_name_that_was_overwritten_is_not_on_the_way() -> None:
    assert c_value("int y = m; int x = y; x = n;").names == {"x", "n"}


def test_a_condition_is_on_the_way_where_it_chooses_between_numbers() -> None:
    assert c_value("int x = n; if (m > 2) x = 4;").names == {"x", "n"}
    assert c_value("int x = 8; if (m > 2) x = 4;").names == {"m"}


def test_a_variable_that_is_given_nothing_is_unknown() -> None:
    assert_unknown(c_value("int x;"), of=set(), reason="x is declared and given no value here")


def test_a_branch_of_the_preprocessor_declares_for_what_follows() -> None:
    body = "#ifdef WIDE\n  int x = n;\n#else\n  int x = m;\n#endif"
    assert_extent(c_value(body), "one_of(n, m)")
