import pytest

from geoaudit.cli.shipped import shipped_manifest
from geoaudit.errors import InputError
from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import (
    list_arms,
    resolve_settings,
    restore_set,
    unknown_variables,
)
from tests.unit.manifest.example_manifest import parsed

MANIFEST = parsed()
INERT = "inert = "
EXCLUSIVE = parsed((INERT, 'excludes = ["WIDE_NORM"]\nin_all = false\ninert = '))


def _arms(
    *options: str, all_arms: bool = False, environment: dict[str, str] | None = None
) -> dict[str, int]:
    return dict(
        resolve_settings(
            MANIFEST, arms=options, all_arms=all_arms, environment=environment or {}
        ).arms
    )


def test_without_options_all_is_off() -> None:
    settings = resolve_settings(MANIFEST)
    assert settings.arms == {"WIDE_NORM": 0, "ROWS_PER_BLOCK": 0}
    assert settings.arms_on == {}
    assert settings.symbols == {}


@pytest.mark.parametrize(
    ("options", "all_arms", "environment", "wide", "rows"),
    [
        (["WIDE_NORM"], False, {}, 1, 0),
        (["ROWS_PER_BLOCK"], False, {}, 0, 4),
        (["ROWS_PER_BLOCK=8"], False, {}, 0, 8),
        (["ROWS_PER_BLOCK=0"], False, {"GEOAUDIT_ROWS_PER_BLOCK": "4"}, 0, 0),
        (["ROWS_PER_BLOCK=8"], False, {"GEOAUDIT_ROWS_PER_BLOCK": "4"}, 0, 8),
        ([], False, {"GEOAUDIT_ROWS_PER_BLOCK": "8"}, 0, 8),
        ([], False, {"GEOAUDIT_WIDE_NORM": ""}, 0, 0),
        ([], False, {"GEOAUDIT_WIDE_NORM": "0"}, 0, 0),
        ([], True, {}, 1, 4),
        ([], True, {"GEOAUDIT_WIDE_NORM": "0"}, 0, 4),
        ([], True, {"GEOAUDIT_ROWS_PER_BLOCK": "8"}, 1, 8),
        (["WIDE_NORM=0"], True, {}, 0, 4),
        ([], False, {"GEOAUDIT_CUPTI": "/x", "PATH": "/y", "GEOAUDIT_FIGURE": "1"}, 0, 0),
    ],
)
def test_what_names_an_arm_stands_above_all_arms_and_options_above_the_environment(
    options: list[str], all_arms: bool, environment: dict[str, str], wide: int, rows: int
) -> None:
    arms = _arms(*options, all_arms=all_arms, environment=environment)
    assert arms == {"WIDE_NORM": wide, "ROWS_PER_BLOCK": rows}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("WIDE_NROM", "--arm 'WIDE_NROM': unknown arm; did you mean WIDE_NORM?"),
        ("ZZZ", "--arm 'ZZZ': unknown arm; `--list-arms` lists them"),
        ("ROWS_PER_BLOCK=5", "--arm ROWS_PER_BLOCK=5: the value must be one of 0, 4, 8"),
        ("ROWS_PER_BLOCK=", "--arm ROWS_PER_BLOCK=: the value must be one of 0, 4, 8"),
        ("WIDE_NORM=\x1b[1m", r"--arm WIDE_NORM=\x1b[1m: the value must be one of 0, 1"),
    ],
)
def test_a_wrong_arm_option_is_refused(option: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        _arms(option)
    assert str(raised.value) == message


def test_an_arm_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="WIDE_NORM is given twice; give it once"):
        _arms("WIDE_NORM", "WIDE_NORM=0")


def test_a_wrong_value_in_the_environment_is_refused() -> None:
    with pytest.raises(InputError) as raised:
        _arms(environment={"GEOAUDIT_WIDE_NORM": "yes"})
    assert str(raised.value) == "GEOAUDIT_WIDE_NORM=yes: the value must be one of 0, 1"


@pytest.mark.parametrize(
    ("variable", "near"),
    [
        ("GEOAUDIT_WIDENORM", "GEOAUDIT_WIDE_NORM"),
        ("GEOAUDIT_wide_norm", "GEOAUDIT_WIDE_NORM"),
        ("GEOAUDIT_NORM_WIDE", "GEOAUDIT_WIDE_NORM"),
        ("GEOAUDIT_ROWS", "GEOAUDIT_ROWS_PER_BLOCK"),
        ("GEOAUDIT_FIGURE", None),
    ],
)
def test_a_variable_that_is_no_arm_is_told_with_the_nearest(
    variable: str, near: str | None
) -> None:
    (told,) = unknown_variables(MANIFEST, {variable: "1"})
    hint = f"did you mean {near}?" if near else "`--list-arms` lists the arms."
    assert told == f"{variable} is no arm of this manifest and ignored: {hint}"


def test_variables_that_mean_something_or_nothing_are_not_told() -> None:
    known = ("GEOAUDIT_CUPTI", "GEOAUDIT_RECORDING", "GEOAUDIT_YIELD", "GEOAUDIT_WIDE_NORM", "PATH")
    assert unknown_variables(MANIFEST, {**dict.fromkeys(known, "1"), "GEOAUDIT_ZZ": ""}) == ()


def test_shared_words_count_more_than_shared_letters() -> None:
    suite = read_manifest(shipped_manifest())
    told = unknown_variables(suite, {"GEOAUDIT_ARM_PDL": "1", "GEOAUDIT_KDA": "1"})
    assert told[0].endswith("did you mean GEOAUDIT_PDL?")
    assert "did you mean GEOAUDIT_KDA_" in told[1]


def test_arms_that_exclude_each_other_are_never_on_together() -> None:
    with pytest.raises(InputError) as raised:
        resolve_settings(EXCLUSIVE, arms=["WIDE_NORM", "ROWS_PER_BLOCK"])
    assert str(raised.value) == (
        "the arms WIDE_NORM and ROWS_PER_BLOCK exclude each other; switch one off: "
        "--arm ROWS_PER_BLOCK=0"
    )
    assert resolve_settings(EXCLUSIVE, all_arms=True).arms_on == {"WIDE_NORM": 1}


def test_the_environment_of_settings_gives_the_same_settings() -> None:
    settings = resolve_settings(MANIFEST, arms=["ROWS_PER_BLOCK=8"])
    assert settings.environment == {"GEOAUDIT_WIDE_NORM": "0", "GEOAUDIT_ROWS_PER_BLOCK": "8"}
    assert resolve_settings(MANIFEST, environment=settings.environment) == settings


def test_the_restore_set_returns_the_baseline_whatever_was_set() -> None:
    assert restore_set(MANIFEST) == "GEOAUDIT_WIDE_NORM=0 GEOAUDIT_ROWS_PER_BLOCK=0"
    restored = dict(pair.split("=") for pair in restore_set(MANIFEST).split())
    environment = {"GEOAUDIT_WIDE_NORM": "1", **restored}
    assert resolve_settings(MANIFEST, environment=environment) == resolve_settings(MANIFEST)


@pytest.mark.parametrize(
    ("assignment", "value"),
    [("context=4096", 4096), ("context=128*1024", 131072), ("context=-1", -1)],
)
def test_a_symbol_is_set_to_constant_arithmetic(assignment: str, value: int) -> None:
    assert resolve_settings(MANIFEST, assignments=[assignment]).symbols == {"context": value}


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("context", "--set 'context': write NAME=VALUE"),
        ("contxt=1", "--set 'contxt=1': unknown symbol; did you mean context?"),
        ("zz=1", "--set 'zz=1': unknown symbol; the symbols are "),
        ("token=1", "--set 'token=1': unknown symbol"),
        ("width=1", "--set 'width=1': unknown symbol"),
        ("WIDE_NORM=1", "--set 'WIDE_NORM=1': WIDE_NORM is an arm; write --arm WIDE_NORM=1"),
        ("context=", "--set 'context=': is empty; write a number or an expression"),
        ("context=4.5", "--set 'context=4.5': 4.5 is not an integer; write a whole number here"),
        ("context=tp", "--set 'context=tp': unknown symbol tp"),
        ("context=1/0", "--set 'context=1/0': division by zero in '1 / 0'"),
    ],
)
def test_a_wrong_assignment_is_refused(assignment: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        resolve_settings(MANIFEST, assignments=[assignment])
    assert str(raised.value).startswith(message)


def test_a_symbol_set_twice_is_refused() -> None:
    with pytest.raises(InputError, match="tp is given twice; give it once"):
        resolve_settings(MANIFEST, assignments=["tp=1", "tp=2"])


def test_arms_are_listed_with_the_kernels_they_reach() -> None:
    wide, rows = list_arms(MANIFEST)
    assert (wide.arm.name, wide.variable) == ("WIDE_NORM", "GEOAUDIT_WIDE_NORM")
    assert wide.kernels == ("rms_norm",)
    assert rows.kernels == ("projection",)


@pytest.mark.parametrize(
    ("old", "new", "kernels"),
    [
        ("context = 4096\n", 'context = "4096 + WIDE_NORM"\n', ("rms_norm", "projection")),
        (
            '{ segment = "layer", repeat = 6 }',
            '{ segment = "layer", repeat = "6 + WIDE_NORM" }',
            ("rms_norm", "projection"),
        ),
        ('set = { width = "rows" }', 'set = { width = "rows - WIDE_NORM" }', ("rms_norm",)),
        (
            '{ segment = "layer", repeat = 6 }',
            '{ segment = "layer", set = { tp = "8 - WIDE_NORM" } }',
            ("rms_norm", "projection"),
        ),
        ('options = ["-std=c++17"]\nentry = "p', 'defines = { W = "WIDE_NORM" }\nentry = "p', None),
    ],
)
def test_an_arm_reaches_kernels_by_formulas_too(
    old: str, new: str, kernels: tuple[str, ...] | None
) -> None:
    wide, _ = list_arms(parsed((old, new)))
    assert wide.kernels == (kernels or ("rms_norm", "projection"))


def test_an_arm_that_only_sizes_a_buffer_is_an_arm() -> None:
    new = '[arms.LARGE]\nclass = "approximate"\nreason = "x"\n[arms.WIDE_NORM] '
    manifest = parsed(("[arms.WIDE_NORM] ", new), ("copies = 4 ", 'copies = "4 + LARGE" '))
    assert list_arms(manifest)[0].kernels == ()


@pytest.mark.parametrize("name", ["CUPTI", "DURATION_MS", "RECORDING", "YIELD"])
def test_variables_of_the_recorder_are_no_arms(name: str) -> None:
    told = f"GEOAUDIT_{name} is the recorder's own"
    with pytest.raises(ManifestError, match=told):
        parsed(("[arms.WIDE_NORM] ", f"[arms.{name}] "))
