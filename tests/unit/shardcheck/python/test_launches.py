"""Launches of every library: the line says idiom and grid as written; other lines have none."""

import re

import pytest

from .programs import launches, program

FILES = {
    "triton": """
        import triton
        from triton.experimental import gluon
        from .kernels import scale_kernel, reduce
        @triton.autotune(configs=[], key=[])
        @triton.jit
        def attend(x, B: tl.constexpr): pass
        compile_key = (1, 2)
        chosen = triton.jit(attend)
        TABLE = {"a": attend}
        attend[(n,)](x)  # triton
        attend[n, 2](x)  # triton
        attend[grid](x)  # triton
        attend[lambda meta: (n,)](x)  # triton
        chosen[shape](x)  # triton
        self.attend[sizes](x)  # triton
        scale_kernel[(n, m)](x)  # triton
        reduce[(cdiv(n, 2), m)](x)  # triton
        reduce[n](x, BLOCK=2)  # triton
        reduce[n](x, num_warps=2)  # triton
        wrap_triton(reduce)[(n,)](x)  # triton
        (attend if fast else reduce)[grid](x)  # triton
        KERNELS[name][grid](x)  # triton
        attend.run(x, grid=(n,), warmup=False)  # triton
        attend.warmup(x, grid=(n,))  # triton
        kept = attend[(n, 4)]  # triton
        TABLE[(a, b)](x)
        TABLE["a"](x)
        handlers[key](x)
        dict[str, int](x)
        Cache[(str, int)](x)
        Queue[list[str]]()
        a, b = 1, (2, 3)
        compiled[compile_key](x)
        layers[0](x)
        layers[str(i)](x)
        "attend[(n,)](x)"
        """,
    "numba": """
        from numba import cuda
        @cuda.jit
        def step(x): pass
        step[blocks, threads](x)  # numba
        step[configuration](x)  # numba
        """,
    "cupy": """
        import cupy
        self.scale = cupy.RawKernel(text, "scale")
        scale = module.get_function("scale")
        scale((n,), (256,), (x, y))  # cupy
        self.scale(grid, block, (x, y))  # cupy
        module.get_function("f")((n,), (1,), (x,))  # cupy
        table["f"]((n,), (256,), (x,))  # cupy
        shape((n,), (256,))
        cupy.ElementwiseKernel(a, b, c)(x)
        """,
    "tilelang": """
        import tilelang.language as T
        def make(n):
            @T.prim_func
            def main(x):
                with T.Kernel(n, 2, threads=128) as (i, j):  # tilelang
                    T.copy(x)
            return main
        """,
    "cute": """
        import cutlass.cute as cute
        class Attend:
            @cute.jit
            def __call__(self, x):
                self.kernel(x).launch(  # cute
                    grid=[n, 1, 1], block=[128, 1, 1])
        server.launch(port=1)
        """,
    "cutile": """
        import cuda.tile as ct
        ct.launch(stream, (n, 1, 1), kernel, (x,))  # cutile
        """,
    "cuda-core": """
        from cuda.core.experimental import LaunchConfig, launch
        launch(stream, LaunchConfig(grid=n, block=128), kernel, x)  # cuda-core
        """,
    "pallas": """
        from jax.experimental import pallas as pl
        pl.pallas_call(kernel, grid=(n,), out_shape=s)(x)  # pallas
        pl.pallas_call(kernel, out_shape=s, grid_spec=pl.GridSpec(grid=(n,)))(x)  # pallas
        pl.pallas_call(partial(kernel, a), out_shape=s)(x)  # pallas
        @partial(pl.pallas_call, out_shape=s, grid=(n,))  # pallas
        def added(x): pass
        """,
    "jax-triton": """
        import jax_triton as jt
        jt.triton_call(x, kernel=attend, out_shape=s, grid=(n,))  # jax-triton
        """,
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_every_launch_and_no_other(text: str) -> None:
    one = program(text)
    expected = {
        number: found[1]
        for number, line in enumerate(text.splitlines(), 1)
        if (found := re.search(r"# ([\w-]+)$", line))
    }
    actual = {launch.line: launch.idiom for launch in launches(one.functions)}
    assert actual == expected
    assert sum(dict(one.recognised).values()) == len(expected)


def test_parts_of_a_launch() -> None:
    (launch,) = launches(program(FILES["cute"]).functions)
    assert launch.kernel == program("self.kernel[0]").functions[0].body[0].value.value  # type: ignore[union-attr]
    assert launch.block is not None
    assert len(launch.arguments) == 1


def test_offsets_are_bytes_and_unique() -> None:
    text = "import triton\nx = 'é'; k[grid](a); k[grid](a)\n"
    offsets = [launch.offset for launch in launches(program(text).functions)]
    assert [text.encode()[offset : offset + 1] for offset in offsets] == [b"[", b"["]
    assert len(set(offsets)) == 2


def test_what_is_doubtful_is_counted() -> None:
    one = program("import triton\nhandlers[(a, b)](x)\nmy_kernel[key](x)\n")
    assert one.textual == (("triton", 1),)
    assert one.recognised == ()
    assert [item.line for item in one.not_analysed] == [2, 3]


def test_a_function_that_launches_is_no_kernel_for_its_annotations() -> None:
    one = program("def f(x, n: tl.constexpr):\n    grid = (n,)\n    k[grid](x)\n")
    (launch,) = launches(one.functions)
    assert (launch.line, one.recognised, one.not_analysed) == (3, one.textual, ())


def test_tables_and_methods_of_a_class_are_no_launches() -> None:
    one = program("made = {}\nmade[(n, 1)](x)\nself.triton_call(x)\n")
    assert (one.textual, one.not_analysed) == ((), ())


def test_cuda_in_strings() -> None:
    text = 'SOURCE = """\n__global__ void k() {}\nvoid f(int n) { k<<<n, 1>>>(); }\n"""'
    (embedded,) = program(text).embedded
    (launch,) = launches(embedded.functions)
    assert (launch.line, launch.idiom) == (3, "chevron")
