"""Templates of source text become the source that they make."""

import pytest

from geoaudit.shardcheck.c_family.placeholders import CLOSES, OPENS, named, without_placeholders
from geoaudit.shardcheck.c_family.reading import read_c_file


@pytest.mark.parametrize(
    ("template", "source"),
    [
        (
            "void f() {{ {name}_nl<<<{grid}, 32>>>({0}); }}",
            "void f() { name_nl<<<grid, 32>>>(formatted_value); }",
        ),
        ("if (n == {k.rows:d}) {{{{ f(); }}}}", "if (n == rows) { f(); }"),
        (
            "void f() {\n  {{ k.name }}<<<{{ n }}, 1>>>({{ args|join(', ') }});\n}",
            "void f() {\n  name<<<n, 1>>>(args);\n}",
        ),
        ("{% if a\n %}\nf();\n{% endif %}{# no #}", "\n\nf();\n"),
        ("void f() {{\n{head}\n  f();\n}}", "void f() {\n\n  f();\n}"),
        ("{kernel}\n  <<<grid, 1>>>({args});", "kernel\n  <<<grid, 1>>>(args);"),
        ("{indent}k<<<1, 2>>>(x);", "k<<<1, 2>>>(x);"),
        ("@@KERNEL@@<<<$grid, ${block}>>>(%(x)s);", "KERNEL<<<grid, block>>>(x);"),
        ("k<<<%d, %d>>>();", "k<<<formatted_value,formatted_value>>>();"),
        (f"{OPENS}grid{CLOSES}_x", "grid_x"),
    ],
)
def test_a_template_reads_as_its_source(template: str, source: str) -> None:
    assert without_placeholders(template) == source


@pytest.mark.parametrize(
    "source",
    [
        "void f() { int a[2][2] = {{1, 2}, {3, 4}}; g({}); }",
        "template <int N> struct S { T x{n}; };",
        'printf("%d %s", a % b, c%d);',
    ],
)
def test_what_is_no_template_stays(source: str) -> None:
    assert without_placeholders(source) == source


def test_an_expression_is_named_by_its_last_name() -> None:
    assert [named(each) for each in ("k.name", "n", "128", "f(x)", "x | upper")] == [
        "name",
        "n",
        "128",
        "formatted_value",
        "x",
    ]


def test_a_file_that_is_a_template() -> None:
    text = "{% if x %}\nvoid f() { {{ name }}<<<{{ n }}, 1>>>({{ args }}); }\n{% endif %}\n"
    assert read_c_file("a.cu.jinja", text).recognised == (("chevron", 1),)
