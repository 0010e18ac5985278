"""The whole argument for one kernel as text."""

from dataclasses import replace

from geoaudit.render.kernel_argument import kernel_argument
from tests.unit.render.builders import row


def test_costs_are_per_token_or_per_trace() -> None:
    for period in ("token", "trace"):
        sections = dict(kernel_argument(row(), period)[1])
        assert all(f" per {period}" in sentence for sentence in sections["Cost"])


def test_more_than_all_of_the_kernel_time_is_explained() -> None:
    for share, is_told in ((0.9, False), (1.0000001, False), (1.381, True)):
        cost = dict(kernel_argument(replace(row(), time_fraction=share), "trace")[1])["Cost"]
        assert ("its launches run beside one another" in cost[0]) is is_told
