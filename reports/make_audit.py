"""Turn what was recorded on a GPU into the captures and audits kept in this folder.

    python reports/make_audit.py FOLDER reports/h200-decode-suite --recorded-on 2026-11-29
    python reports/make_audit.py FOLDER reports/h200-llama-decode

FOLDER is what tests/gpu/suite.py or record_decode.py wrote: recordings (`NAME.parquet`) or PyTorch
traces (`NAME.json.gz`), and `environment.json`. Writes, for each of them, the capture
(`NAME.parquet`) and the report of it (`NAME/rank.json`, ..., and `NAME/rank.txt`, what `geoaudit
rank` prints), and keeps the environment with the date. Of the suite's folder `measured.json` is
kept as it is, and `suite.log`, what was printed, as `suite.txt` without the folders it names. A
test makes each audit again from its capture and compares the bytes.
"""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from geoaudit.cli.rank import TABLE_ROWS
from geoaudit.launches.recording import Recording, TokenOptions
from geoaudit.launches.store import read_recording, write_recording
from geoaudit.launches.tokens import segment
from geoaudit.ranking.audit import top_rows
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.render.report_files import report_files
from geoaudit.render.terminal import render_terminal
from geoaudit.sources.registry import ReadOptions
from geoaudit.sources.sniff import read_profile

TRACE = ".json.gz"
RECORDING = ".parquet"


def recordings(folder: Path) -> Iterator[tuple[str, Recording]]:
    """Name and content of each trace and recording of a folder."""
    for path in sorted(folder.glob(f"*{TRACE}")):
        read = read_profile(path, ReadOptions())
        launches = segment(read.launches, TokenOptions()).launches
        yield path.name.removesuffix(TRACE), replace(read, launches=launches)
    for path in sorted(folder.glob(f"*{RECORDING}")):
        yield path.stem, read_recording(path)


def make_capture(recording: Recording, recorded_on: str, capture: Path) -> None:
    """Write a recording, with the date it was made on."""
    metadata = replace(recording.metadata, recorded_on=recorded_on)
    write_recording(replace(recording, metadata=metadata), capture)


def make_audit(capture: Path) -> dict[str, str]:
    """File name -> text of the report of a capture, and of what `geoaudit rank` prints of it."""
    audit = rank(read_recording(capture), RankOptions())
    return report_files(audit) | {"rank.txt": render_terminal(top_rows(audit, TABLE_ROWS))}


def without_folders(log: str) -> str:
    """What was printed, with `…` for the folder of every recording it names."""
    return re.sub(r"/\S*/(?=[\w-]+\.parquet\b)", "…/", log)


def keep_beside(folder: Path, output: Path) -> None:
    """The measured figures and what was printed, where the folder has them."""
    kept = {"measured.json": ("measured.json", str), "suite.log": ("suite.txt", without_folders)}
    for source, (target, changed) in kept.items():
        if (folder / source).exists():
            text = (folder / source).read_text(encoding="utf-8")
            (output / target).write_text(changed(text), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--recorded-on", metavar="DATE", help="where environment.json has none")
    arguments = parser.parse_args()
    folder, output = arguments.folder, arguments.output
    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    recorded_on = environment.get("recorded_on", arguments.recorded_on)
    if recorded_on is None:
        parser.error("environment.json has no recorded_on: give --recorded-on DATE")
    output.mkdir(parents=True, exist_ok=True)
    dated = json.dumps({"recorded_on": recorded_on} | environment, indent=2)
    (output / "environment.json").write_text(dated + "\n", encoding="utf-8")
    keep_beside(folder, output)
    for name, recording in recordings(folder):
        capture = output / f"{name}.parquet"
        make_capture(recording, recorded_on, capture)
        audit_folder = output / name
        audit_folder.mkdir(exist_ok=True)
        for file, text in make_audit(capture).items():
            (audit_folder / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
