"""Which arms change which steps, found by planning."""

from geoaudit.manifest.arm_steps import idle_arms, steps_changed
from geoaudit.manifest.plan import plan
from geoaudit.manifest.settings import resolve_settings
from tests.unit.manifest.example_manifest import parsed

STEPS = "[steps.decode]                    # a token; its NVTX range is named decode too\n"
TWO = f'[steps.head]\nlaunches = ["projection"]\n{STEPS}'
NAME = 'name = "a small decode step"\n'
MANIFEST = parsed((STEPS, TWO), (NAME, f'{NAME}default_step = "decode"\n'))


def test_an_arm_changes_the_steps_whose_launches_differ_with_it() -> None:
    found = steps_changed(MANIFEST, resolve_settings(MANIFEST))
    assert found["WIDE_NORM"].changed == ("decode",)
    assert found["ROWS_PER_BLOCK"].changed == ("head", "decode")


def test_sizes_count_and_arms_that_are_on_do_not() -> None:
    small = resolve_settings(MANIFEST, assignments=["hidden=1024"], arms=["WIDE_NORM"])
    found = steps_changed(MANIFEST, small)
    assert found["WIDE_NORM"].changed == ()
    assert idle_arms(MANIFEST, small, plan(MANIFEST, small)) == ("WIDE_NORM",)


def test_a_step_that_an_arm_makes_impossible_is_told() -> None:
    manifest = parsed((NAME, f'{NAME}require = ["not WIDE_NORM"]\n'))
    found = steps_changed(manifest, resolve_settings(manifest))
    assert found["WIDE_NORM"].changed == ()
    assert found["WIDE_NORM"].refused[0].startswith("decode cannot be planned with it: m.toml:3: ")
    assert found["ROWS_PER_BLOCK"].refused == ()
