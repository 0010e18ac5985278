# CUDA that Python fills in before it is compiled.
# options: --dim n_head=96:tp
import jinja2

FORMATTED = r"""
void run(float* x, int n_head) {{
    {name}_nl<<<dim3(n_head, {splits}), {threads}>>>(x);  // expect: symbols.x=n_head symbols.y=splits kernel=name_nl
}}
"""

JINJA = jinja2.Template(r"""
void run(float* x, int n_head) {
{% if wide %}
    {{ name }}<<<n_head * 2, 64>>>(x);  // expect: collapses grid=(n_head * 2) kernel=name
{% endif %}
}
""")


def made(name, rows):
    return f"""
void run(float* x, int n_head) {{
    {name}<T><<<n_head, 64>>>(x);  // expect: collapses grid=(n_head) kernel=name
    {name}<T><<<{rows}, 64>>>(x);  // expect: symbols.x=rows
}}
"""


def first_part(indent):
    return (
        f"{indent}only<<<4, 64>>>(\n"  # expect: grid=(4) kernel=only
        f"{indent}    x);\n"
    )
