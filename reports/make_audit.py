"""Turn the traces of record_decode.py into the captures and audits kept in this folder.

    python reports/make_audit.py TRACE_FOLDER reports/h200-llama-decode

Reads `eager.json.gz`, `graph.json.gz` and `environment.json` of the trace folder. Writes, for each
trace, the capture (`eager.parquet`) and the report of it (`eager/rank.json`, ...), and copies the
environment. A test makes each audit again from its capture and compares the bytes.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

from geoaudit.launches.recording import TokenOptions
from geoaudit.launches.store import read_recording, write_recording
from geoaudit.launches.tokens import segment
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.render.report_files import report_files
from geoaudit.sources.registry import ReadOptions
from geoaudit.sources.sniff import read_profile


def make_capture(trace: Path, recorded_on: str, capture: Path) -> None:
    """A capture of a trace, with the date it was recorded on."""
    recording = read_profile(trace, ReadOptions())
    launches = segment(recording.launches, TokenOptions()).launches
    metadata = replace(recording.metadata, recorded_on=recorded_on)
    write_recording(replace(recording, launches=launches, metadata=metadata), capture)


def make_audit(capture: Path) -> dict[str, str]:
    """File name -> text of the report of a capture."""
    return report_files(rank(read_recording(capture), RankOptions()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    environment = (arguments.traces / "environment.json").read_text(encoding="utf-8")
    (arguments.output / "environment.json").write_text(environment, encoding="utf-8")
    recorded_on = json.loads(environment)["recorded_on"]
    for name in ("eager", "graph"):
        capture = arguments.output / f"{name}.parquet"
        make_capture(arguments.traces / f"{name}.json.gz", recorded_on, capture)
        folder = arguments.output / name
        folder.mkdir(exist_ok=True)
        for file, text in make_audit(capture).items():
            (folder / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
