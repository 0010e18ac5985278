import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from geoaudit.cli.main import main
from geoaudit.cli.progress_line import SavingSignals, progress_text
from geoaudit.cli.record_command import program_name, tax_lines
from geoaudit.cli.record_options import (
    HELP_SECTIONS,
    RecordChoices,
    record_choices_of,
    record_options,
    selection_of,
)
from geoaudit.cli.scan import scan
from geoaudit.recording.control import TracingTax
from geoaudit.recording.progress import StreamTail
from geoaudit.recording.runner import RecorderOptions
from geoaudit.recording.selection import Selection


@click.command()
@record_options
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:  # noqa: ANN401
    ctx.obj.append((record_choices_of(values), selection_of(values)))


def chosen(*arguments: str) -> tuple[RecordChoices, Selection]:
    found: list[tuple[RecordChoices, Selection]] = []
    result = CliRunner().invoke(command, arguments, obj=found)
    assert result.exit_code == 0, result.output
    return found[0]


def test_without_options_all_is_recorded_once_and_kept() -> None:
    choices, selection = chosen()
    assert choices.recorder_options == RecorderOptions(yields=False, duration_ms=None)
    assert (choices.control, choices.progress) == (None, None)
    assert selection == Selection()
    assert not selection.is_of_tokens


def test_the_options_become_the_runners_and_a_selection() -> None:
    choices, selection = chosen(
        "--duration", "1.5", "--yield", "--range", "decode", "--skip-tokens", "3",
        "--max-tokens", "20", "--no-progress",
    )  # fmt: skip
    assert choices.recorder_options == RecorderOptions(yields=True, duration_ms=1500)
    assert choices.progress is False
    assert selection == Selection(launch_range="decode", skip_tokens=3, max_tokens=20)


@pytest.mark.parametrize("seconds", ["0.0001", "1e-9"])
def test_a_short_duration_is_not_none(seconds: str) -> None:
    assert chosen("--duration", seconds)[0].recorder_options.duration_ms == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--duration", "0"], "not in the range"),
        (["--duration", "nan"], "must be a finite number"),
        (["--control", "0"], "not in the range"),
        (["--max-tokens", "0"], "not in the range"),
        (["--skip-tokens", "-1"], "not in the range"),
        (["--range", "dec("], "is not a regular expression"),
        (["--range", ""], "must not be empty"),
        (["--control", "2", "--duration", "3"], "--control times whole runs"),
    ],
)
def test_wrong_use_is_a_usage_error(arguments: Sequence[str], message: str) -> None:
    result = CliRunner().invoke(command, arguments, obj=[])
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--duration", "1"], "--duration is for a recorded command: give `-- COMMAND`"),
        (["--control", "1"], "--control is for a recorded command"),
        (["--yield"], "--yield is for a recorded command"),
        (["--no-progress"], "--progress is for a recorded command"),
        (["--"], "give a COMMAND after --"),
        (["--allow-partial", "--", "true"], "no TRACE or --allow-partial before it"),
    ],
)
def test_options_of_the_other_form_are_refused(
    arguments: Sequence[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["scan", *arguments])
    assert result.exit_code == 2
    assert message in result.output


def test_help_names_every_option_once_and_in_its_group() -> None:
    text = CliRunner().invoke(main, ["scan", "--help"], terminal_width=100).output
    assert text.startswith("Usage: main scan [OPTIONS] [MANIFEST.toml|TRACE...] [-- COMMAND...]\n")
    grouped = [name for names in HELP_SECTIONS.values() for name in names]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) <= {parameter.name for parameter in scan.params}
    for title in HELP_SECTIONS:
        assert f"\n{title}:\n" in text
    for parameter in scan.params:
        if isinstance(parameter, click.Option):
            assert text.count(f"  {', '.join(parameter.opts)}") == 1, parameter.name


@pytest.mark.parametrize(
    ("command_line", "name"),
    [
        (["/opt/engine/bin/llama-cli", "-p", "secret"], "llama-cli"),
        (["python3.11", "/home/me/serve.py", "--key", "k"], "python3.11 serve.py"),
        (["/usr/bin/python3", "-u", "-m", "vllm.serve", "x"], "python3 -m vllm.serve"),
        (["python", "-c", "import torch"], "python"),
        (["python"], "python"),
        (["bash", "run.sh"], "bash run.sh"),
        (["x" * 100], "x" * 60),
    ],
)
def test_a_command_is_called_by_its_program(command_line: Sequence[str], name: str) -> None:
    assert program_name(command_line) == name


def tail(launches: int, records: int = 0) -> StreamTail:
    return StreamTail(path=Path("1.geoaudit"), launches=launches, kernel_records=records)


@pytest.mark.parametrize(
    ("seconds", "tails", "text"),
    [
        (3.9, [], "recording 3 s, no process uses CUDA yet"),
        (12.0, [tail(1234, 99)], "recording 12 s, 1,234 launches"),
        (61.0, [tail(5), tail(7)], "recording 1 min 1 s, 12 launches in 2 processes"),
        (2.0, [tail(0, 40)], "recording 2 s, 40 kernel records"),
    ],
)
def test_the_progress_line(seconds: float, tails: list[StreamTail], text: str) -> None:
    assert progress_text(seconds, tails) == text


def tax(bare_ns: tuple[int, ...], recorded_ns: tuple[int, ...], launches: int = 1000) -> str:
    differences = tuple(b - a for a, b in zip(bare_ns, recorded_ns, strict=True))
    lines = tax_lines(
        TracingTax(
            bare_ns=bare_ns,
            recorded_ns=recorded_ns,
            differences_ns=differences,
            launches=launches,
        )
    )
    return "\n".join(lines)


def test_the_tracing_tax_in_words() -> None:
    assert tax((100_000_000, 102_000_000), (110_000_000, 114_000_000)) == (
        "control: 2 runs each way, in turns, wall time\n"
        "  bare     100 ms, 102 ms\n"
        "  recorded 110 ms, 114 ms\n"
        "tracing tax: +11.0 ms = +10.9%, the middle difference, pairs from +10.0 ms to +12.0 ms; "
        "+11.0 µs for each of 1,000 kernel launches, start-up included"
    )


def test_a_tax_within_chance_is_called_so() -> None:
    text = tax((100_000_000, 102_000_000), (101_000_000, 101_000_000))
    assert "pairs from -1.00 ms to +1.00 ms" in text
    assert text.endswith("the pairs differ in sign: no tax can be told from chance")


def test_one_pair_has_no_range_and_no_launches_no_share() -> None:
    text = tax((100_000_000,), (90_000_000,), launches=0)
    assert text.splitlines()[-1] == "tracing tax: -10.0 ms = -10.0%, the middle difference"


def _saving_with(*numbers: int) -> SavingSignals:
    """Signals that come while a recording is saved, after a command took them."""
    saving = SavingSignals()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with saving.handled_until_saved():
        saving.take()
        for sent in numbers:
            os.kill(os.getpid(), sent)
    assert {number: signal.getsignal(number) for number in before} == before
    return saving


def test_the_first_interrupt_while_saving_is_answered_the_second_obeyed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    _saving_with(signal.SIGINT)
    answer = "geoaudit: saving what was recorded; Ctrl-C gives it up\n"
    assert capfd.readouterr().err == answer
    with pytest.raises(KeyboardInterrupt):
        _saving_with(signal.SIGINT, signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_being_terminated_while_saving_ends_after_it() -> None:
    assert _saving_with(signal.SIGTERM, signal.SIGTERM).ended_by == signal.SIGTERM
    assert _saving_with().ended_by is None
