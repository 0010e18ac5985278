"""What a process that parses does: it answers one file after another."""

from multiprocessing.connection import Connection

_LONGEST_TOLD = 300


def serve(descriptor: int) -> None:
    """Answer files until the other end is closed.

    Args:
        descriptor: of a socket, on which the function that parses comes first.
    """
    connection = Connection(descriptor)
    try:
        parse = connection.recv()
        connection.send("ready")
        while True:
            path, content = connection.recv()
            with _LastWords(connection):
                answer = parse(path, content)
                connection.send((answer.encoded, answer.refused, False))
    except (EOFError, OSError):
        return


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
