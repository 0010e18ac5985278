"""Turn what tests/gpu/ranks.py recorded into the captures and tables of a tensor-parallel run.

    python reports/tensor_parallel.py FOLDER reports/h200-tensor-parallel --recorded-on 2026-11-30

Writes each recording of FOLDER that is kept (`NAME.parquet`: a file of one rank, a folder of
several), `environment.json`, and what the commands say of them: `agreement.txt` and `agreement.md`
(`geoaudit shard-check kernels --scan ...`: the blocks predicted for every launch beside those
recorded) and, for each recording of several ranks, `NAME.txt` (`geoaudit rank --by rank`). A test
makes the tables again from the captures and compares the bytes.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

from geoaudit.cli.main import main as geoaudit
from geoaudit.launches.recording import Recording, TokenOptions
from geoaudit.launches.store import (
    read_parts,
    read_recording,
    write_dataset,
    write_recording,
)
from geoaudit.recording.selection import Selection, select

KERNELS = Path(__file__).parents[1] / "kernels"
# Of a run that was to go on for long: enough to see that one rank ends before the other.
MOST_TOKENS = 60


def parts_of(path: Path) -> list[Recording]:
    """The recordings of a file, or of a folder with a part for each process."""
    return read_parts(path) if path.is_dir() else [read_recording(path)]


def kept(recording: Recording, recorded_on: str) -> Recording:
    """A recording of not too many tokens, with the date it was made on."""
    if recording.launches["token"].nunique() > MOST_TOKENS:
        recording = select(recording, TokenOptions(), Selection(max_tokens=MOST_TOKENS))
    return replace(recording, metadata=replace(recording.metadata, recorded_on=recorded_on))


def agreement(captures: Sequence[Path], kind: str) -> str:
    """What shard-check says of the suite's launches and of these recordings of them."""
    scans = [argument for one in captures for argument in ("--scan", str(one))]
    return said(["shard-check", str(KERNELS), *scans, "--format", kind])


def said(arguments: list[str]) -> str:
    """What a command prints; it needs no machine of its own."""
    shown = CliRunner(env={"COLUMNS": "120"}).invoke(
        geoaudit, [*arguments, "--fail-on", "none"], catch_exceptions=False
    )
    if shown.exit_code:
        raise SystemExit(shown.output)
    return shown.stdout


def tables(folder: Path) -> dict[str, str]:
    """File name -> text of each table of a folder of captures."""
    of_suite = sorted(folder.glob("tp*.parquet"))
    found = {f"agreement.{end}": agreement(of_suite, kind) for end, kind in KINDS.items()}
    for capture in sorted(folder.glob("*.parquet")):
        if capture.is_dir():
            found[f"{capture.stem}.txt"] = said(["rank", str(capture), "--by", "rank"])
    return found


KINDS = {"txt": "table", "md": "markdown"}


def main() -> None:
    """Write captures and tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--recorded-on", metavar="DATE", required=True)
    arguments = parser.parse_args()
    output: Path = arguments.output
    output.mkdir(parents=True, exist_ok=True)
    environment = json.loads((arguments.folder / "environment.json").read_text(encoding="utf-8"))
    dated = json.dumps({"recorded_on": arguments.recorded_on} | environment, indent=2)
    (output / "environment.json").write_text(dated + "\n", encoding="utf-8")
    for path in sorted(arguments.folder.glob("*.parquet")):
        parts = [kept(one, arguments.recorded_on) for one in parts_of(path)]
        if len(parts) == 1:
            write_recording(parts[0], output / path.name)
        else:
            write_dataset(parts, output / path.name)
    for name, text in tables(output).items():
        (output / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
