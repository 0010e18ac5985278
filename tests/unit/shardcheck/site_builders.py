"""Launch sites for tests, from extents."""

from geoaudit.shardcheck.sharding.options import GivenDimension, ShardOptions
from geoaudit.shardcheck.slicing.sites import Axis, LaunchConstant, LaunchSite
from geoaudit.shardcheck.symbolic.extents import Extent, Integer, Symbol, SymbolKind
from geoaudit.shardcheck.symbolic.making import arithmetic, ceil_division
from geoaudit.shardcheck.symbolic.walking import symbols

H200 = 132


def number(value: int) -> Integer:
    return Integer(value=value)


def named(name: str, kind: SymbolKind = "parameter") -> Symbol:
    return Symbol(name=name, kind=kind, path="engine.cu", line=7)


def site(
    *grid: Extent,
    kernel: str = "decode_kernel",
    names: tuple[str, ...] = (),
    constants: tuple[LaunchConstant, ...] = (),
    guards: tuple[Extent, ...] = (),
    block: int | None = None,
) -> LaunchSite:
    extents = (*grid, *(number(1) for _ in range(3 - len(grid))))
    x, y, z = (
        Axis(
            extent=extent,
            symbols=tuple(sorted({*(one.name for one in symbols(extent)), *names})),
        )
        for extent in extents
    )
    threads = None
    if block is not None:
        threads = (Axis(extent=number(block)), Axis(extent=number(1)), Axis(extent=number(1)))
    return LaunchSite(
        path="engine.cu",
        line=70,
        offset=700,
        kernel=kernel,
        launcher=None,
        idiom="chevron",
        function="launch",
        grid=(x, y, z),
        block=threads,
        guards=guards,
        constants=constants,
    )


def options(*dimensions: GivenDimension, **values: int) -> ShardOptions:
    return ShardOptions(sms=H200, dimensions=dimensions, values=values)


def tiles(extent: Extent, size: int) -> Extent:
    return ceil_division(extent, number(size))


def minus(a: Extent, b: Extent) -> Extent:
    return arithmetic("-", a, b)


HEADS_96 = GivenDimension(name="n_head", total=96)
N_HEAD, HEAD_DIM, N_CTX = named("n_head"), named("head_dim"), named("n_ctx")
SMS = named("num_sms", "sm_count")
TP = named("tp_size", "parallel_size")
