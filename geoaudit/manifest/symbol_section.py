"""Reading symbols: their names, their formulas, and the order that settles them."""

import keyword
from collections.abc import Collection, Mapping
from graphlib import CycleError, TopologicalSorter

from geoaudit.manifest.arithmetic import FUNCTIONS
from geoaudit.manifest.document import Table
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.location import Location
from geoaudit.manifest.model import RESERVED_SYMBOLS


def read_symbols(table: Table, known: Collection[str]) -> dict[str, Formula]:
    """The formulas of a table of symbols, each after those it uses.

    Args:
        table: name -> number or expression.
        known: all symbols they may use, their own names included.

    Raises:
        ManifestError: a formula cannot be read, or symbols define each other in a circle.
    """
    formulas = {name: value.formula(known) for name, value in table.named()}
    # In the document's order, which a set of names does not have.
    places = {name: place for place, name in enumerate(formulas)}
    uses = {
        name: sorted(formula.names & places.keys(), key=places.__getitem__)
        for name, formula in formulas.items()
    }
    try:
        order = list(TopologicalSorter(uses).static_order())
    except CycleError as error:
        # The cycle comes back to front: each name is used by the next.
        cycle = list(reversed(error.args[1]))
        raise formulas[cycle[0]].location.error(
            f"{' uses '.join(cycle[:8])}: symbols that use each other have no value; give one of "
            "them a number"
        ) from error
    return {name: formulas[name] for name in order}


def check_symbol_name(name: str, location: Location, taken: Mapping[str, str]) -> None:
    """Accept a name that an expression can use and that means nothing else.

    Args:
        name: of a symbol, a parameter or an arm.
        location: where it is declared.
        taken: name -> what has it already, as ``an arm``.

    Raises:
        ManifestError: the name is a word of expressions, predefined or taken.
    """
    if keyword.iskeyword(name) or name in FUNCTIONS:
        raise location.error(f"{name} is a word of expressions; choose another name")
    if name in RESERVED_SYMBOLS:
        raise location.error(f"{name} is predefined for every launch; choose another name")
    if name in taken:
        raise location.error(f"{name} is already {taken[name]}; choose another name")
