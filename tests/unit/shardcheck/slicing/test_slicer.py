"""The slice as a whole: where it ends, and what it does not repeat."""

import pytest

from geoaudit.shardcheck.symbolic.extents import Symbol, Unknown
from geoaudit.shardcheck.symbolic.walking import walk

from ..slices import ENGINE_PY, assert_extent, assert_unknown, c_value, python_value, value_of


def test_what_is_made_of_itself_comes_to_an_end() -> None:
    assert_extent(c_value("int x = x;"), "x")
    assert_extent(c_value("int x = y + 1; int y = x;"), "y + 1")
    assert_unknown(c_value("auto g = [&](int a) { return g(a); }; int x = g(n);"), of={"n"})


def test_a_very_deep_expression_is_given_up_and_not_wrong() -> None:
    found = c_value("int x = " + "(" * 60 + "n" + " * m + 1)" * 60 + ";")
    assert any(isinstance(one, Unknown) for one in walk(found.extent))
    assert_extent(c_value("int x = " + "(" * 9 + "n" + " + 1)" * 9 + ";"), "n + 9")


def test_a_long_chain_of_assignments_is_followed() -> None:
    lines = [f"int a{i} = a{i - 1} + 1;" for i in range(1, 12)]
    assert_extent(c_value("int a0 = n;" + "".join(lines) + "int x = a11;"), "n + 11")


def test_doubling_work_is_done_once() -> None:
    lines = [f"int a{i} = c ? a{i - 1} : a{i - 1} + a{i - 1};" for i in range(1, 12)]
    found = c_value("int a0 = n;" + "".join(lines) + "int x = a11;")
    assert "n" in found.names
    assert "m" not in found.names


@pytest.mark.parametrize("name", ["tp_size", "world_size", "self.tp_size"])
def test_a_number_of_ranks_stays_one_whatever_it_is_set_to(name: str) -> None:
    found = python_value(f"{name} = 1\nx = n // {name}")
    kinds = {one.name: one.kind for one in walk(found.extent) if isinstance(one, Symbol)}
    assert kinds == {"n": "parameter", name: "parallel_size"}


def test_an_sm_count_is_one_symbol_however_it_is_asked_for() -> None:
    found = python_value(
        "a = torch.cuda.get_device_properties(0).multi_processor_count\n"
        "b = get_num_sms()\nx = a * b",
        "import torch",
    )
    assert {one for one in walk(found.extent) if isinstance(one, Symbol)} == {
        Symbol(name="sm_count", kind="sm_count")
    }


def test_a_field_is_followed_beyond_its_file_only_where_that_is_asked() -> None:
    text = "def f(model):\n    x = model.rows\n"
    beside = {"model.py": "class Model:\n    def __init__(self, n):\n        self.rows = n * 2\n"}
    assert_extent(value_of(text, path=ENGINE_PY, beside=beside), "model.rows")
    beyond = value_of(text, path=ENGINE_PY, beside=beside, crosses_files=True)
    assert_extent(beyond, "n * 2")
