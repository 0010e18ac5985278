"""A process that parses one file after another, and how it is held to its time."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from geoaudit.shardcheck.discovery.parsing import ParsedFile, parse_content

LIMIT_S = 10.0
_START_LIMIT_S = 60.0
_LONGEST_TOLD = 300

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
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def parse(self, path: str, content: bytes) -> ParsedFile:
        """The file's program, or why there is none: its time is over, or it took the process down.

        Raises:
            OSError: no process can be started.
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

    def stop(self) -> None:
        """End the process; it is started anew where it is needed again."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def _started(self) -> Connection:
        if self._connection is not None:
            return self._connection
        # Not forked: this process has threads.
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, self._parse), daemon=True)
        process.start()
        there.close()
        self._process, self._connection = process, here
        if not here.poll(_START_LIMIT_S):
            self.stop()
            raise OSError(f"a process to parse in did not start within {_START_LIMIT_S:g} s")
        here.recv()
        return here

    def _ending(self) -> str:
        """How the process ended, in words."""
        code = None
        if self._process is not None:
            self._process.join(1.0)
            code = self._process.exitcode
        self.stop()
        if code is None:
            return "it does not answer"
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _serve(connection: Connection, parse: Parse) -> None:
    """Answer files until the other end is closed."""
    # An interrupt is for the process that was started by hand; it ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What ends this process is told as the reason of a file.
    sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    connection.send("ready")
    while True:
        try:
            path, content = connection.recv()
        except (EOFError, OSError):
            return
        with _LastWords(connection):
            answer = parse(path, content)
            connection.send((answer.encoded, answer.refused, False))


class _LastWords:
    """Tells of an error that nobody foresaw, and lets it end the process."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if kind is not None:
            told = f"its analysis failed, which is a bug of geoaudit: {kind.__name__}: {error}"
            self._connection.send((b"", told[:_LONGEST_TOLD], True))
