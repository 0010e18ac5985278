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


def tools_around(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Sentences on profilers that left their variables in a shell: they may run it, or have.

    Args:
        environment: of the shell that starts the command.
    """
    by_tool: dict[str, str] = {}
    for name, tool in variables.tools_of(environment).items():
        by_tool.setdefault(tool, name)
    return tuple(
        f"{tool} runs this shell ({name} is set), and what runs there has no place for a second "
        f"profiler. Run without {tool}."
        for tool, name in by_tool.items()
    )
