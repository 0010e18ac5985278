import click
import pytest
from click.testing import CliRunner

from geoaudit.cli.fail_on import fail_on_option
from geoaudit.cli.main import AuditGroup
from geoaudit.diagnosis.gate import FailOn


def run(default: str, *arguments: str) -> tuple[int, str]:
    @click.command()
    @fail_on_option(default)
    def audit(fail_on: FailOn) -> None:
        click.echo(
            f"{sorted(fail_on.rules)} {sorted(fail_on.verdicts)} {fail_on.severity} "
            f"{fail_on.wasted_fraction}"
        )

    result = CliRunner().invoke(AuditGroup("geoaudit", commands=[audit]), ["audit", *arguments])
    return result.exit_code, result.output.strip()


def test_without_the_option_nothing_or_the_default_is_named() -> None:
    assert run("") == (0, "[] [] None None")
    assert run("warning") == (0, "[] [] warning None")


def test_the_list_is_parsed() -> None:
    assert run("", "--fail-on", "GA101,starved,error,waste>10%") == (
        0,
        "['GA101'] ['starved'] error 0.1",
    )


@pytest.mark.parametrize("word", ["GA10", "waste>ten%"])
def test_a_wrong_word_is_a_usage_error(word: str) -> None:
    code, output = run("", "--fail-on", word)
    assert code == 2
    assert output.startswith("geoaudit: error: --fail-on")
    assert "Traceback" not in output
