"""Which functions a call means, and which calls mean a function."""

import pytest

from geoaudit.shardcheck.slicing.calls.resolution import calls_of
from geoaudit.shardcheck.slicing.slicer import Slicer

from ...slices import index


def callers(files: dict[str, str], name: str, number: int = 0) -> list[tuple[str, str]]:
    """Path and name of the functions that call one, as far as they mean it."""
    program = index(files)
    found = [one for one in program.functions[name] if not one.function.is_declaration]
    slicer = Slicer(program=program)
    return [(site.caller.path, site.caller.name) for site in calls_of(slicer, found[number])]


@pytest.mark.parametrize(
    ("files", "number", "expected"),
    [
        ({"a.cu": "void f(int a) {}\nvoid g() { f(1); }"}, 0, [("a.cu", "g")]),
        ({"a.cu": "void f(int a) {}\nvoid g() { f(1, 2); }"}, 0, []),
        ({"a.cu": "void f(int a, int b = 2) {}\nvoid g() { f(1); f(1, 2); }"}, 0,
         [("a.cu", "g"), ("a.cu", "g")]),
        ({"a.cu": "void f(int a) {}\nvoid f(int a, int b) {}\nvoid g() { f(1, 2); }"}, 0, []),
        ({"a.cu": "void f(int a) {}\nvoid f(int a, int b) {}\nvoid g() { f(1, 2); }"}, 1,
         [("a.cu", "g")]),
        ({"a.cu": "void f() {}", "b.cu": "void g() { f(); }"}, 0, [("b.cu", "g")]),
        ({"a.cu": "static void f() {}", "b.cu": "void g() { f(); }"}, 0, []),
        ({"a.cuh": "static void f() {}", "b.cu": "void g() { f(); }"}, 0, [("b.cu", "g")]),
        ({"a.cu": "void f() {}", "b.cu": "static void f() {}\nvoid g() { f(); }"}, 0, []),
        ({"a.cu": "struct A { void f() {} };\nstruct B { void f() {} };\n"
                  "void g() { B b; b.f(); }"}, 0, []),
        ({"a.cu": "struct A { void f() {} };\nstruct B { void f() {} };\n"
                  "void g() { B b; b.f(); }"}, 1, [("a.cu", "g")]),
        ({"a.cu": "struct A { void f() {} };\nstruct B : A {};\nvoid g(B* b) { b->f(); }"}, 0,
         [("a.cu", "g")]),
        ({"a.cu": "struct A { void f() {} void g() { f(); } };"}, 0, [("a.cu", "g")]),
        ({"a.cu": "struct A { void f() {} };\nvoid g(std::shared_ptr<A> a) { a->f(); }\n"
                  "struct B { void f() {} };"}, 0, [("a.cu", "g")]),
        ({"a.cu": "struct A { static void f() {} };\nvoid g() { A::f(); }"}, 0, [("a.cu", "g")]),
        ({"a.cu": "void f() {}\nstruct A { void f() {} };\nvoid g() { A a; a.f(); }"}, 0, []),
    ],
)  # fmt: skip
def test_callers_in_c(files: dict[str, str], number: int, expected: list[tuple[str, str]]) -> None:
    assert callers(files, "f", number) == expected


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        ({"a.py": "def f(a): ...\ndef g():\n    f(1)\n"}, "f", [("a.py", "g")]),
        ({"a.py": "def f(a): ...\ndef g():\n    f()\n"}, "f", []),
        ({"a.py": "def f(a): ...\n", "b.py": "import a\ndef g():\n    a.f(1)\n"}, "f",
         [("b.py", "g")]),
        ({"a.py": "def f(a): ...\n", "b.py": "from a import f as h\ndef g():\n    h(1)\n"}, "f",
         [("b.py", "g")]),
        ({"a.py": "class A:\n    def f(self): ...\n    def g(self):\n        self.f()\n"}, "f",
         [("a.py", "g")]),
        ({"a.py": "class A:\n    def __init__(self, n): ...\nclass B(A):\n"
                  "    def __init__(self):\n        super().__init__(3)\n"}, "__init__",
         [("a.py", "__init__")]),
        ({"a.py": "class A:\n    @staticmethod\n    def forward(ctx, q): ...\n"
                  "def g(q):\n    A.apply(q)\n"}, "forward", [("a.py", "g")]),
        ({"a.py": "def f(a): ...\nclass A:\n    def f(self, a): ...\n    def g(self):\n"
                  "        self.f(1)\n"}, "f", []),
    ],
)  # fmt: skip
def test_callers_in_python(
    files: dict[str, str], name: str, expected: list[tuple[str, str]]
) -> None:
    assert callers(files, name) == expected


@pytest.mark.parametrize(
    ("binding", "call", "is_found"),
    [
        ('PYBIND11_MODULE(m, m) { m.def("attend", &attend_forward); }', "ext.attend(q, 3)", True),
        ('TORCH_LIBRARY(x, m) { m.def("attend(Tensor q, int n) -> ()"); '
         'm.impl("attend", torch::kCUDA, &attend_forward); }', "torch.ops.x.attend(q, 3)", True),
        ('PYBIND11_MODULE(m, m) { m.def("attend", &attend_forward); }', "ext.attend(q)", False),
        ('PYBIND11_MODULE(m, m) { m.def("other", &attend_forward); }', "ext.attend(q, 3)", False),
        ('PYBIND11_MODULE(m, m) { m.def("attend", &attend_forward); }', "torch.attend(q, 3)",
         False),
    ],
)  # fmt: skip
def test_callers_across_languages(binding: str, call: str, is_found: bool) -> None:
    files = {
        "a.cu": f"void attend_forward(torch::Tensor q, int n) {{}}\n{binding}\n",
        "b.py": f"import torch\nimport ext\ndef g(q):\n    {call}\n",
    }
    assert callers(files, "attend_forward") == ([("b.py", "g")] if is_found else [])
