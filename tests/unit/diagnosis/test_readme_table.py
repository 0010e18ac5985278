"""The README's rule table is what the rules themselves say."""

import re
from pathlib import Path

from geoaudit.diagnosis.pages import rule_table_markdown
from geoaudit.diagnosis.rules import all_rules

README = Path(__file__).parents[3] / "README.md"
PRINT = 'python -c "from geoaudit.diagnosis.pages import rule_table_markdown as t; print(t())"'


def test_readme_holds_the_rule_table() -> None:
    text = README.read_text(encoding="utf-8")
    marked = re.search(r"<!-- rules -->\n(.*?)\n<!-- /rules -->", text, re.DOTALL)
    assert marked is not None, "README.md lacks the markers <!-- rules --> and <!-- /rules -->"
    assert marked[1].strip() == rule_table_markdown(), f"README.md is stale: {PRINT}"


def test_the_table_has_a_line_for_every_rule() -> None:
    lines = rule_table_markdown().splitlines()[2:]
    assert [line.split(" | ")[0].strip("| ") for line in lines] == [r.id for r in all_rules()]
    assert all(line.count("|") == 5 for line in lines)
