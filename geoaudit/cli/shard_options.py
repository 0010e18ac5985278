"""The options of `shard-check`: what is read, what grids are evaluated at, what is shown."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click
from click.core import ParameterSource

from geoaudit.cli.completion import complete_behaviour
from geoaudit.cli.device_options import device_options
from geoaudit.errors import InputError

if TYPE_CHECKING:
    from geoaudit.devices.resolve import ResolvedDevice
    from geoaudit.shardcheck.behaviours import Behaviour
    from geoaudit.shardcheck.sharding.options import ShardOptions

DEFAULT_DEVICE = "H200"

P = ParamSpec("P")
R = TypeVar("R")


def _one_shard(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> str | None:
    """The one ``--shard``; of several the others would be dropped unseen."""
    if len(given) > 1:
        raise click.BadParameter(
            f"{' and '.join(given)}: one kind is varied at a time. Run once for each.",
            context,
            parameter,
        )
    return given[0] if given else None


READING = (
    click.option(
        "--exclude",
        multiple=True,
        metavar="GLOB",
        help="Leave these paths out, as in a .gitignore, relative to PATH; may be repeated.",
    ),
    click.option(
        "--include-vendored",
        is_flag=True,
        help="Read other people's code (third_party, submodules, ...) and generated files too.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1, max=2**31 - 1),
        metavar="N",
        help="Processes that parse; by default one for each processor.",
    ),
    click.option("--no-cache", is_flag=True, help="Read nothing from the cache and keep nothing."),
)
EVALUATION = (
    click.option(
        "--shard",
        multiple=True,
        callback=_one_shard,
        metavar="KIND=N,N,...",
        help="Numbers of ranks to evaluate, held against the fewest. Default tp=1,2,4,8.",
    ),
    click.option(
        "--dim",
        "dimensions",
        multiple=True,
        metavar="NAME=TOTAL:KIND",
        help="A dimension that is sharded, with its size before the division; may be repeated.",
    ),
    click.option(
        "--set",
        "values",
        multiple=True,
        metavar="NAME=N",
        help="Value of a symbol that the source does not give; may be repeated.",
    ),
    click.option(
        "--model",
        "model_file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Sizes of the model from its config.json, as Hugging Face models have it.",
    ),
    click.option(
        "--batch",
        type=click.IntRange(min=1, max=2**31 - 1),
        metavar="N",
        help="Sequences in the decode batch. Default 1.",
    ),
    click.option(
        "--context",
        type=click.IntRange(min=1, max=2**31 - 1),
        metavar="N",
        help="Tokens in the cache of each sequence. Default 32,768.",
    ),
)
SHOWING = (
    click.option("--all", "show_all", is_flag=True, help="List every launch in the table."),
    click.option(
        "--show",
        "behaviours",
        metavar="LIST",
        shell_complete=complete_behaviour,
        help="List launches of these behaviours (unknown, constant, ...), comma-separated, "
        "besides those with a finding.",
    ),
    click.option(
        "--unanalysed", is_flag=True, help="List every file and place that was not understood."
    ),
    click.option(
        "--explain",
        "explained",
        metavar="FILE:LINE",
        help="Print how the grid of the launch on this line is derived, and nothing else.",
    ),
)
KNOWN = (
    click.option(
        "--scan",
        "scans",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="[KIND=N:]RECORDING",
        help="Hold the predicted blocks against a recording's, at its number of ranks, and put the "
        "time per token beside the launches (of the first recording); may be repeated.",
    ),
    click.option(
        "--baseline",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Findings in this file are known, and do not fail.",
    ),
    click.option(
        "--write-baseline",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write all findings to this file, and do not fail.",
    ),
)


def shard_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add the options; their values go to the functions below as keywords."""
    for option in reversed((*READING, *EVALUATION)):
        command = option(command)
    command = device_options(command)
    for option in reversed((*SHOWING, *KNOWN)):
        command = option(command)
    return command


def refuse_beside_explain(context: click.Context, explained: str | None) -> None:
    """Options that say what to do with a table have nothing to do beside ``--explain``.

    Raises:
        InputError: one is given on the command line; names it.
    """
    if explained is None:
        return
    given = [
        parameter.opts[-1]
        for parameter in context.command.params
        if parameter.name in _OF_THE_TABLE
        and context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT
    ]
    if given:
        raise InputError(
            f"--explain beside {', '.join(given)}: it prints how a grid is derived, and nothing "
            "else. Leave one of them out; --format json has the derivation of every launch."
        )


_OF_THE_TABLE = frozenset(
    {
        *("format_name", "output_file", "outputs", "write_baseline", "fail_on"),
        *("show_all", "behaviours", "unanalysed"),
    }
)


def evaluation_of(choices: dict[str, Any]) -> "tuple[ShardOptions, str]":
    """What grids are evaluated at, and the name of the device.

    Args:
        choices: values of the options, by parameter name.

    Raises:
        InputError: an option does not read as it should.
    """
    from geoaudit.shardcheck.sharding.options import (
        DEFAULT_BATCH,
        DEFAULT_CONTEXT,
        ShardOptions,
        parse_dimension,
        parse_ranks,
        parse_values,
    )

    device = _device(choices)
    dimensions = tuple(map(parse_dimension, choices["dimensions"]))
    values = parse_values(choices["values"])
    _refuse_twice([one.name for one in dimensions], values)
    by, ranks = parse_ranks(choices["shard"] or "tp=1,2,4,8")
    options = ShardOptions(
        sms=device.usable_sms or 1,
        ranks=ranks,
        by=by,
        dimensions=dimensions,
        values=values,
        model=_model(choices["model_file"]),
        batch=choices["batch"] or DEFAULT_BATCH,
        context=choices["context"] or DEFAULT_CONTEXT,
    )
    return options, device.name


def _refuse_twice(dimensions: Sequence[str], values: Collection[str]) -> None:
    for number, name in enumerate(dimensions):
        if name in values:
            raise InputError(
                f"--dim {name} and --set {name}: its size before the division stands in "
                f"--dim {name}=TOTAL:KIND. Leave --set {name} out, or --dim where no rank has less."
            )
        if name in dimensions[:number]:
            raise InputError(f"--dim {name} is given twice. Leave one of them out.")


def _device(choices: dict[str, Any]) -> "ResolvedDevice":
    from geoaudit.devices.recorded import RecordedDevice
    from geoaudit.devices.resolve import DeviceOverride, resolve_device
    from geoaudit.devices.table import find_device

    name = find_device(choices["device_name"] or DEFAULT_DEVICE).name
    override = DeviceOverride(name=name, sms=choices["sms"])
    return resolve_device(RecordedDevice(), override)


def _model(file: Path | None) -> dict[str, int]:
    if file is None:
        return {}
    from geoaudit.shardcheck.sharding.model_config import model_sizes

    return model_sizes(read_file(file, "--model").decode("utf-8", "replace"), str(file))


def read_file(file: Path, option: str) -> bytes:
    """The content of a file that an option names.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{option} {file}: {reason}. Give a file that can be read.") from error


def shown_behaviours(show_all: bool, words: str | None) -> "tuple[Behaviour, ...]":
    """The behaviours that a table lists.

    Raises:
        InputError: a word is no behaviour; lists them.
    """
    from geoaudit.render.shard_words import SHARDED_BEHAVIOURS
    from geoaudit.shardcheck.behaviours import BEHAVIOURS

    if show_all:
        return BEHAVIOURS
    if words is None:
        return SHARDED_BEHAVIOURS
    asked = [word.strip().casefold().replace("-", "_") for word in words.split(",")]
    for word in asked:
        if word not in BEHAVIOURS:
            raise InputError(f"--show {word!r}: no behaviour. They are {', '.join(BEHAVIOURS)}.")
    return tuple(one for one in BEHAVIOURS if one in asked)
