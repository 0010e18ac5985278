"""The rules on sources, of all that there are."""

from geoaudit.diagnosis.rule import Rule
from geoaudit.diagnosis.rules import all_rules

FIRST_LETTERS = "GA4"


def source_rules() -> tuple[Rule, ...]:
    """The rules on sources, by id."""
    return tuple(rule for rule in all_rules() if rule.id.startswith(FIRST_LETTERS))


def source_rule_ids() -> dict[str, str]:
    """Id and name of each rule on sources, in small letters -> its id."""
    return {
        spelled.casefold(): rule.id for rule in source_rules() for spelled in (rule.id, rule.name)
    }
