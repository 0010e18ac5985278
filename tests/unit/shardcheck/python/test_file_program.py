import random

import msgspec
import pytest

from geoaudit.shardcheck.program.file_program import FileProgram, Remark

from .programs import program
from .test_launches import FILES


def test_remarks() -> None:
    one = program(
        """
        # Measured at 1,024 tokens:
        # the floor of a slice.
        FLOOR = 1024
        splits = min(16, n)  # enough for 66 SMs
        name = "a # b"
        # geoaudit: allow GA401 runs beside another

        k[(n,)](x)
        k[(n,)](x)  # geoaudit: allow GA402
        """
    )
    assert one.remarks == (
        Remark(4, "Measured at 1,024 tokens: the floor of a slice."),
        Remark(5, "enough for 66 SMs"),
        Remark(9, "geoaudit: allow GA401 runs beside another"),
        Remark(10, "geoaudit: allow GA402"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "print 'two'\nk[(n,)](x)",
        "\0",
        "x = " + "-" * 5000 + "1",
        "x = " + "+".join("a" * 9000),
        "x: " + ".".join("a" * 2500) + " = 1",
        "{% if x %}",
    ],
)
def test_what_cannot_be_read_is_said(text: str) -> None:
    one = program(text)
    assert len(one.not_analysed) == 1
    assert len(one.functions) == 1
    assert sum(dict(one.textual).values()) == text.count("[(n")


def test_nothing_that_can_be_parsed_cannot_be_encoded() -> None:
    for text in ("x = '\\ud800'", "x = 10 ** 9", f"x = {10**30}", "x = 1e999", "#\ud800"):
        one = program(text)
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(one), type=FileProgram) == one


def test_random_edits_do_not_crash() -> None:
    generator = random.Random(6)
    marks = [*"()[]{}:,'\"#*=\n\r\0é", '"""', "lambda ", ":=", "[grid](", "async "]
    for text in FILES.values():
        for _ in range(40):
            edited = text
            for _ in range(generator.randint(1, 4)):
                start = generator.randrange(len(edited))
                end = start + generator.randint(0, 6)
                edited = edited[:start] + generator.choice(marks) + edited[end:]
            msgspec.msgpack.encode(program(edited))
