"""The class of an object, from declarations alone."""

import pytest

from geoaudit.shardcheck.program.expressions import Call
from geoaudit.shardcheck.program.statements import Evaluate
from geoaudit.shardcheck.slicing.calls.receivers import class_of, family_of
from geoaudit.shardcheck.slicing.slicer import Slicer

from ...slices import ENGINE_CU, index

TYPES = """
struct A { int h; A* next; A make() { return *this; } };
struct B : A {};
using C = A;
struct Holder { std::unique_ptr<A> a; void f() { BODY; } };
"""


@pytest.mark.parametrize(
    ("before", "object_", "expected"),
    [
        ("A a;", "a", "A"),
        ("A* a = nullptr;", "a", "A"),
        ("const A& a = g();", "a", "A"),
        ("auto a = A{};", "a", "A"),
        ("auto a = A();", "a", "A"),
        ("A a; auto b = a;", "b", "A"),
        ("std::shared_ptr<A> a;", "a", "A"),
        ("A a;", "a.next", "A"),
        ("A a;", "a.make()", "A"),
        ("A a;", "(&a)", "A"),
        ("", "a", "A"),
        ("", "this", "Holder"),
        ("auto a = elsewhere();", "a", ""),
        ("", "nowhere", ""),
    ],
)
def test_classes_of_objects(before: str, object_: str, expected: str) -> None:
    text = TYPES.replace("BODY", f"{before} use({object_})")
    program = index({ENGINE_CU: text})
    (function,) = program.functions["f"]
    last = function.function.body[-1]
    assert isinstance(last, Evaluate)
    assert isinstance(last.value, Call)
    (node,) = last.value.arguments
    assert class_of(Slicer(program=program), node, function) == expected


def test_a_family_is_a_class_with_its_bases() -> None:
    slicer = Slicer(program=index({ENGINE_CU: TYPES.replace("BODY", "")}))
    assert family_of(slicer, "B") == {"A", "B"}
    assert family_of(slicer, "A") == {"A"}
    assert family_of(slicer, "C") == {"A", "C"}
