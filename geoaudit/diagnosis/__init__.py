"""Pure judgement: spread, rules with stable ids, verdicts and findings."""
