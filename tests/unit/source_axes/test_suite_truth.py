"""The suite's sources against what its manifest declares of them."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from geoaudit.recording.suite.headers import headers_of
from geoaudit.source_axes.answers import AxisAnswers
from geoaudit.source_axes.kernels import split_of_kernel

FOLDER = Path(__file__).parents[3] / "kernels"
QUESTIONS = ("cross_block_reduction", "duplicated_reads", "layout_change")
KERNELS: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "manifest.toml").read_text("utf-8"))[
    "kernels"
]
ENTRIES = [
    (name, entry)
    for name, kernel in KERNELS.items()
    for entry in dict.fromkeys(
        [
            kernel["entry"],
            *(arm["entry"] for arm in kernel.get("arms", {}).values() if "entry" in arm),
        ]
    )
]


def answers(name: str, entry: str) -> AxisAnswers:
    source = FOLDER / KERNELS[name]["source"]
    headers = tuple(one.read_text("utf-8") for one in headers_of(source))
    return split_of_kernel(source.read_text("utf-8"), entry, headers=headers)


@pytest.mark.parametrize(("name", "entry"), ENTRIES, ids=[entry for _, entry in ENTRIES])
def test_no_answer_contradicts_the_manifest(name: str, entry: str) -> None:
    found, declared = answers(name, entry), KERNELS[name]["split"]
    for question in QUESTIONS:
        answer = getattr(found, question)
        assert answer.value in (None, declared[question]), (question, answer)


def test_most_kernels_are_answered() -> None:
    found = {name: answers(name, kernel["entry"]) for name, kernel in KERNELS.items()}
    for question in QUESTIONS:
        known = {name for name, one in found.items() if getattr(one, question).value is not None}
        unknown = set(found) - known
        assert unknown <= {
            "mla_decode_split",  # copies in the background and tensor cores, by inline assembly
            "mla_decode_combine",  # weights of all slices through shared memory
            "gqa_attn_split",  # takes halves apart through the address of a variable
            "gqa_attn_split_hybrid",
        }, question


def test_the_delta_attention_step_splits_by_its_columns() -> None:
    found = answers("kda_decode_step", "kda_decode_step")
    assert found.axis == "the warps of a block"
    assert [getattr(found, question).value for question in QUESTIONS] == [False, False, False]
