"""Mangled names that would demangle to more text than any kernel is called by."""

import re
from collections.abc import Callable

LARGEST_DEMANGLED = 65_536
"""Longest demangled name that is taken, in characters; real kernels stay below 20,000."""

# So few references cannot make a name very long, whatever they refer to; so many have no kernel.
_FEW_REFERENCES = 8
_MOST_REFERENCES = 1000
# A back-reference to what was spelled before, or to a template argument (Itanium C++ ABI,
# "Mangling": <substitution>, <template-param>).
_REFERENCE = re.compile(r"S[0-9A-Z]{0,3}_|T[0-9]{0,3}_")
# A literal, whose digits are no length; a reference; a length with the name that follows it.
_TOKEN = re.compile(
    r"L[a-z]n?\d+E|(?P<reference>S[0-9A-Z]{0,3}_|T[0-9]{0,3}_)|(?P<length>[1-9]\d*)"
)


def demangles_to_little(name: str, demangled: Callable[[str], str | None]) -> bool:
    """Whether demangling a name ends soon, and with a text of reasonable length.

    References can nest, so that 200 characters stand for gigabytes. The text is therefore built up
    reference by reference: with all later ones replaced by something short, one more can only add
    what earlier ones already spell, and the first text that is too long ends it.

    Args:
        name: a mangled name.
        demangled: the demangled name of a harmless one, or None where it is not valid.
    """
    references = _references(name)
    if len(references) > _MOST_REFERENCES or len(name) > LARGEST_DEMANGLED:
        return False
    # What reads as a reference but is part of a name, or the other way round, is never replaced.
    unseen = len(_REFERENCE.findall(name)) - len(references)
    unverified = max(0, unseen)
    for kept in range(len(references)):
        text = demangled(_with_short(name, references[kept:]))
        unverified += text is None
        if unverified > _FEW_REFERENCES or len(text or "") > LARGEST_DEMANGLED:
            return False
    return True


def _references(name: str) -> list[re.Match[str]]:
    found = []
    position = 0
    while match := _TOKEN.search(name, position):
        position = match.end()
        if match["reference"]:
            found.append(match)
        elif match["length"] and len(match["length"]) < len(str(len(name))) + 1:
            position += int(match["length"])
    return found


def _with_short(name: str, references: list[re.Match[str]]) -> str:
    """The name with something as valid and short in the place of each of these references.

    Which number a back-reference has depends on what was spelled before it. A template parameter
    counts there and so does the type of one letter that replaces it; a back-reference does not, nor
    do ``int``, and ``std`` and ``std::allocator`` where it is the beginning of a name.
    """
    parts, end = [], 0
    for reference in references:
        parts += [name[end : reference.start()], _short(name, reference)]
        end = reference.end()
    return "".join([*parts, name[end:]])


def _short(name: str, reference: re.Match[str]) -> str:
    if reference[0].startswith("T"):
        return "1x"
    if name[: reference.start()].endswith("N"):
        return "St"
    return "Sa" if name.startswith("I", reference.end()) else "i"
