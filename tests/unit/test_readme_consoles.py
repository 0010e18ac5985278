"""What the README shows of a terminal is what the commands print."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from geoaudit.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
CONSOLES = re.findall(
    r"```console\n\$ geoaudit (.*?)\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL
)


@pytest.mark.parametrize(("command", "shown"), CONSOLES, ids=[one[0] for one in CONSOLES])
def test_a_console_of_the_readme_shows_what_is_printed(
    command: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    printed = CliRunner(env={"COLUMNS": "100"}).invoke(main, command.split()).output
    assert printed.rstrip() == shown.rstrip()


def test_the_readme_shows_consoles() -> None:
    assert len(CONSOLES) >= 2
