"""CUDA in strings: which strings are, and on which lines their launches stand."""

import pytest

from geoaudit.shardcheck.program.spelling import spelled
from tests.unit.shardcheck.python.programs import launches, program


def _found(text: str) -> list[tuple[int, str, str]]:
    read = program(text)
    for one in read.embedded:
        assert (one.not_analysed, one.recognised) == ((), one.textual)
    found = [launch for one in read.embedded for launch in launches(one.functions)]
    return [(one.line, spelled(one.kernel), spelled(one.grid)) for one in found]


def test_a_string_that_is_formatted_later() -> None:
    assert _found(
        '''
        T = """
        void f(int n) {{
          {name}_nl<<<dim3(n, {splits}), {threads}>>>({args});
        }}
        """
        '''
    ) == [(4, "name_nl", "dim3(n, splits)")]


def test_jinja() -> None:
    assert _found(
        '''
        T = jinja2.Template(r"""
        {% set x = 1 %}
        void f(int n) {
          {% if pdl %}
          {{ name }}<<<n, 32>>>({{ args }});
          {% endif %}
        }
        """)
        '''
    ) == [(6, "name", "n")]


def test_a_formatted_string() -> None:
    assert _found(
        '''
        T = f"""{head}
        void f(int n) {{
          {k.name}<T><<<n * {
            rows
          }, 32>>>();
        }}
        """
        '''
    ) == [(4, "name", "n * rows")]


def test_a_formatted_string_that_is_formatted_again() -> None:
    assert _found(
        '''
        T = f"""if (x == {rows}) {{{{{{{{
          k<{rows}><<<n, 32>>>({{args}});
        }}}}}}}}""".format(args=args)
        '''
    ) == [(3, "k", "n")]


def test_strings_side_by_side_have_the_lines_of_the_file() -> None:
    assert _found(
        r"""
        T = (
            f"\n    {k}<{t}>\\\n"  # a remark
            f"{indent}    <<<grid_reduce, 32>>>("

            f"a,\n"
            "b);\nsecond<<<2, 3>>>();"
        )
        """
    ) == [(4, "k", "grid_reduce"), (7, "second", "2")]


def test_a_backslash_at_the_end_of_a_line_is_no_line_of_the_string() -> None:
    assert _found('T = """\\\nvoid f() {\n  k<<<1, 2>>>();\n}"""') == [(3, "k", "1")]


def test_a_string_that_only_launches_and_ends_amid_the_arguments() -> None:
    assert _found('T = """\nk<<<n, 32>>>(\n  x, """ + rest') == [(2, "k", "n")]


@pytest.mark.parametrize(
    "text",
    [
        'HELP = "call k<<<1, 2>>>(x) in the end"',
        'raise ValueError(f"no k<<<{grid}, 2>>>(x) here")',
        'def f():\n    """Launches.\n\n    k<<<1, 2>>>(x);\n    """',
        'WORD = "__global__ void"',
        'FOUND = text.replace("<<<", "").index("cudaLaunchKernelEx(")',
    ],
)
def test_sentences_are_no_sources(text: str) -> None:
    assert program(text).embedded == ()
