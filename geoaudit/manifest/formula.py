"""An expression at its place in a manifest: what goes wrong with it names file, line and key."""

from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.manifest.arithmetic import ExpressionError, Number
from geoaudit.manifest.expressions import Expression
from geoaudit.manifest.location import Location


@dataclass(frozen=True, kw_only=True)
class Formula:
    """An expression and where it stands.

    Attributes:
        expression: the arithmetic.
        location: its place.
    """

    expression: Expression
    location: Location

    @property
    def names(self) -> frozenset[str]:
        """The symbols it uses."""
        return self.expression.names

    def value(self, values: Mapping[str, int]) -> Number:
        """The value: an integer, or where the expression is real perhaps a float.

        Raises:
            ManifestError: it cannot be worked out with these values.
        """
        try:
            return self.expression.evaluate(values)
        except ExpressionError as error:
            raise self.location.error(self._with_values(str(error), values)) from error

    def with_values(self, values: Mapping[str, "int | Formula"]) -> "Formula":
        """The same formula with some symbols replaced.

        Raises:
            ManifestError: the outcome is too long to be an expression.
        """
        given = {
            name: value.expression if isinstance(value, Formula) else value
            for name, value in values.items()
        }
        try:
            replaced = self.expression.with_values(given)
        except ExpressionError as error:
            raise self.location.error(str(error)) from error
        return Formula(expression=replaced, location=self.location)

    def _with_values(self, message: str, values: Mapping[str, int]) -> str:
        used = [f"{name} = {values[name]}" for name in sorted(self.names) if name in values]
        shown = ", ".join(used[:6])
        return f"{message} (in {self.expression.text[:200]!r} with {shown})" if used else message
