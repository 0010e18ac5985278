import click
import pytest
from click.testing import CliRunner

from geoaudit.cli.token_options import token_options, token_options_of


@click.command()
@token_options
def command(token_range: str | None, token_kernel: str | None, tokens: int | None) -> None:
    click.echo(repr(token_options_of(token_range, token_kernel, tokens)))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "token_range=None, token_kernel=None, token_count=None"),
        (["--token-range", "decode"], "token_range='decode', token_kernel=None, token_count=None"),
        (["--token-kernel", "^emb"], "token_range=None, token_kernel='^emb', token_count=None"),
        (["--tokens", "12"], "token_range=None, token_kernel=None, token_count=12"),
    ],
)
def test_the_options_become_one_value(arguments: list[str], expected: str) -> None:
    result = CliRunner().invoke(command, arguments)

    assert result.exit_code == 0
    assert result.output == f"TokenOptions({expected})\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tokens", "3", "--token-range", "a"], "--token-range and --tokens exclude each other"),
        (["--token-range", "a", "--token-kernel", "b"], "exclude each other"),
        (["--token-range", "dec("], "is not a regular expression"),
        (["--token-kernel", "["], "is not a regular expression"),
        (["--token-kernel", ""], "must not be empty"),
        (["--tokens", "0"], "not in the range"),
    ],
)
def test_wrong_use_is_a_usage_error(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(command, arguments)

    assert result.exit_code == 2
    assert message in result.output
