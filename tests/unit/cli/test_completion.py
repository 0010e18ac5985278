"""What a shell is offered, and that it costs no start of a command anything."""

import subprocess
import sys

import click
import pytest
from click.shell_completion import ShellComplete

from geoaudit.cli.main import main


def offered(*words: str) -> list[str]:
    *arguments, incomplete = words
    shell = ShellComplete(main, {}, "geoaudit", "_GEOAUDIT_COMPLETE")
    return [item.value for item in shell.get_completions(arguments, incomplete)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("devices", "h2"), {"H20", "H200"}),
        (("rank", "--device", "rtx 40"), {"RTX 4090"}),
        (("occupancy", "--device", "mi300"), {"MI300A", "MI300X"}),
        (("explain", "starv"), {"starved", "starved-kernel"}),
        (("explain", "GA101", "sm_f"), {"sm_fill"}),
        (("rank", "--owner", "cub"), {"cub", "cublas"}),
        (("rank", "--owner", "o"), {"own"}),
    ],
)  # fmt: skip
def test_names_are_offered(words: tuple[str, ...], expected: set[str]) -> None:
    found = offered(*words)
    assert len(found) == len(set(found))
    assert expected == set(found)


def test_the_last_word_of_a_list_is_completed() -> None:
    assert offered("rank", "--fail-on", "GA101,starv") == ["GA101,starved"]
    assert "warning" in offered("report", "--fail-on", "w")


def test_every_offer_of_a_device_names_one() -> None:
    from geoaudit.devices.table import all_devices, lookup

    found = offered("devices", "")
    assert len(found) == len(all_devices())
    assert all(lookup(name) is not None for name in found)
    assert isinstance(main, click.Group)


def test_a_command_starts_without_what_completion_needs() -> None:
    program = (
        "import sys, geoaudit.cli.main\n"
        "print(*sorted({'geoaudit.diagnosis.pages', 'geoaudit.devices.table',"
        " 'geoaudit.launches.owners'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
