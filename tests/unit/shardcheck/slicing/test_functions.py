"""Functions with the points and calls in them."""

from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing.functions import IndexedFunction

from ..slices import ENGINE_CU, ENGINE_PY, index


def function(text: str, name: str, path: str = ENGINE_CU) -> IndexedFunction:
    (found,) = index({path: text}).functions[name]
    return found


def test_every_statement_has_a_point_also_within_branches_and_loops() -> None:
    one = function("void f(int n) { if (n) { n = 1; } while (n) { n = 2; } n = 3; }", "f")
    assert sorted(type(point.statement).__name__ for point in one.points) == [
        "Assign", "Assign", "Assign", "Branch", "Loop",
    ]  # fmt: skip
    assert [point.parent is None for point in one.points].count(True) == 3


def test_calls_within_calls_and_conditions_are_calls() -> None:
    one = function("void f(int n) { if (a(n)) b(c(n), d); }", "f")
    assert {last_name(call.function) for _, call in one.calls} == {"a", "b", "c"}


def test_self_is_no_parameter_of_a_call_but_of_a_static_method() -> None:
    text = (
        "class A:\n    def f(self, n): ...\n    @staticmethod\n    def g(n): ...\n"
        "    @classmethod\n    def h(cls, n): ...\n    @property\n    def p(self): ...\n"
        "def top(n): ...\n"
    )
    names = {
        name: (one.object_name, [parameter.name for parameter in one.own_parameters])
        for name in "fgh"
        for one in [function(text, name, ENGINE_PY)]
    }
    assert names == {"f": ("self", ["n"]), "g": ("", ["n"]), "h": ("cls", ["n"])}
    assert function(text, "p", ENGINE_PY).is_property
    assert not function(text, "f", ENGINE_PY).is_property
    assert function(text, "top", ENGINE_PY).object_name == ""


def test_a_hidden_function_of_a_header_is_not_of_one_file() -> None:
    assert function("static void f() {}", "f").is_of_one_file
    assert function("namespace { void f() {} }", "f").is_of_one_file
    assert not function("static void f() {}", "f", "a.cuh").is_of_one_file
    assert not function("void f() {}", "f").is_of_one_file


def test_the_first_assignment_to_a_variable_declares_it() -> None:
    one = function("void f(int n) { int a = n; a = 2; }", "f")
    assert {name: statement.type for name, statement in one.declarations.items()} == {"a": "int"}
