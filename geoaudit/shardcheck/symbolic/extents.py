"""What an extent of a grid is made of: exact integers; floor, ceiling, minimum are kept."""

from dataclasses import dataclass
from typing import Literal

SymbolKind = Literal[
    "parameter",  # of a function whose callers are not known
    "field",  # of a structure or an object: params.h, self.num_heads
    "extent",  # of a tensor: q.shape[1], query.size(1), Q.ne[2], cu_seqlens.len
    "constant",  # a named constant or template value; the site has its value where that is known
    "parallel_size",  # ranks that something is divided over: tp_size, world_size
    "rank",  # of this process among them
    "sm_count",  # of the device
    "occupancy",  # resident blocks an SM, as the occupancy API gives them
    "unknown",  # a call or a construct that is not followed
]


@dataclass(frozen=True, kw_only=True)
class Integer:
    """A known number."""

    value: int


@dataclass(frozen=True, kw_only=True)
class Symbol:
    """A number that the source does not give.

    Attributes:
        name: as written, ``->`` as ``.``: ``n_head``, ``params.ne02``, ``q.shape[1]``,
            ``query.size(1)``, ``cu_seqlens.len``.
        kind: what it is.
        path, line: where it is read or declared.
        scope: of two symbols with the same name and scope the values are equal; a function's
            name, or empty for the whole program.
    """

    name: str
    kind: SymbolKind
    path: str = ""
    line: int = 0
    scope: str = ""


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """An operator and its operands.

    Operators: ``+ - *`` (any number of operands; ``-`` one or two), ``//`` floor division (of C
    as well: extents are not negative), ``/`` exact, ``cdiv`` ceiling of a quotient, ``%``,
    ``min``, ``max``, ``floor``, ``ceil``, ``**``, ``<< >> & | ^ ~``, comparisons ``< <= > >= ==
    !=`` and ``&& || !`` with 1 for true, ``next_power_of_2``, ``log2``.
    """

    operator: str
    operands: tuple["Extent", ...]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One of several values.

    ``guard``: the condition under which it is this one, as an extent that is not 0; None: nothing
    is known of it. ``text`` is the condition as written, for people.
    """

    guard: "Extent | None"
    value: "Extent"
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Cases:
    """The first case whose guard holds; all of them where guards cannot be told."""

    cases: tuple[Case, ...]


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A value that a loop changes: ``while condition: variables = steps``; the value of `result`.

    Attributes:
        variables: names that the loop changes, as symbols within `condition`, `steps`, `result`.
        initial: value of each before the loop.
        condition: None: the number of rounds is not known.
        steps: value of each after a round.
        result: an extent over the variables, once the loop has ended.
    """

    variables: tuple[Symbol, ...]
    initial: tuple["Extent", ...]
    condition: "Extent | None"
    steps: tuple["Extent", ...]
    result: "Extent"


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """What cannot be told, why, and the extents it depends on."""

    reason: str
    parts: tuple["Extent", ...] = ()


Extent = Integer | Symbol | Arithmetic | Cases | Repeated | Unknown
