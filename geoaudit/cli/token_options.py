"""The options that say how tokens are found, shared by every command that counts per token."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from geoaudit.cli.matching import pattern_fault

if TYPE_CHECKING:
    from geoaudit.launches.recording import TokenOptions

MOST_TOKENS = 1_000_000_000

P = ParamSpec("P")
R = TypeVar("R")


def regular_expression(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """The value of an option, refused where it is empty or no regular expression."""
    if value is None:
        return None
    if not value:
        raise click.BadParameter("must not be empty", ctx=ctx, param=param)
    fault = pattern_fault(value)
    if fault is not None:
        raise click.BadParameter(
            f"{value[:200]!r} is not a regular expression: {fault}. "
            "Put a backslash before a character that is meant as itself.",
            ctx=ctx,
            param=param,
        )
    return value


def token_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--token-range``, ``--token-kernel`` and ``--tokens``.

    They arrive under these names; ``token_options_of`` makes one value of them.
    """
    for option in (
        click.option(
            "--tokens",
            type=click.IntRange(min=1, max=MOST_TOKENS),
            metavar="N",
            help="The recording holds N tokens.",
        ),
        click.option(
            "--token-kernel",
            callback=regular_expression,
            metavar="REGEX",
            help="Each launch of a kernel whose name matches, in upper or lower case, starts one.",
        ),
        click.option(
            "--token-range",
            callback=regular_expression,
            metavar="NAME|REGEX",
            help="Each NVTX or profiler range of this name is one token.",
        ),
    ):
        command = option(command)
    return command


def token_options_of(
    token_range: str | None, token_kernel: str | None, tokens: int | None
) -> "TokenOptions":
    """How tokens are to be found; all of it None where no option was given.

    Raises:
        click.UsageError: more than one was given.
    """
    from geoaudit.launches.recording import TokenOptions

    options = {"--token-range": token_range, "--token-kernel": token_kernel, "--tokens": tokens}
    given = [option for option, value in options.items() if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} exclude each other: give one of them.")
    return TokenOptions(token_range=token_range, token_kernel=token_kernel, token_count=tokens)
