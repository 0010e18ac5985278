"""The options that say how tokens are found, shared by every command that counts per token."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

if TYPE_CHECKING:
    from geoaudit.launches.recording import TokenOptions

P = ParamSpec("P")
R = TypeVar("R")


def _regular_expression(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> str | None:
    if value is None:
        return None
    if not value:
        raise click.BadParameter("must not be empty", ctx=ctx, param=param)
    try:
        re.compile(value)
    except re.error as error:
        raise click.BadParameter(
            f"{value!r} is not a regular expression: {error}. "
            "Put a backslash before a character that is meant as itself.",
            ctx=ctx,
            param=param,
        ) from error
    return value


def token_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--token-range``, ``--token-kernel`` and ``--tokens``.

    They arrive as ``token_range``, ``token_kernel`` and ``token_count``; ``chosen_token_options``
    makes one value of them.
    """
    for option in (
        click.option(
            "--tokens",
            "token_count",
            type=click.IntRange(min=1),
            metavar="N",
            help="The recording holds N tokens.",
        ),
        click.option(
            "--token-kernel",
            callback=_regular_expression,
            metavar="REGEX",
            help="Each launch of a kernel whose name matches starts a token.",
        ),
        click.option(
            "--token-range",
            callback=_regular_expression,
            metavar="NAME|REGEX",
            help="Each NVTX or profiler range of this name is one token.",
        ),
    ):
        command = option(command)
    return command


def chosen_token_options(
    token_range: str | None, token_kernel: str | None, token_count: int | None
) -> "TokenOptions | None":
    """How tokens are to be found, or None where no option was given.

    Raises:
        click.UsageError: more than one was given.
    """
    given = {
        "--token-range": token_range,
        "--token-kernel": token_kernel,
        "--tokens": token_count,
    }
    named = [option for option, value in given.items() if value is not None]
    if len(named) > 1:
        raise click.UsageError(f"{' and '.join(named)} exclude each other: give one of them.")
    if not named:
        return None
    from geoaudit.launches.recording import TokenOptions

    return TokenOptions(token_range=token_range, token_kernel=token_kernel, token_count=token_count)
