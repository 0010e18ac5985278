"""What a symbol is worth at a number of ranks."""

from dataclasses import replace

import pytest

from geoaudit.shardcheck.sharding.dimensions import ShardedDimension
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.sharding.worth import Bound, Fixed, Ranks, Role, Share, share, worths
from geoaudit.shardcheck.symbolic.making import arithmetic, product

from ..site_builders import H200, N_HEAD, TP, named, number, options

HEADS = ShardedDimension(
    name="n_head", rounding="exact", by="tp", total=96, reason="", is_certain=True
)

GIVEN = options()


def at(role: Role, ranks: int, given: ShardOptions = GIVEN) -> object:
    return worths({N_HEAD: role}, given, ranks)(N_HEAD)


@pytest.mark.parametrize(
    ("total", "ranks", "rounding", "expected"),
    [
        (96, 1, "exact", 96),
        (12, 8, "floor", 1),
        (4, 8, "floor", 0),
        (4, 8, "ceil", 1),
        (12, 8, "ceil", 2),
        (16, 8, "ceil", 2),
        (4, 8, "at_least_one", 1),
        (16, 8, "at_least_one", 2),
        (12, 8, "at_least_one", 1),
    ],
)
def test_shares(total: int, ranks: int, rounding: str, expected: int) -> None:
    assert share(total, ranks, rounding) == expected


def test_each_role_at_8_ranks() -> None:
    assert at(Share(dimension=HEADS), 8) == 12
    assert at(Share(dimension=replace(HEADS, total=None)), 8) is None
    assert at(Fixed(values=(3, 4)), 8) == frozenset({3, 4})
    assert at(Ranks(kind="tp"), 8) == 8
    assert at(Ranks(kind="dp"), 8) == 1
    assert at(Bound(extent=number(7)), 8) == frozenset({7})
    assert worths({}, options(), 8)(N_HEAD) is None


@pytest.mark.parametrize(
    ("by", "kind", "expected"),
    [("tp", "ep", 12), ("tp", "attn_tp", 12), ("ep", "tp", 96), ("ep", "ep", 12), ("tp", "pp", 96)],
)
def test_ranks_of_one_kind_divide_what_is_theirs(by: str, kind: str, expected: int) -> None:
    given = ShardOptions(sms=H200, by=by)
    assert at(Share(dimension=replace(HEADS, by=kind)), 8, given) == expected


def test_what_is_made_of_others_beyond_the_file_is_worth_them() -> None:
    total = named("total")
    roles: dict[object, Role] = {
        N_HEAD: Bound(extent=product(arithmetic("//", total, TP), number(2))),
        total: Fixed(values=(96,)),
        TP: Ranks(kind="tp"),
    }
    known = worths(roles, options(), 4)  # type: ignore[arg-type]
    assert known(N_HEAD) == frozenset({48})
