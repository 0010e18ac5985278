import csv
import io
from dataclasses import replace

from geoaudit.ranking.audit import Audit
from geoaudit.render.csv_table import COLUMNS, render_csv
from tests.unit.render import builders
from tests.unit.render.test_json_document import ROW


def lines(audit: Audit) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_csv(audit), newline="")))


def test_the_columns_are_the_fields_of_a_json_row() -> None:
    dimensions = {f"{name}_{axis}" for name in ("grid", "block", "cluster") for axis in "xyz"}
    flat = (
        (set(ROW) - {"grid", "block", "cluster", "interventions"}) | dimensions | {"group", "per"}
    )
    assert set(COLUMNS) == flat
    assert len(COLUMNS) == len(flat)


def test_rows_and_communication_are_told_apart() -> None:
    groups = [line["group"] for line in lines(builders.audit())]
    assert groups == ["kernel"] * 4 + ["communication"]


def test_values() -> None:
    first = lines(builders.audit())[0]
    assert (first["grid_x"], first["grid_y"], first["grid_z"]) == ("12", "1", "1")
    assert float(first["sm_fill"]) == 12 / 132
    assert first["findings"] == "GA101"
    assert first["positions"] == "3 17"
    assert first["per"] == "token"


def test_what_is_unknown_is_empty() -> None:
    row = lines(builders.unknown_audit())[0]
    for name in ("grid_x", "sm_fill", "time_per_token_ns", "duration_median_ns", "confidence"):
        assert row[name] == ""


def test_no_cell_is_a_formula_or_acts_on_a_terminal() -> None:
    text = render_csv(builders.hostile_audit())
    assert all(character.isprintable() or character == "\n" for character in text)
    for line in lines(builders.hostile_audit()):
        for cell in line.values():
            assert not cell.startswith(("=", "+", "@", "\t", "\r"))


def test_a_negative_number_stays_a_number() -> None:
    base = builders.audit()
    row = replace(base.rows[0], wasted_sm_time_per_token_ns=-1.0)
    assert lines(replace(base, rows=(row,)))[0]["wasted_sm_time_per_token_ns"] == "-1.0"


def test_an_empty_audit_has_its_heading_alone() -> None:
    assert render_csv(builders.empty_audit()) == ",".join(COLUMNS) + "\n"
