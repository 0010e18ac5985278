"""Who has put a library where the recorder goes, by the environment of a shell."""

from collections.abc import Mapping

from geoaudit.recording.checks import variables


def taken_slots(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What is wrong and the remedy, for each variable by which another tool has the place.

    Args:
        environment: of the shell that starts the command.
    """
    found = []
    injected = environment.get(variables.INJECTION)
    if injected:
        found.append(
            (
                f"{variables.INJECTION} is set to {injected}: another tool (Nsight Systems, Nsight "
                "Compute, compute-sanitizer, a second geoaudit) has the place of the recorder.",
                "Run without it, or unset the variable.",
            )
        )
    for library in environment.get(variables.PRELOAD, "").replace(":", " ").split():
        tool = variables.tool_of_library(library)
        if tool is not None:
            found.append(
                (
                    f"{variables.PRELOAD} names {library}: {tool} runs this shell, and has the "
                    "place of the recorder.",
                    f"Run without it, or take it out of {variables.PRELOAD}.",
                )
            )
    if environment.get(variables.NSYS_SESSION):
        found.append(
            (
                f"{variables.NSYS_SESSION} is set: Nsight Systems profiles this shell, and has the "
                "place of the recorder.",
                "Run without it, or unset the variable.",
            )
        )
    return tuple(found)
