"""Everything a symbol is called, and whether an option means it."""

from dataclasses import replace

import pytest

from geoaudit.shardcheck.sharding.naming import clues_of, means

from ..site_builders import N_HEAD, named, number, site


@pytest.mark.parametrize(
    ("option", "names", "expected"),
    [
        ("n_head", ["n_head"], True),
        ("n_head", ["params.n_head"], True),
        ("n_head", ["this.n_head_"], True),
        ("n_head", ["a", "n_head"], True),
        ("params.n_head", ["params.n_head"], True),
        ("params.n_head", ["other.n_head"], False),
        ("n_head", ["n_head_kv"], False),
        ("head", ["n_head"], False),
        ("n_head", ["n_head.x"], False),
        ("get_heads", ["config.get_heads()"], True),
        ("q.shape[1]", ["q.size(1)"], True),
        ("q.shape[1]", ["q.shape[2]"], False),
        ("q.shape[1]", ["k.shape[1]"], False),
        ("n_head", [], False),
    ],
)
def test_what_an_option_means(option: str, names: list[str], expected: bool) -> None:
    assert means(option, names) is expected


def test_names_of_a_symbol_are_as_written_first() -> None:
    one = replace(site(N_HEAD), aliases=((N_HEAD, ("blocks", "heads")),))
    clues = clues_of(one)
    assert clues.names_of(N_HEAD) == ("n_head", "blocks", "heads")
    assert clues.names_of(named("other")) == ("other",)


def test_surroundings_are_kernel_function_and_path() -> None:
    assert clues_of(site(N_HEAD, kernel="FlashDecode")).surroundings == (
        "flashdecode launch engine.cu"
    )


@pytest.mark.parametrize(
    ("width", "name", "expected"),
    [
        ("w", "h", True),
        ("params.w", "params.h", False),
        ("width", "p.height", True),
        ("w", "n_head", False),
        ("n", "h", False),
    ],
)
def test_a_height_stands_beside_a_width(width: str, name: str, expected: bool) -> None:
    assert clues_of(site(named(width), number(1))).is_height(name) is expected
