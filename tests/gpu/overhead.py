"""What recording adds to a launch, a graph node and a PyTorch operator, against its peers.

Bare, recorded, under torch.profiler and under cupti-python, each in a process of its own that is up
all the while; they take turns of a few milliseconds, so that a change of the machine's speed meets
all alike. Answers measured while the processor was busy otherwise (an empty loop took longer than
1.15 times its best) are left out: shared machines change their speed by a factor of two.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

COST = str((Path(__file__).parent / "targets" / "cost.py").resolve())
CALLS = ("launch", "node", "node_of_2us", "operator")
QUIET = 1.15
# cupti-python hands records to Python on another thread, and so is seldom quiet.
ENOUGH = {"bare": 20, "recorded": 20, "torch.profiler": 8, "cupti-python": 0}  # quiet answers
MOST_SECONDS = 45


@dataclass(frozen=True)
class Answer:
    microseconds: float
    empty_loop: float


class Process:
    def __init__(self, name: str, command: Sequence[str], folder: Path) -> None:
        self.name = name
        self._running = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_until_ready(self) -> bool:
        return self._line() == "ready"

    def ask(self, call: str) -> Answer:
        assert self._running.stdin is not None
        print(call, file=self._running.stdin, flush=True)
        took, empty = self._line().split()
        return Answer(float(took), float(empty))

    def end(self) -> None:
        assert self._running.stdin is not None
        self._running.stdin.close()
        try:
            self._running.wait(30)
        except subprocess.TimeoutExpired:
            self._running.kill()
            self._running.wait()

    def _line(self) -> str:
        assert self._running.stdout is not None
        return self._running.stdout.readline().strip()


def measure(recorder: Sequence[str], folder: Path) -> dict[str, dict[str, list[float]]]:
    """Quiet microseconds per call, by call and process.

    Args:
        recorder: the command that records another one, up to its `--`.
        folder: where the processes run.
    """
    python = [sys.executable, COST]
    commands = {
        "bare": [*python, "plain"],
        "recorded": [*recorder, *python, "plain"],
        "torch.profiler": [*python, "torch.profiler"],
        "cupti-python": [*python, "cupti-python"],
    }
    processes = [Process(name, command, folder) for name, command in commands.items()]
    processes = [process for process in processes if process.wait_until_ready()]
    answers: dict[tuple[str, str], list[Answer]] = {}
    found: dict[str, dict[str, list[float]]] = {}
    began = time.monotonic()
    turn = 0
    while time.monotonic() - began < MOST_SECONDS and not _is_enough(found):
        turn += 1
        for call in CALLS:
            for process in processes if turn % 2 == 0 else processes[::-1]:
                answers.setdefault((call, process.name), []).append(process.ask(call))
        found = _quiet(answers)
    for process in processes:
        process.end()
    return found


def _is_enough(found: dict[str, dict[str, list[float]]]) -> bool:
    return bool(found) and all(
        len(each) >= ENOUGH[name] for by_name in found.values() for name, each in by_name.items()
    )


def _quiet(answers: dict[tuple[str, str], list[Answer]]) -> dict[str, dict[str, list[float]]]:
    best = min(answer.empty_loop for each in answers.values() for answer in each)
    found: dict[str, dict[str, list[float]]] = {call: {} for call in CALLS}
    for (call, name), each in sorted(answers.items()):
        found[call][name] = [
            answer.microseconds for answer in each if answer.empty_loop <= QUIET * best
        ]
    return found


def table(found: dict[str, dict[str, list[float]]]) -> str:
    """A line for each call: the median of each process, its range and how many answers."""
    lines = []
    for call, by_name in found.items():
        for name, each in by_name.items():
            middle = (
                f"{statistics.median(each):.3f} us ({min(each):.3f} to {max(each):.3f})"
                if each
                else "never quiet"
            )
            lines.append(f"     {call:<12} {name:<15} {middle}, {len(each)} quiet answers")
    return "\n".join(lines)
