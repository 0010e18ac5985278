"""A process that parses one file after another, and how it is held to its time."""

import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from geoaudit.errors import InputError
from geoaudit.shardcheck.discovery.parsing import ParsedFile, parse_content

LIMIT_S = 10.0
_START_LIMIT_S = 60.0
_MOST_STARTS = 3

Parse = Callable[[str, bytes], ParsedFile]


class Worker:
    """A process of its own for what may crash or never end; used by one thread at a time.

    It is started when it is needed, and again after a file took it down.
    """

    def __init__(self, *, limit_s: float = LIMIT_S, parse: Parse = parse_content) -> None:
        """Say what it does.

        Args:
            limit_s: seconds that a file may take.
            parse: a function of a module, which the process imports.
        """
        self._limit_s = limit_s
        self._parse = parse
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._is_closed = False

    def parse(self, path: str, content: bytes) -> ParsedFile:
        """The file's program, or why there is none: its time is over, or it took the process down.

        Raises:
            InputError: no process can be started.
        """
        connection = self._started()
        try:
            connection.send((path, content))
            if not connection.poll(self._limit_s):
                self.stop()
                return ParsedFile(refused=f"its analysis takes more than {self._limit_s:g} s")
            encoded, refused, is_last = connection.recv()
        except (EOFError, OSError):
            return ParsedFile(refused=f"its analysis ended the process ({self._ending()})")
        if is_last:
            self.stop()
        return ParsedFile(encoded=encoded, refused=refused)

    def close(self) -> None:
        """End the process for good: what is asked of it from now on is an error."""
        self._is_closed = True
        self.stop()

    def stop(self) -> None:
        """End the process; it is started anew where it is needed again."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if process is not None:
            process.kill()
            process.wait()
        if connection is not None:
            connection.close()

    def _started(self) -> Connection:
        for _ in range(_MOST_STARTS):
            connection = self._connection or self._start()
            if connection is not None:
                return connection
        raise InputError(
            f"no process to parse in can be started ({sys.executable}): it ends, or does not "
            "answer. Look at the limits on memory and processes, or give --jobs 1."
        )

    def _start(self) -> Connection | None:
        """The connection to a new process; None: it did not come up, or is wanted no more."""
        if self._is_closed:
            return None
        here, there = Pipe()
        process = _process(there)
        there.close()
        self._process, self._connection = process, here
        try:
            here.send(self._parse)
            is_ready = here.poll(_START_LIMIT_S) and here.recv() == "ready"
        except (EOFError, OSError):
            is_ready = False
        if not is_ready or self._is_closed:
            self.stop()
            return None
        return here

    def _ending(self) -> str:
        """How the process ended, in words."""
        code = None
        if self._process is not None:
            try:
                code = self._process.wait(1.0)
            except subprocess.TimeoutExpired:
                code = None
        self.stop()
        if code is None:
            return "it does not answer"
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def hold_signals() -> None:
    """For threads that use workers: interrupts do not reach the processes that they start.

    An interrupt is for the process that was started by hand, which ends the others. One of them
    that ended is told by an error, and not by a signal that ends this process as well.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGPIPE})


def _process(end: Connection) -> "subprocess.Popen[bytes]":
    """A process that serves the other end of a pipe.

    Neither forked, since this process has threads, nor by `multiprocessing`, which runs the main
    module once more: of a program that is read from standard input, say. The folder that is
    current is not imported from: it may be the source that is checked. What ends the process is
    told as the reason of a file, and nowhere else.
    """
    number = end.fileno()
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from geoaudit.shardcheck.discovery.serving import serve; serve({number})"
    )
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        pass_fds=[number],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
