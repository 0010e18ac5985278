"""What reading a file adds to while it goes: functions, classes, launches seen."""

from dataclasses import dataclass, field

from geoaudit.shardcheck.program.file_program import Class, NotAnalysed
from geoaudit.shardcheck.program.statements import Function, Statement

LAUNCH_CALLS = frozenset(
    {
        "cudaLaunchKernel",
        "cudaLaunchKernel_ptsz",
        "cudaLaunchKernelEx",
        "cudaLaunchKernelExC",
        "cudaLaunchCooperativeKernel",
        "cuLaunchKernel",
        "cuLaunchKernelEx",
        "cuLaunchCooperativeKernel",
        "hipLaunchKernel",
        "hipLaunchKernelGGL",
        "hipLaunchKernelEx",
        "hipLaunchKernelExC",
        "hipLaunchCooperativeKernel",
        "hipExtLaunchKernel",
        "hipExtLaunchKernelGGL",
        "hipModuleLaunchKernel",
        "hipExtModuleLaunchKernel",
        "hipModuleLaunchCooperativeKernel",
        "hipDrvLaunchKernelEx",
        "musaLaunchKernel",
        "kernel_launch",
        "launch_kernel_on_cluster",
    }
)


@dataclass(kw_only=True)
class FileRecord:
    """A file being read.

    Attributes:
        functions: by index; None: begun, not yet finished.
        top: statements of the file itself.
        launches: byte offsets of ``<<<`` that are in a function.
        launch_calls: offset of the argument list of each call of an interface that launches, to
            its name.
    """

    functions: list[Function | None] = field(default_factory=lambda: [None])
    top: list[Statement] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    launches: set[int] = field(default_factory=set)
    launch_calls: dict[int, str] = field(default_factory=dict)
    not_analysed: list[NotAnalysed] = field(default_factory=list)

    def begin_function(self) -> int:
        """Index of a new function, whose nested ones then follow it."""
        self.functions.append(None)
        return len(self.functions) - 1

    def state(self) -> tuple[int, int, int, set[int], dict[int, str]]:
        """What `restore` needs to take back all that is added from now on."""
        return (
            len(self.functions),
            len(self.top),
            len(self.classes),
            set(self.launches),
            dict(self.launch_calls),
        )

    def restore(self, state: tuple[int, int, int, set[int], dict[int, str]]) -> None:
        """Takes back what was added since `state`."""
        functions, top, classes, self.launches, self.launch_calls = state
        del self.functions[functions:], self.top[top:], self.classes[classes:]
