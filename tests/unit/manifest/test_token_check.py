"""What would fail in the middle of a run is told before it."""

import pytest

from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.token_check import check_tokens
from tests.unit.manifest.example_manifest import planned

POSITION = '{ i64 = "position" }'


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ('{ i32 = "5 // (3 - token)" }', "division by zero in '5 // (3 - token)'"),
        ('{ i32 = "2**31 - 1 + token" }', "is 2147483648, beyond i32; choose a larger type"),
        ('{ u8 = "245 + token" }', "is 256, beyond u8; choose a larger type"),
    ],
)
def test_a_scalar_that_fails_at_a_later_token_is_told(argument: str, told: str) -> None:
    plan = planned((POSITION, argument))
    place = r"^m.toml:\d+: kernels.projection.arguments\[5\].\w+: "
    with pytest.raises(ManifestError, match=place) as raised:
        check_tokens(plan, 15)
    assert told in str(raised.value)
    assert "of the run" in str(raised.value)


def test_only_the_tokens_of_the_run_are_looked_at() -> None:
    check_tokens(planned((POSITION, '{ u8 = "245 + token" }')), 11)
    check_tokens(planned(), 1000)
