"""Scalars that depend on the token, worked out for a whole run before any of it runs."""

from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.planned import Scalar, StepPlan


def check_tokens(plan: StepPlan, tokens: int) -> None:
    """Work out every scalar of a plan for every token of a run.

    Args:
        plan: one token.
        tokens: how many run, those of the warm-up included.

    Raises:
        ManifestError: a scalar cannot be worked out for one of them, or does not fit its type.
    """
    varying = {
        (argument.dtype, argument.location, argument.formula.expression.text): argument
        for launch in plan.launches
        for argument in launch.arguments
        if isinstance(argument, Scalar) and argument.formula is not None
    }
    for scalar in varying.values():
        for token in range(tokens):
            _check(scalar, token)


def _check(scalar: Scalar, token: int) -> None:
    try:
        scalar.value_at(token)
    except ManifestError as error:
        raise ManifestError(
            f"{error} (at token {token} of the run, which warm-up begins)"
        ) from error
