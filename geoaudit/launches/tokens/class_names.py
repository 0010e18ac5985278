"""Names for classes of steps: prefill, decode, a range's name, or their launches."""

import re
from collections import Counter
from dataclasses import dataclass

_TRAINING = re.compile(r"backward|_grad_|[Aa]dam|[Ss][Gg][Dd]Functor|optimizer", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class ClassTraits:
    """What is known of a class before it has a name.

    Attributes:
        label: name of the range that spans each of its steps and no step of another kind.
        complete_steps: its complete steps.
        launches_per_step: launches of its template.
        kernel_time_per_step_ns: sum of a step's durations, mean over complete steps,
            or None. Time between launches is the host's and says little about the kind of step.
        kernels: kernel names of its template.
        leads_to_main: each of its steps is followed by one of the most frequent class.
        shares_shapes: most of its launches have the shapes of the most frequent class.
    """

    label: str | None
    complete_steps: int
    launches_per_step: int
    kernel_time_per_step_ns: float | None
    kernels: frozenset[str]
    leads_to_main: bool
    shares_shapes: bool


def main_class(traits: list[ClassTraits]) -> int:
    """Index of the class of the most complete steps; of several the first."""
    return max(range(len(traits)), key=lambda index: (traits[index].complete_steps, -index))


def class_names(traits: list[ClassTraits]) -> list[str]:
    """A name for each class, all different.

    A range's name is taken as it is. Without one the class of the most steps is ``decode`` if no
    other class takes less than half its kernel time (``step`` if its kernels are those of
    training). The first class in the recording is ``prefill`` if each of its steps leads to a
    decode step, takes no less, launches about as much (half to twice) and in other shapes. Others
    are ``class 2 (412 launches)``, counted in order of first occurrence.
    """
    main = main_class(traits)
    named = [trait.label or _unlabelled(traits, index, main) for index, trait in enumerate(traits)]
    totals, used = Counter(named), set[str]()
    best = {
        name: max(
            (index for index, other in enumerate(named) if other == name),
            key=lambda index: traits[index].complete_steps,
        )
        for name in totals
    }
    names = []
    for index, name in enumerate(named):
        if index != best[name]:
            launches = f"{traits[index].launches_per_step} launches"
            name = f"{name} ({launches})"
            if name in used:
                name = f"{name[:-1]}, class {index + 1})"
        used.add(name)
        names.append(name)
    return names


def _unlabelled(traits: list[ClassTraits], index: int, main: int) -> str:
    plain = f"class {index + 1} ({traits[index].launches_per_step} launches)"
    if any(_TRAINING.search(kernel) for kernel in traits[main].kernels):
        return "step" if index == main else plain
    times = [t.kernel_time_per_step_ns for t in traits if t.kernel_time_per_step_ns is not None]
    decode = traits[main].kernel_time_per_step_ns
    if decode is not None and decode > 2 * min(times):
        return plain
    if index == main:
        return "decode"
    own = traits[index].kernel_time_per_step_ns
    slower = decode is None or own is None or own >= decode
    ratio = traits[index].launches_per_step / traits[main].launches_per_step
    leads = index == 0 and traits[index].leads_to_main
    is_prefill = leads and slower and not traits[index].shares_shapes and 0.5 <= ratio <= 2.0
    return "prefill" if is_prefill else plain
