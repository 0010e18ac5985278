"""The settings of one run: which arms are on, and which symbols have another value.

An arm is named by ``--arm NAME``, ``--arm NAME=VALUE`` or the environment variable
``GEOAUDIT_NAME``, or is one of ``--all-arms``. What names an arm stands above ``--all-arms``, and
the command line above the environment: ``--all-arms --arm NAME=0`` leaves one out.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from geoaudit.errors import InputError
from geoaudit.manifest.arithmetic import ExpressionError
from geoaudit.manifest.arm_effects import kernels_reached
from geoaudit.manifest.arm_section import RECORDER_NAMES
from geoaudit.manifest.expressions import parse_expression
from geoaudit.manifest.location import did_you_mean, shown
from geoaudit.manifest.model import Arm, Manifest

VARIABLE_PREFIX = "GEOAUDIT_"
"""What the name of an arm's environment variable begins with."""

_ALIKE = 0.6
_LONGEST_NAME = 60


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one run.

    Attributes:
        symbols: symbol -> the value it has instead of its formula's.
        arms: every arm -> its value; 0: off.
    """

    symbols: Mapping[str, int]
    arms: Mapping[str, int]

    @property
    def arms_on(self) -> dict[str, int]:
        """The arms that are on, with their values."""
        return {name: value for name, value in self.arms.items() if value}

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that give exactly these arms: the restore set of a baseline."""
        return {variable_of(name): str(value) for name, value in self.arms.items()}


@dataclass(frozen=True, kw_only=True)
class ArmListing:
    """One line of ``--list-arms``.

    Attributes:
        arm: the arm.
        variable: its environment variable.
        kernels: the kernels whose launches it may change.
    """

    arm: Arm
    variable: str
    kernels: tuple[str, ...]


def resolve_settings(
    manifest: Manifest,
    *,
    assignments: Sequence[str] = (),
    arms: Sequence[str] = (),
    all_arms: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings that options and environment ask for; without any, the baseline.

    Args:
        manifest: whose symbols and arms they are.
        assignments: values of ``--set``: ``NAME=VALUE``, the value a number or constant arithmetic.
        arms: values of ``--arm``: ``NAME``, or ``NAME=VALUE`` where 0 is off.
        all_arms: switch on every arm that does not say ``in_all = false``.
        environment: environment variables; those of arms count.

    Raises:
        InputError: an unknown name, a value that is not allowed, arms that exclude each other.
    """
    values = dict.fromkeys(manifest.arms, 0)
    if all_arms:
        values |= {name: arm.values[0] for name, arm in manifest.arms.items() if arm.in_all}
    values |= _arms_of_environment(manifest, environment or {})
    values |= _arms_of_options(manifest, arms)
    _check_exclusions(manifest, values)
    return Settings(symbols=_symbols(manifest, assignments), arms=values)


def unknown_variables(manifest: Manifest, environment: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence on each variable that looks like an arm's and is none.

    Ignored without a word, a misspelt variable would measure the baseline and call it the arm.
    """
    sentences = []
    for variable, text in environment.items():
        name = variable.removeprefix(VARIABLE_PREFIX)
        if name == variable or not text or name in manifest.arms or name in RECORDER_NAMES:
            continue
        near = _nearest_arm(name, manifest)
        hint = f"did you mean {variable_of(near)}?" if near else "`--list-arms` lists the arms."
        sentences.append(f"{shown(variable)[1:-1]} is no arm of this manifest and ignored: {hint}")
    return tuple(sentences)


def restore_set(manifest: Manifest) -> str:
    """The environment assignments that return the baseline: ``GEOAUDIT_A=0 GEOAUDIT_B=0``."""
    baseline = resolve_settings(manifest)
    return " ".join(f"{name}={value}" for name, value in baseline.environment.items())


def list_arms(manifest: Manifest) -> tuple[ArmListing, ...]:
    """All arms, in the manifest's order, with the kernels each reaches."""
    reached = kernels_reached(manifest)
    return tuple(
        ArmListing(arm=arm, variable=variable_of(name), kernels=reached[name])
        for name, arm in manifest.arms.items()
    )


def variable_of(arm: str) -> str:
    """The environment variable of an arm."""
    return VARIABLE_PREFIX + arm


def _arms_of_environment(manifest: Manifest, environment: Mapping[str, str]) -> dict[str, int]:
    values: dict[str, int] = {}
    for variable, text in environment.items():
        name = variable.removeprefix(VARIABLE_PREFIX)
        if name == variable or not text:
            continue
        if name in manifest.arms:
            values[name] = _arm_value(manifest.arms[name], text, f"{variable}={text}")
    return values


def _nearest_arm(name: str, manifest: Manifest) -> str | None:
    """The arm that shares most words with a name, or else is spelt most alike; None: none is."""
    words = set(name.upper().split("_"))

    def nearness(arm: str) -> tuple[int, float]:
        alike = difflib.SequenceMatcher(None, name.upper()[:_LONGEST_NAME], arm).ratio()
        return len(words & set(arm.split("_"))), alike

    arm = max(manifest.arms, key=nearness, default="")
    shared, alike = nearness(arm)
    return arm if arm and (shared or alike >= _ALIKE) else None


def _arms_of_options(manifest: Manifest, options: Sequence[str]) -> dict[str, int]:
    values: dict[str, int] = {}
    for option in options:
        name, equals, text = option.partition("=")
        if name not in manifest.arms:
            hint = did_you_mean(name, manifest.arms) or "; `--list-arms` lists them"
            raise InputError(f"--arm {shown(option)}: unknown arm{hint}")
        if name in values:
            raise InputError(f"--arm {shown(option)}: {name} is given twice; give it once")
        arm = manifest.arms[name]
        values[name] = _arm_value(arm, text, f"--arm {option}") if equals else arm.values[0]
    return values


def _arm_value(arm: Arm, text: str, given: str) -> int:
    allowed = {str(value): value for value in (0, *arm.values)}
    if text not in allowed:
        raise InputError(f"{shown(given)[1:-1]}: the value must be one of {', '.join(allowed)}")
    return allowed[text]


def _check_exclusions(manifest: Manifest, values: Mapping[str, int]) -> None:
    on = [name for name, value in values.items() if value]
    for name in on:
        for other in on:
            if other in manifest.arms[name].excludes:
                raise InputError(
                    f"the arms {name} and {other} exclude each other; switch one off: "
                    f"--arm {other}=0"
                )


def _symbols(manifest: Manifest, assignments: Sequence[str]) -> dict[str, int]:
    values: dict[str, int] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        given = f"--set {shown(assignment)}"
        if not equals:
            raise InputError(f"{given}: write NAME=VALUE")
        if name in manifest.arms:
            raise InputError(f"{given}: {name} is an arm; write --arm {shown(assignment)[1:-1]}")
        if name not in manifest.symbols:
            known = ", ".join(manifest.symbols) or "none"
            hint = did_you_mean(name, manifest.symbols) or f"; the symbols are {known}"
            raise InputError(f"{given}: unknown symbol{hint}")
        if name in values:
            raise InputError(f"{given}: {name} is given twice; give it once")
        try:
            value = parse_expression(text).evaluate({})
        except ExpressionError as error:
            raise InputError(f"{given}: {error}") from error
        assert isinstance(value, int), "an expression of integers has no other value"
        values[name] = value
    return values
