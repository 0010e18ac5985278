"""What the roots of a site are beyond its file."""

import pytest

from geoaudit.shardcheck.symbolic.wording import as_text

from ...slices import ENGINE_PY, assert_grid, site_of

PYTHON = "import triton\n\n@triton.jit\ndef step(q): ...\n\n"


def bound(text: str, beside: dict[str, str], path: str = ENGINE_PY) -> dict[str, str]:
    site = site_of(text, path, beside)
    return {symbol.name: as_text(extent) for symbol, extent in site.bindings}


@pytest.mark.parametrize(
    ("grid", "caller", "expected"),
    [
        ("rows", "attend(q, n // tp_size)", {"rows": "n // tp_size"}),
        ("rows", "attend(q, rows=n * 2)", {"rows": "n * 2"}),
        ("rows", "attend(q, 4)", {"rows": "4"}),
        ("q.shape[1]", "attend(q.view(-1, n, 64), 4)", {"q.shape[1]": "n"}),
        ("q.shape[0]", "attend(torch.empty(n, 2), 4)", {"q.shape[0]": "n"}),
        ("q.shape[1]", "attend(q.transpose(0, 1), 4)", {"q.shape[1]": "q.shape[0]"}),
        ("len(q)", "attend(torch.empty(n, 2), 4)", {"q.len": "n"}),
    ],
)
def test_arguments_of_callers_in_other_files(
    grid: str, caller: str, expected: dict[str, str]
) -> None:
    text = f"{PYTHON}def attend(q, rows):\n    step[({grid},)](q)\n"
    other = f"import torch\nfrom engine import attend\n\ndef run(q, n, tp_size):\n    {caller}\n"
    assert bound(text, {"model.py": other}) == expected


def test_a_test_does_not_say_what_a_model_passes() -> None:
    text = f"{PYTHON}def attend(q, rows):\n    step[(rows,)](q)\n"
    run = "from engine import attend\n\ndef run(q, n):\n    attend(q, {})\n"
    beside = {"model.py": run.format("n // 2"), "tests/test_model.py": run.format("7")}
    assert bound(text, beside) == {"rows": "n // 2"}


def test_a_field_is_followed_to_where_it_is_assigned() -> None:
    text = f"{PYTHON}def attend(q, config):\n    step[(config.heads,)](q)\n"
    other = (
        "class Config:\n    def __init__(self, total, tp_size):\n"
        "        self.heads = total // tp_size\n"
    )
    assert bound(text, {"config.py": other}) == {"config.heads": "total // tp_size"}


def test_without_callers_nothing_is_bound() -> None:
    text = f"{PYTHON}def attend(q, rows):\n    step[(rows, q.shape[1])](q)\n"
    assert bound(text, {"model.py": "def run(q): ...\n"}) == {}


def test_a_tensor_from_python_reaches_a_launch_of_c() -> None:
    text = """
    __global__ void step(float* y);
    void attend_forward(torch::Tensor q) { step<<<q.size(1), 64>>>(q.data_ptr<float>()); }
    PYBIND11_MODULE(m, m) { m.def("attend", &attend_forward); }
    """
    other = "import ext\n\ndef run(q, heads):\n    ext.attend(q.view(-1, heads, 64))\n"
    assert_grid(site_of(text), "(q.size(1))")
    assert bound(text, {"model.py": other}, "engine.cu") == {"q.size(1)": "heads"}
