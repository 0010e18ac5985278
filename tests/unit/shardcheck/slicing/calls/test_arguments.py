"""Arguments bound to parameters."""

import pytest

from geoaudit.shardcheck.slicing.calls.arguments import accepts, bound
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.slicer import Slicer
from geoaudit.shardcheck.symbolic.wording import as_text

from ...slices import ENGINE_CU, ENGINE_PY, index


def arguments(text: str, path: str) -> dict[str, str] | None:
    """Parameter -> argument of the one call of ``g`` in ``f``; None: ``g`` does not take them."""
    program = index({path: text})
    (called,) = program.functions["g"]
    (caller,) = program.functions["f"]
    ((_, call),) = [one for one in caller.calls if "g" in str(one[1].function)]
    if not accepts(called, call):
        return None
    slicer = Slicer(program=program)
    body = caller.function.body
    end = Point(block=body, index=len(body))
    found = bound(slicer, called, call, slicer.open_frame(caller), end)
    return {name: as_text(as_quantity(slicer, found[name], name).extent) for name in found}


@pytest.mark.parametrize(
    ("parameters", "given", "expected"),
    [
        ("int a, int b", "n, m", {"a": "n", "b": "m"}),
        ("int a, int b = 3", "n", {"a": "n"}),
        ("int a", "n, m", None),
        ("int a, int b", "n", None),
        ("", "", {}),
    ],
)
def test_arguments_of_c(parameters: str, given: str, expected: dict[str, str] | None) -> None:
    text = f"int g({parameters}) {{ return 1; }}\nvoid f(int n, int m) {{ g({given}); }}"
    assert arguments(text, ENGINE_CU) == expected


@pytest.mark.parametrize(
    ("parameters", "given", "expected"),
    [
        ("a, b", "n, m", {"a": "n", "b": "m"}),
        ("a, b", "b=n, a=m", {"b": "n", "a": "m"}),
        ("a, b=3", "n", {"a": "n"}),
        ("a, b", "n", None),
        ("a, b", "n, m, k", None),
        ("a, *, b", "n, b=m", {"a": "n", "b": "m"}),
        ("a, b", "*(n, m)", {"a": "n", "b": "m"}),
        ("a, b, c", "n, *(m, k)", {"a": "n", "b": "m", "c": "k"}),
        ("a, **rest", "n, b=m", {"a": "n", "rest": "unknown(rest is no number that can be told)"}),
    ],
)
def test_arguments_of_python(parameters: str, given: str, expected: dict[str, str] | None) -> None:
    text = f"def g({parameters}): ...\ndef f(n, m, k):\n    g({given})\n"
    assert arguments(text, ENGINE_PY) == expected


def test_template_arguments_are_bound_by_place() -> None:
    text = "template <int A, int B = 2> int g(int a) { return a; }\nvoid f(int n) { g<4>(n); }"
    assert arguments(text, ENGINE_CU) == {"a": "n", "A": "4"}
