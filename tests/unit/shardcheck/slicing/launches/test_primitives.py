"""Interfaces that launch are the same ones wherever they are named."""

from geoaudit.shardcheck.c_family.record import LAUNCH_CALLS
from geoaudit.shardcheck.program.expressions import Call, Name, Number
from geoaudit.shardcheck.slicing.launches.primitives import PRIMITIVES, parts_of_call


def test_what_the_text_search_counts_is_what_becomes_a_site() -> None:
    assert set(PRIMITIVES) == LAUNCH_CALLS


def test_the_driver_takes_an_axis_an_argument() -> None:
    given = tuple(Number(one) for one in (0, 2, 3, 4, 32, 1, 1))
    parts = parts_of_call(Call(Name("cuLaunchKernel"), given))
    assert parts is not None
    assert parts.grid == (Number(2), Number(3), Number(4))


def test_a_kernel_may_be_a_template_argument() -> None:
    call = Call(Name("cutlass::kernel_launch"), (Name("grid"), Number(128)), (), (Name("K"),))
    parts = parts_of_call(call)
    assert parts is not None
    assert (parts.kernel, parts.grid) == (Name("K"), (Name("grid"),))
    assert parts_of_call(Call(Name("cutlass::kernel_launch"), (Name("grid"), Number(1)))) is None
