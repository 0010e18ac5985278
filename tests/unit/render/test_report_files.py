from geoaudit.render.report_files import report_files
from tests.unit.render import builders


def test_a_report_has_these_files_and_all_of_them_have_the_rows() -> None:
    files = report_files(builders.audit())
    assert list(files) == ["rank.json", "rank.csv", "summary.md", "report.html"]
    for text in files.values():
        assert "attention_merge" in text
        assert text.endswith("\n")
