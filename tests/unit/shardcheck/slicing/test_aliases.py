"""Other names of variables."""

from geoaudit.shardcheck.slicing import aliases
from geoaudit.shardcheck.slicing.functions import IndexedFunction

from ..slices import ENGINE_CU, ENGINE_PY, index


def function(text: str, path: str = ENGINE_CU) -> IndexedFunction:
    (found,) = index({path: text}).functions["f"]
    return found


def meant(one: IndexedFunction, *place: str) -> tuple[str, ...]:
    return aliases.meant(one.aliases, place)


def test_a_pointer_that_is_written_through_is_what_it_points_to() -> None:
    one = function("void f(P o) { P p; P* q = &p; P* r = o; P s = p; q->rows = 1; r->rows = 1; }")
    assert meant(one, "q", "rows") == ("p", "rows")
    assert meant(one, "r", "rows") == ("r", "rows")
    assert meant(one, "s", "rows") == ("s", "rows")


def test_a_name_by_which_nothing_is_written_stays_a_name() -> None:
    assert not function("void f() { int n = 1; int& r = n; r + n; }").aliases
    assert not function("void f() { int n = 1; const int& r = n; n = 2; }").aliases
    assert function("void f() { int n = 1; int& r = n; n = 2; }").aliases


def test_a_pointer_of_two_variables_may_write_either() -> None:
    one = function("void f(int c) { int a, b; int* p = &a; if (c) p = &b; *p = 1; }")
    assert meant(one, "p") == ("p",)
    assert aliases.written(one.aliases, ("p",), "b", "c") == (("b",), False)
    assert one.other_names == {"a": {"p"}, "b": {"p"}}


def test_a_reference_of_a_reference_is_the_variable() -> None:
    one = function("void f(P p) { auto& q = p.inner; int& r = q.rows; r = 1; }")
    assert meant(one, "r") == ("p", "inner", "rows")


def test_objects_of_python_have_two_names_while_neither_is_given_another() -> None:
    text = "def f(c):\n    a = S()\n    d = a\n    d.rows = 1\n    n = c\n    n += 1\n"
    one = function(text, ENGINE_PY)
    assert meant(one, "d", "rows") == ("a", "rows")
    assert meant(one, "n") == ("n",)
    twice = function("def f(a, c):\n    b = a\n    b.rows = 1\n    b = c\n", ENGINE_PY)
    assert meant(twice, "b", "rows") == ("b", "rows")
    assert aliases.written(twice.aliases, ("b", "rows"), "a", "python") == (("a", "rows"), False)
