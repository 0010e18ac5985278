"""What a statement may change."""

from geoaudit.shardcheck.slicing.definitions.effects import Effects, effects_of

from ...slices import ENGINE_CU, ENGINE_PY, index


def effects(body: str, path: str = ENGINE_CU) -> Effects:
    text = f"def f():\n    {body}\n" if path == ENGINE_PY else f"void f() {{ {body} }}"
    (function,) = index({path: text}).functions["f"]
    (statement,) = function.function.body
    return effects_of(statement, {})


def test_targets_are_assigned_by_their_variable() -> None:
    assert effects("a = b;").assigned == {"a"}
    assert effects("a.b[2].c = d;").assigned == {"a"}
    assert effects("p->h = d;").assigned == {"p"}
    assert effects("a, (b, *c) = d", ENGINE_PY).assigned == {"a", "b", "c"}
    assert effects("a[i], b.c = d", ENGINE_PY).assigned == {"a", "b"}


def test_what_stands_within_branches_and_loops_counts() -> None:
    found = effects("if (c) { while (d) { a = 1; g(&b); } } else { h(e); }")
    assert found.assigned == {"a"}
    assert found.addressed == {"b"}
    assert found.passed == {"e"}
    assert found.called == {"g", "h"}


def test_the_target_of_a_loop_is_assigned() -> None:
    text = "for a, b in c: d = 1"
    assert effects(text, ENGINE_PY).assigned == {"a", "b", "d"}


def test_addresses_and_plain_arguments_are_told_apart() -> None:
    found = effects("g(&a, b, c.d, 3, e + 1);")
    assert found.addressed == {"a"}
    assert found.passed == {"b", "c"}


def test_a_statement_is_looked_at_once() -> None:
    (function,) = index({ENGINE_CU: "void f() { a = g(b); }"}).functions["f"]
    known: dict[int, Effects] = {}
    (statement,) = function.function.body
    assert effects_of(statement, known) is effects_of(statement, known)
