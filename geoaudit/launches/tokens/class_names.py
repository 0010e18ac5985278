"""Names for classes of steps: prefill, decode, a range's name, or their launches."""

import re
from collections import Counter
from dataclasses import dataclass

_TRAINING = re.compile(r"backward|_grad_|[Aa]dam|[Ss][Gg][Dd]Functor|optimizer", re.ASCII)
# What chooses the next token. An embedding is no evidence: an encoder has one too.
_CHOOSES_A_TOKEN = re.compile(
    r"arg_?max|logit|multinomial|gumbel|(?<!up)(?<!down)sampling", re.ASCII | re.IGNORECASE
)
# A prefill alone is evidence of a decode only where it takes this much longer.
_CLEARLY_SLOWER = 1.5


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

    A range's name is taken as it is. Without one the class of the most steps is ``decode`` if there
    is evidence for it: it launches a kernel that by its name chooses a token (argmax, logits,
    sampling), or a prefill comes before it that takes clearly longer (1.5 times the kernel time).
    It is ``step`` without evidence, and where kernels are those of training. It has no name of
    that kind if another class takes less than half its kernel time. The first class in the
    recording is ``prefill`` if each of its steps leads to a decode step, takes no less, launches
    about as much (half to twice) and in other shapes. Others are ``class 2 (412 launches)``,
    counted in order of first occurrence.
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
    usual = traits[main]
    is_training = any(_TRAINING.search(kernel) for kernel in usual.kernels)
    times = [t.kernel_time_per_step_ns for t in traits if t.kernel_time_per_step_ns is not None]
    decode = usual.kernel_time_per_step_ns
    if not is_training and decode is not None and decode > 2 * min(times):
        return plain
    chooses = any(_CHOOSES_A_TOKEN.search(kernel) for kernel in usual.kernels)
    slower = 1.0 if chooses else _CLEARLY_SLOWER
    has_prefill = not is_training and _is_prefill(traits[0], usual, slower)
    if index == main:
        return "decode" if not is_training and (chooses or has_prefill) else "step"
    return "prefill" if index == 0 and has_prefill else plain


def _is_prefill(first: ClassTraits, usual: ClassTraits, slower: float) -> bool:
    """Whether the first class is the prefill of the usual one, taking so many times as long."""
    own, decode = first.kernel_time_per_step_ns, usual.kernel_time_per_step_ns
    takes_longer = slower == 1.0 if own is None or decode is None else own >= slower * decode
    about_as_long = 0.5 <= first.launches_per_step / usual.launches_per_step <= 2.0
    return first.leads_to_main and takes_longer and about_as_long and not first.shares_shapes
