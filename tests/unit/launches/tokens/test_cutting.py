from dataclasses import replace
from random import Random

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoaudit.errors import InputError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import TokenOptions
from geoaudit.launches.table import build_launches, validate
from geoaudit.launches.tokens import Segmentation, segment
from tests.shared_traces import FOLDER, needs_traces
from tests.unit.launches.tokens.launch_builder import (
    DURATION_NS,
    Kernel,
    columns,
    in_range,
    kernels,
    table,
    token,
)

BY_PERIOD = TokenOptions()
TOKEN_LAUNCHES = len(token())
PREFILL = [replace(kernel, grid=64) for kernel in token()]
OTHER_BUCKET = [
    replace(kernel, name=f"{kernel.name}_b64") if kernel.name in ("qkv", "out", "up") else kernel
    for kernel in token(grid=32)
]


def by_period(launched: list[Kernel]) -> Segmentation:
    return segment(table(launched), BY_PERIOD)


def summary(found: Segmentation) -> list[tuple[str, int, int, int]]:
    return [(c.name, c.steps, c.complete_steps, c.launches_per_step) for c in found.classes]


def test_tokens_of_layers_are_found_and_not_the_layers() -> None:
    found = by_period(token() * 10)

    assert summary(found) == [("decode", 10, 10, TOKEN_LAUNCHES)]
    assert found.default_class == "decode"
    assert found.divisor is None
    assert found.rule == "period of the launch sequence: a unit of 29 launches repeats 10 times"
    expected = [slot for _ in range(10) for slot in range(TOKEN_LAUNCHES)]
    assert found.launches[s.POSITION].tolist() == expected
    assert found.launches[s.TOKEN].tolist() == [t for t in range(10) for _ in range(TOKEN_LAUNCHES)]
    validate(found.launches)


def test_wall_time_runs_to_the_start_of_the_next_token() -> None:
    found = by_period(token() * 10)

    # 29 launches of 2 us, 28 gaps of 1 us, 20 us between tokens; what follows the last is unknown.
    assert found.classes[0].wall_time_per_step_ns == 106_000


@pytest.mark.parametrize(
    "unit", ["norm qkv attention out", "upsampling rotary_embedding", "copy gather scatter"]
)
def test_a_repeated_unit_without_evidence_of_a_token_is_a_step(unit: str) -> None:
    assert [c.name for c in by_period(kernels(unit) * 32).classes] == ["step"]


@pytest.mark.parametrize("chosen", ["ArgMaxOps", "TopKTopPSamplingFromProb", "log_logits"])
def test_a_kernel_that_chooses_a_token_makes_it_a_decode(chosen: str) -> None:
    launched = kernels(["norm", "qkv", "out", chosen]) * 12

    assert [c.name for c in by_period(launched).classes] == ["decode"]


@pytest.mark.parametrize(
    ("prefill_ns", "names"), [(3 * DURATION_NS, ["prefill", "decode"]), (DURATION_NS, None)]
)
def test_a_clearly_longer_prefill_makes_the_rest_a_decode(
    prefill_ns: int, names: list[str] | None
) -> None:
    step = kernels("norm qkv attention out mix up down add")
    launches = table([replace(kernel, grid=64) for kernel in step] + step * 12)
    is_first = launches.index < len(step)
    launches[s.DURATION_NS] = launches[s.DURATION_NS].mask(is_first, prefill_ns)

    found = segment(launches, BY_PERIOD)

    assert [c.name for c in found.classes] == (names or ["class 1 (8 launches)", "step"])


def test_untimed_launches_are_cut_by_their_order() -> None:
    found = segment(table(token() * 10, timed=False), BY_PERIOD)

    assert summary(found) == [("decode", 10, 10, TOKEN_LAUNCHES)]
    assert found.classes[0].wall_time_per_step_ns is None
    assert found.launches[s.POSITION].tolist()[:TOKEN_LAUNCHES] == list(range(TOKEN_LAUNCHES))


def test_prefill_of_the_same_kernels_in_other_shapes_is_a_class_of_its_own() -> None:
    found = by_period(PREFILL + token() * 10)

    assert summary(found) == [
        ("prefill", 1, 1, TOKEN_LAUNCHES),
        ("decode", 10, 10, TOKEN_LAUNCHES),
    ]
    assert found.default_class == "decode"


@pytest.mark.parametrize(
    "prologue",
    [
        kernels("init fill copy cast fill cast split"),
        kernels([f"warm{index % 9}" for index in range(60)]),
        kernels(["fill"] * 200),
    ],
)
def test_a_prologue_is_in_no_step(prologue: list[Kernel]) -> None:
    found = by_period(prologue + token() * 10)

    assert summary(found) == [("decode", 10, 10, TOKEN_LAUNCHES)]
    assert found.launches[s.STEP][: len(prologue)].isna().all()
    assert found.launches[s.STEP][len(prologue) :].notna().all()


def test_a_first_token_with_launches_of_its_own_joins_the_class() -> None:
    first = token()
    first[3:3] = kernels("tune_a tune_b")

    found = by_period(first + token() * 9)

    assert summary(found) == [("decode", 10, 10, TOKEN_LAUNCHES)]
    assert found.launches[s.POSITION][3:5].isna().all()
    assert found.launches[s.POSITION][5] == 3


@pytest.mark.parametrize("every", [2, 3, 4, 7])
def test_an_extra_launch_now_and_then_does_not_make_several_tokens_one(every: int) -> None:
    launched: list[Kernel] = []
    for index in range(28):
        launched += token()[:5]
        launched += kernels("grow_cache") if index % every == 0 else []
        launched += token()[5:]

    found = by_period(launched)

    assert [c.complete_steps for c in found.classes] == [28]


def test_alternating_variants_of_a_kernel_do_not_make_two_tokens_one() -> None:
    launched = [
        kernel if kernel.name != "argmax" else replace(kernel, name=f"argmax_{index % 2}")
        for index in range(20)
        for kernel in token()
    ]

    assert summary(by_period(launched)) == [("decode", 20, 20, TOKEN_LAUNCHES)]


@pytest.mark.parametrize("every", [1, 3])
def test_a_grid_that_grows_with_the_context_stays_one_class(every: int) -> None:
    launched = [
        replace(kernel, grid=8 + index // every) if kernel.name == "attention" else kernel
        for index in range(30)
        for kernel in token()
    ]

    assert summary(by_period(launched)) == [("decode", 30, 30, TOKEN_LAUNCHES)]


def test_batch_buckets_are_classes() -> None:
    found = by_period(token() * 20 + OTHER_BUCKET * 8)

    assert summary(found) == [
        ("decode", 20, 20, TOKEN_LAUNCHES),
        ("class 2 (29 launches)", 8, 8, TOKEN_LAUNCHES),
    ]


def test_buckets_that_differ_in_grids_alone_are_classes() -> None:
    found = by_period(token() * 20 + [replace(k, grid=32) for k in token()] * 8)

    assert [c.complete_steps for c in found.classes] == [20, 8]


def test_interleaved_buckets_number_their_tokens_apart() -> None:
    found = by_period((token() * 3 + OTHER_BUCKET * 2 + token()) * 5)

    assert [c.complete_steps for c in found.classes] == [20, 10]
    steps = found.launches.groupby(s.STEP, sort=True)[s.TOKEN].first()
    assert steps.tolist()[:6] == [0, 1, 2, 0, 1, 3]


def test_requests_of_one_length_are_not_tokens() -> None:
    found = by_period((PREFILL + token() * 8) * 5)

    assert summary(found) == [
        ("prefill", 5, 5, TOKEN_LAUNCHES),
        ("decode", 40, 40, TOKEN_LAUNCHES),
    ]


def test_draft_and_verify_steps_of_speculation_are_classes() -> None:
    found = by_period((token(layers=1) * 3 + token(layers=8)) * 8)

    by_launches = {c.launches_per_step: c.steps for c in found.classes}
    # The last verify step has no step of its class right before it to be recognised by.
    assert by_launches[11] == 24
    assert by_launches[53] in (7, 8)


def test_tokens_cut_by_the_ends_of_the_recording_are_not_complete() -> None:
    found = by_period((token() * 10)[7:-9])

    assert summary(found) == [("decode", 10, 8, TOKEN_LAUNCHES)]
    assert found.launches[s.TOKEN].isna().sum() == 2 * TOKEN_LAUNCHES - 16
    assert found.launches[s.POSITION].tolist()[0] == 7
    assert found.launches[s.POSITION].tolist()[-1] == TOKEN_LAUNCHES - 10


@pytest.mark.parametrize(
    "launched",
    [
        [],
        kernels("only"),
        kernels(["same"] * 100),
        token(layers=32),
        token(layers=8) * 2,
        kernels([f"k{number}" for number in Random(5).choices(range(30), k=300)]),
    ],
    ids=["empty", "one launch", "identical", "one token", "two tokens", "no period"],
)
def test_without_a_convincing_period_figures_are_per_trace(launched: list[Kernel]) -> None:
    found = by_period(launched)

    assert found.classes == ()
    assert found.default_class is None
    assert found.divisor is None
    assert "figures are per trace" in found.rule
    assert found.launches[[s.STEP, s.STEP_CLASS, s.TOKEN, s.POSITION]].isna().all().all()
    validate(found.launches)


def test_groups_of_layers_in_one_pass_are_not_tokens() -> None:
    group = kernels("norm qkv local out up down") * 5 + kernels("norm qkv global sum out up down")
    one_pass = kernels("embed") + group * 4 + kernels("norm head argmax")

    assert by_period(one_pass).classes == ()
    assert summary(by_period(one_pass * 8)) == [("decode", 8, 8, len(one_pass))]


def test_the_reason_names_ranges_that_were_recorded() -> None:
    launched = in_range(kernels("a b"), "prefill") + in_range(kernels("c"), "decode#0/attention")

    assert by_period(launched).rule == (
        "no repeating launch sequence found; figures are per trace; "
        "ranges recorded (for --token-range): prefill, attention, decode"
    )


def test_layers_in_one_range_are_not_tokens() -> None:
    launched = kernels("embed") + kernels("norm qkv attention out") * 20

    assert len(by_period(launched).classes) == 1
    assert by_period(in_range(launched, "ProfilerStep#6")).classes == ()


def test_units_in_ranges_of_numbered_layers_are_not_tokens() -> None:
    one_layer = kernels("norm qkv attention out up down")

    def one_pass(name: str) -> list[Kernel]:
        return [k for n in range(12) for k in in_range(one_layer, name.format(n))] + kernels("head")

    assert by_period(one_pass("model.layers.{} (forward)")[:-1]).classes == ()
    assert len(by_period(one_pass("forward")[:-1] * 2).classes) == 1
    assert [c.steps for c in by_period(one_pass("model.layers.{}") * 5).classes] == [5]


def test_copies_belong_to_the_step_they_start_in() -> None:
    with_copy = [*token(), Kernel(name="Memcpy DtoH", kind=s.KIND_COPY)]

    found = by_period([Kernel(name="Memset", kind=s.KIND_SET), *with_copy * 5])

    assert summary(found) == [("decode", 5, 5, TOKEN_LAUNCHES)]
    copies = found.launches[found.launches[s.KIND] != s.KIND_KERNEL]
    # The last copy starts after the last launch has ended: nothing shows that its token goes on.
    assert copies[s.TOKEN].astype(object).where(copies[s.TOKEN].notna(), None).tolist() == [
        None, 0, 1, 2, 3, None,
    ]  # fmt: skip
    assert copies[s.POSITION].isna().all()


def two_devices(first: list[Kernel], second: list[Kernel]) -> pd.DataFrame:
    parts = [columns(first), columns(second, device=1, start_ns=10)]
    joined = {name: [*parts[0][name], *parts[1][name]] for name in parts[0]}  # type: ignore[misc]
    return build_launches(joined)


def test_devices_with_as_many_steps_share_them() -> None:
    found = segment(two_devices(token() * 6, token() * 6), BY_PERIOD)

    assert summary(found) == [("decode", 6, 6, TOKEN_LAUNCHES)]
    assert found.launches.groupby(s.DEVICE)[s.STEP].max().tolist() == [5, 5]


def test_devices_with_other_counts_have_steps_of_their_own() -> None:
    found = segment(two_devices(token() * 6, token() * 4), BY_PERIOD)

    assert summary(found) == [("decode", 10, 10, TOKEN_LAUNCHES)]
    per_step = found.launches.groupby(s.STEP)[s.DEVICE].nunique()
    assert (per_step == 1).all()


def ranged_tokens(count: int) -> list[Kernel]:
    prefill = in_range(PREFILL, "generate/prefill")
    decode = [
        kernel
        for index in range(count)
        for kernel in in_range(token(), f"generate/llm:decode#{index}")
    ]
    return prefill + decode


@pytest.mark.parametrize("token_range", ["decode", "llm:decode", "dec.*", r"llm:decode#\d+"])
def test_each_instance_of_a_range_is_a_step(token_range: str) -> None:
    found = segment(table(ranged_tokens(6)), TokenOptions(token_range=token_range))

    assert summary(found) == [("llm:decode", 6, 6, TOKEN_LAUNCHES)]
    assert found.launches[s.STEP][:TOKEN_LAUNCHES].isna().all()
    assert f"--token-range {token_range}" in found.rule


def test_several_ranges_are_classes_of_their_names() -> None:
    found = segment(table(ranged_tokens(6)), TokenOptions(token_range="decode|prefill"))

    assert summary(found) == [
        ("prefill", 1, 1, TOKEN_LAUNCHES),
        ("llm:decode", 6, 6, TOKEN_LAUNCHES),
    ]


def test_the_period_takes_its_names_from_ranges() -> None:
    found = by_period(ranged_tokens(6))
    bare = by_period(
        [replace(k, ranges=k.ranges and k.ranges.split("/")[1]) for k in ranged_tokens(6)]
    )

    assert [c.name for c in found.classes] == ["prefill", "decode"]
    assert [c.name for c in bare.classes] == ["prefill", "llm:decode"]


def test_a_profiler_step_carries_its_own_number() -> None:
    launched = [k for n in (7, 8, 9) for k in in_range(token(), f"ProfilerStep#{n}")]

    found = segment(table(launched), TokenOptions(token_range="ProfilerStep"))

    assert summary(found) == [("ProfilerStep", 3, 3, TOKEN_LAUNCHES)]


def test_a_range_cut_by_the_recordings_end_is_not_complete() -> None:
    found = segment(table(ranged_tokens(6)[:-9]), TokenOptions(token_range="decode"))

    assert summary(found) == [("llm:decode", 6, 5, TOKEN_LAUNCHES)]


def test_copies_follow_their_own_range() -> None:
    launched = ranged_tokens(4)
    late = Kernel(name="Memcpy", kind=s.KIND_COPY, ranges="generate/llm:decode#1")

    found = segment(table([*launched, late]), TokenOptions(token_range="decode"))

    assert found.launches[s.STEP].iloc[-1] == 1


def test_a_range_that_is_not_there_is_an_error_with_those_that_are() -> None:
    with pytest.raises(InputError, match="Ranges that are there: generate, llm:decode, prefill"):
        segment(table(ranged_tokens(6)), TokenOptions(token_range="step"))
    with pytest.raises(InputError, match="holds no ranges"):
        segment(table(token()), TokenOptions(token_range="step"))


@pytest.mark.parametrize(
    "options", [TokenOptions(token_range="dec("), TokenOptions(token_kernel="[")]
)
def test_an_expression_that_is_not_one_is_an_error(options: TokenOptions) -> None:
    with pytest.raises(InputError, match="is not a regular expression"):
        segment(table(ranged_tokens(2)), options)


def test_each_launch_of_the_marker_kernel_starts_a_step() -> None:
    found = segment(table(kernels("init") + token() * 5), TokenOptions(token_kernel="^emb"))

    assert summary(found) == [("decode", 5, 5, TOKEN_LAUNCHES)]
    assert pd.isna(found.launches[s.STEP].iloc[0])
    assert found.rule == "a step starts at each launch of embed (--token-kernel ^emb)"


def test_what_follows_the_last_marker_is_a_cut_step() -> None:
    found = segment(table(token() * 5), TokenOptions(token_kernel="argmax"))

    assert summary(found) == [("decode", 5, 4, TOKEN_LAUNCHES)]


def test_several_marker_kernels_are_named() -> None:
    found = segment(table(token() * 5), TokenOptions(token_kernel="embed|head"))

    assert "2 different kernels" in found.rule
    assert "embed, head" in found.rule


def test_a_marker_kernel_that_is_not_there_is_an_error_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no kernel name .* matches\. Nearest: argmax"):
        segment(table(token()), TokenOptions(token_kernel="argmin"))


@pytest.mark.parametrize("wanted", ["argmx", "arg_max", "argmin", "^argmax$"])
def test_the_nearest_kernel_is_found_by_a_word_of_its_short_name(wanted: str) -> None:
    others = kernels([f"vectorized_elementwise_kernel<CUDAFunctor_{n}>" for n in "abcdefgh"])
    launches = table([*others * 3, *kernels(["reduce_kernel<ArgMaxOps>"])])

    with pytest.raises(InputError, match=r"Nearest: reduce_kernel<ArgMaxOps>"):
        segment(launches, TokenOptions(token_kernel=wanted))


def test_where_none_is_near_the_most_frequent_kernels_are_named() -> None:
    with pytest.raises(InputError, match=r"Nearest: norm, "):
        segment(table(token()), TokenOptions(token_kernel="zzz9"))


@pytest.mark.parametrize("marker", ["ARGMAX", "ArgMax", "argmax"])
def test_a_marker_kernel_is_found_without_regard_to_case(marker: str) -> None:
    found = segment(table(token() * 5), TokenOptions(token_kernel=marker))

    assert [c.steps for c in found.classes] == [5]


def test_a_count_prefers_boundaries_that_agree_with_it() -> None:
    found = segment(table(PREFILL + token() * 7), TokenOptions(token_count=7))

    assert [(c.name, c.complete_steps) for c in found.classes] == [("prefill", 1), ("decode", 7)]
    assert found.divisor is None
    assert found.rule == "7 tokens as told (--tokens): a unit of 29 launches repeats as often"


def test_a_count_without_boundaries_is_a_divisor() -> None:
    found = segment(table(token(layers=8) * 2), TokenOptions(token_count=2))

    assert found.divisor == 2
    assert found.classes == ()
    assert "totals divided by 2" in found.rule


def test_a_count_of_layers_is_taken_at_its_word() -> None:
    found = segment(table(token(layers=12)), TokenOptions(token_count=12))

    assert [c.complete_steps for c in found.classes] == [12]


@pytest.mark.parametrize("count", [1, 2, 4, 7, 9, 16, 32])
def test_a_count_that_the_token_does_not_have_is_a_divisor(count: int) -> None:
    found = segment(table(token() * 8), TokenOptions(token_count=count))

    assert (found.divisor, found.classes, found.default_class) == (count, (), None)
    assert found.rule == (
        f"totals divided by {count} (--tokens); a unit of 29 launches repeats 8 times, "
        f"which is not {count}"
    )


@pytest.mark.parametrize("count", [7, 8])
def test_a_count_may_include_the_prefill(count: int) -> None:
    found = segment(table(PREFILL + token() * 7), TokenOptions(token_count=count))

    assert found.divisor is None
    assert found.default_class == "decode"
    assert [c.complete_steps for c in found.classes] == [1, 7]


def test_as_many_layers_as_tokens_told_are_not_the_tokens() -> None:
    found = segment(table(token(layers=8) * 2), TokenOptions(token_count=16))

    assert found.divisor == 16
    assert "a unit of 6 launches repeats 16 times, but launches between them" in found.rule


def test_a_count_that_one_device_lacks_says_so() -> None:
    launches = two_devices(token() * 6, token() * 4)
    found = segment(launches, TokenOptions(token_count=4))

    assert [c.complete_steps for c in found.classes] == [4]
    assert found.rule.endswith(
        "on another device a unit of 29 launches repeats 6 times, which is not 4"
    )


@settings(max_examples=40)
@given(tokens=st.integers(3, 9), layers=st.integers(1, 6), count=st.integers(1, 60))
def test_a_told_count_is_the_steps_audited_or_the_divisor(
    tokens: int, layers: int, count: int
) -> None:
    found = segment(table(token(layers=layers) * tokens), TokenOptions(token_count=count))

    if found.divisor is None:
        (only,) = found.classes
        assert (only.complete_steps, found.default_class) == (count, only.name)
        assert count == tokens
    else:
        assert found.divisor == count
        assert found.classes == ()


def test_a_count_below_one_is_an_error() -> None:
    with pytest.raises(InputError, match="at least 1 token"):
        segment(table(token()), TokenOptions(token_count=0))


@settings(max_examples=60)
@given(
    layer=st.lists(st.sampled_from("abcdef"), min_size=2, max_size=9),
    layers=st.integers(3, 12),
    tokens=st.integers(4, 12),
    prologue=st.lists(st.sampled_from("uvwxyz"), max_size=40),
)
def test_any_token_of_layers_is_found(
    layer: list[str], layers: int, tokens: int, prologue: list[str]
) -> None:
    one = kernels(["embed", "rope", *layer * layers, "head", "argmax"])

    found = by_period(kernels(prologue) + one * tokens)

    assert summary(found) == [("decode", tokens, tokens, len(one))]
    kept = found.launches[found.launches[s.TOKEN].notna()]
    assert len(kept) == tokens * len(one)


@settings(max_examples=60)
@given(names=st.lists(st.sampled_from("abcd"), max_size=120), repeats=st.integers(1, 5))
def test_no_launch_is_lost_and_positions_are_unique_in_a_step(
    names: list[str], repeats: int
) -> None:
    launches = table(kernels(names * repeats))

    found = segment(launches, BY_PERIOD)

    validate(found.launches)
    untouched = [
        name for name in launches if name not in (s.STEP, s.STEP_CLASS, s.TOKEN, s.POSITION)
    ]
    pd.testing.assert_frame_equal(found.launches[untouched], launches[untouched])
    placed = found.launches.dropna(subset=[s.POSITION])
    assert not placed.duplicated([s.STEP, s.POSITION]).any()
    assert sum(c.steps for c in found.classes) == found.launches[s.STEP].nunique()
    assert found.launches[s.TOKEN].isna()[found.launches[s.STEP].isna()].all()


LLAMA = FOLDER / "kineto-2026-h200-llama-decode.json.gz"


@needs_traces
def test_the_period_of_a_real_decode_agrees_with_its_ranges() -> None:
    from geoaudit.sources.registry import ReadOptions
    from geoaudit.sources.sniff import read_profile

    launches = read_profile(LLAMA, ReadOptions()).launches

    by_ranges = segment(launches, TokenOptions(token_range="decode_token|prefill"))
    without_ranges = segment(
        build_launches({name: launches[name] for name in launches if name != s.RANGES}), BY_PERIOD
    )

    assert summary(by_ranges) == [("prefill", 1, 1, 263), ("decode_token", 12, 12, 269)]
    assert summary(without_ranges) == [("prefill", 1, 1, 263), ("decode", 12, 12, 269)]
    is_kernel = launches[s.KIND] == s.KIND_KERNEL
    for column in (s.STEP, s.TOKEN, s.POSITION):
        assert (
            by_ranges.launches[column][is_kernel].tolist()
            == without_ranges.launches[column][is_kernel].tolist()
        )
