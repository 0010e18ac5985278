"""Index expressions as sums of products, so that equal ones compare equal."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, kw_only=True, order=True)
class Atom:
    """What an index expression is made of: a size, a coordinate, or a part that is not taken apart.

    Attributes:
        name: equal names are equal values.
        axes: what it varies with, sorted.
        is_axis: it is the coordinate of an axis itself.
    """

    name: str
    axes: tuple[str, ...] = ()
    is_axis: bool = False


Monomial = tuple[Atom, ...]


@dataclass(frozen=True)
class Polynomial:
    """A sum of integer multiples of products of atoms.

    Attributes:
        terms: products, sorted, each with its factor; none with factor 0.

    Example:
        >>> warp, lane = axis("warp"), axis("lane")
        >>> thread = warp.times(constant(32)).plus(lane)
        >>> thread.plus(constant(4)) == constant(4).plus(lane).plus(constant(32).times(warp))
        True
        >>> str(thread), sorted(thread.axes), thread.factor_of("lane"), thread.factor_of("row")
        ('lane + 32*warp', ['lane', 'warp'], 1, 0)
    """

    terms: tuple[tuple[Monomial, int], ...]

    @cached_property
    def axes(self) -> frozenset[str]:
        """The axes it varies with."""
        return frozenset(axis for term, _ in self.terms for atom in term for axis in atom.axes)

    @property
    def whole_number(self) -> int | None:
        """Its value, where it is a constant."""
        if not self.terms:
            return 0
        (term, factor), *more = self.terms
        return factor if not more and not term else None

    def factor_of(self, axis: str) -> int | None:
        """How far a step along an axis goes; None: not one known number of elements."""
        touching = [(term, factor) for term, factor in self.terms if _touches(term, axis)]
        if not touching:
            return 0
        (term, factor), *more = touching
        return factor if not more and len(term) == 1 and term[0].is_axis else None

    def is_linear_in(self, axis: str) -> bool:
        """Whether the axis' coordinate stands in it undisguised: every step goes as far."""
        coordinates = [atom for term, _ in self.terms for atom in term if axis in atom.axes]
        once = all(sum(axis in a.axes for a in term) <= 1 for term, _ in self.terms)
        return bool(coordinates) and once and all(atom.is_axis for atom in coordinates)

    def plus(self, other: "Polynomial") -> "Polynomial":
        """The sum."""
        return _collected((*self.terms, *other.terms))

    def minus(self, other: "Polynomial") -> "Polynomial":
        """The difference."""
        return self.plus(other.times(constant(-1)))

    def times(self, other: "Polynomial") -> "Polynomial":
        """The product."""
        return _collected(
            (tuple(sorted((*one, *two))), a * b) for one, a in self.terms for two, b in other.terms
        )

    def without(self, axis: str) -> "Polynomial":
        """Its terms that do not vary with an axis."""
        return Polynomial(tuple(part for part in self.terms if not _touches(part[0], axis)))

    def __str__(self) -> str:
        parts = []
        for term, factor in self.terms:
            names = [atom.name for atom in term]
            parts.append("*".join([str(factor)] * (factor != 1 or not names) + names))
        return " + ".join(parts) or "0"


def constant(value: int) -> Polynomial:
    """A number."""
    return Polynomial((((), value),) if value else ())


def axis(name: str) -> Polynomial:
    """The coordinate of an axis."""
    return of_atom(Atom(name=name, axes=(name,), is_axis=True))


def opaque(name: str, axes: Iterable[str] = ()) -> Polynomial:
    """A part that is not taken apart, and what it varies with."""
    return of_atom(Atom(name=name, axes=tuple(sorted(axes))))


def of_atom(atom: Atom) -> Polynomial:
    """One atom."""
    return Polynomial((((atom,), 1),))


def _touches(term: Monomial, axis: str) -> bool:
    return any(axis in atom.axes for atom in term)


def _collected(parts: Iterable[tuple[Monomial, int]]) -> Polynomial:
    sums: dict[Monomial, int] = {}
    for term, factor in parts:
        sums[term] = sums.get(term, 0) + factor
    return Polynomial(tuple(sorted((t, f) for t, f in sums.items() if f)))
