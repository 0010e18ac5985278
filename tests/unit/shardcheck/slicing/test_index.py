"""Files by what they define and call."""

from ..slices import index


def test_functions_and_methods_by_name() -> None:
    program = index({
        "a.cu": "void f() {}\nstruct A { void f() {} };",
        "b.py": "def f():\n    def g(): ...\nclass B:\n    def f(self): ...\n",
    })  # fmt: skip
    assert [(one.path, one.function.owner) for one in program.functions["f"]] == [
        ("a.cu", ""), ("a.cu", "A"), ("b.py", ""), ("b.py", "B"),
    ]  # fmt: skip
    assert [one.function.name for one in program.methods["A"]] == ["f"]
    assert list(program.classes) == ["A", "B"]


def test_calls_by_the_last_name_of_what_is_called() -> None:
    program = index({"a.cu": "void g() { ns::f(1); o.f(2); f(3); h(f); }"})
    assert [site.call.arguments[0].value for site in program.calls_of("f")] == [1, 2, 3]  # type: ignore[union-attr]
    assert list(program.calls_of("nowhere")) == []


def test_modules_by_every_dotted_name_that_ends_their_path() -> None:
    program = index({"pack/ops/tiles.py": "", "pack/__init__.py": "", "a.cu": ""})
    assert {name: [one.path for one in files] for name, files in program.modules.items()} == {
        "pack.ops.tiles": ["pack/ops/tiles.py"],
        "ops.tiles": ["pack/ops/tiles.py"],
        "tiles": ["pack/ops/tiles.py"],
        "pack": ["pack/__init__.py"],
    }


def test_functions_that_may_write_a_parameter() -> None:
    text = "void a(int& n) { n = 1; }\nvoid b(const int& n) {}\nvoid c(int n) {}\nvoid d(int* n) {}"
    assert "a" in index({"a.cu": text}).writing
    assert "c" not in index({"a.cu": text}).writing
    assert "b" not in index({"a.cu": text}).writing


def test_macros_that_assign_directly_or_through_others() -> None:
    text = (
        "#define SET(a) a = 3\n#define OUTER(a) SET(a)\n#define READ(a) ((a) + 1)\n"
        "#define GRID(a) dim3 grid(a)\nvoid f() { int x = READ(2); }"
    )
    found = index({"a.cu": text}).macro_writes
    assert found == {"SET": {"a"}, "OUTER": {"a"}, "GRID": {"grid"}}


def test_functions_that_pass_on_what_others_may_write() -> None:
    text = "def a(s): s.n = 1\ndef b(s): a(s)\ndef c(s): s = 1\ndef d(s): print(s)\n"
    assert index({"a.py": text}).writing == {"a", "b"}


def test_methods_that_write_fields_themselves_or_by_others() -> None:
    text = (
        "struct A { int n, m; void a() { n = 1; } void b() { a(); int k = 3; this->m = k; }\n"
        " int c() { return n; } };\n"
    )
    found = index({"a.cu": text}).field_writes
    assert found == {"a": {"n"}, "b": {"n", "m"}}


def test_classes_by_their_bases() -> None:
    text = "class A: ...\nclass B(A): ...\nclass C(mod.A, B): ...\n"
    assert index({"a.py": text}).derived == {"A": ["B", "C"], "B": ["C"]}


def test_assignments_to_members_in_every_function() -> None:
    text = "class A:\n    def __init__(self, n):\n        self.n = n\ndef f(a):\n    a.n = 3\n"
    found = index({"a.py": text}).member_assignments["n"]
    assert [(function.name, assign.line) for function, _, assign in found] == [
        ("__init__", 3),
        ("f", 5),
    ]


def test_what_is_embedded_is_a_file_too() -> None:
    text = 'SOURCE = """\n__global__ void step(float* y) { y[0] = 1; }\n"""\n'
    program = index({"a.py": text})
    assert [one.language for one in program.files] == ["python", "c"]
    assert [one.function.kind for one in program.functions["step"]] == ["kernel"]


def test_a_declaration_that_a_file_repeats_is_there_once() -> None:
    text = "void k(int);\nvoid k(int);\nvoid k(int, int n = 3);\nvoid k(int a) {}\n"
    program = index({"a.cu": text, "b.cu": "void k(int);"})
    assert [(one.path, one.function.line) for one in program.functions["k"]] == [
        ("a.cu", 1), ("a.cu", 3), ("a.cu", 4), ("b.cu", 1),
    ]  # fmt: skip
