"""Kernels with what splitting their grid costs: each answer stands on the line it is from.

``// reduction no`` says that the answer is no and rests on that line; a question without a comment
in a kernel is one that cannot be told.
"""

import re
import sys

import pytest

from geoaudit.source_axes.answers import AxisAnswers
from geoaudit.source_axes.kernels import axes_of_kernel, split_of_kernel

QUESTIONS = {
    "reduction": "cross_block_reduction",
    "reads": "duplicated_reads",
    "layout": "layout_change",
}

ELEMENTWISE = """
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];  // reduction no, reads no, layout no
}
"""
ROW_PER_WARP = """
__global__ void k(const float* w, const float* x, float* y, int rows, int columns) {
    int row = blockIdx.x * 8 + (threadIdx.x >> 5);
    int lane = threadIdx.x & 31;
    if (row >= rows) return;
    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += w[row * columns + c] * x[c];  // reads no, layout no
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (!lane) y[row] = sum;  // reduction no
}
"""
ROW_PER_THREAD = """
__global__ void k(const float* w, float* y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < n; ++c) sum += w[row * n + c];  // reads no
    y[row] = sum;  // reduction no
}
"""
SUM_OF_BLOCK = """
__global__ void k(const float* x, float* y, int n) {
    __shared__ float part[32];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];  // reads no, layout no
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x / 32 == 0) {
        sum = part[threadIdx.x % 32];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
        if (threadIdx.x == 0) y[blockIdx.x] = sum;  // reduction yes
    }
}
"""
SOFTMAX = """
__global__ void __launch_bounds__(32) k(const float* x, float* y, int n) {
    int lane = threadIdx.x;
    float most = -1e30f, sum = 0;
    for (int i = lane; i < n; i += 32) most = fmaxf(most, x[i]);  // reads no, layout no
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (int i = lane; i < n; i += 32) sum += expf(x[i] - most);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    for (int i = lane; i < n; i += 32) y[i] = expf(x[i] - most) / sum;  // reduction yes
}
"""
NORM_OF_A_ROW = """
__global__ void k(const float* x, const float* w, float* y, int n) {
    __shared__ float part[32];
    __shared__ float scale;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[blockIdx.x * n + i] * x[blockIdx.x * n + i];  // reads no, layout no
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int p = 0; p < blockDim.x / 32; ++p) all += part[p];
        scale = rsqrtf(all / n + 1e-6f);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * n + i] = x[blockIdx.x * n + i] * scale * w[i];  // reduction yes
}
"""
SCALAR_FOR_ALL = """
__global__ void k(const float* x, const float* w, float* y) {
    __shared__ float scale;
    if (threadIdx.x == 0) scale = w[blockIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * scale;  // reduction no, reads no, layout no
}
"""
REPEATED_BY_REMAINDER = """
__global__ void k(const float* x, const float* w, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * w[i % n];  // reduction no
}
"""
RECURRENCE = """
__global__ void k(const float* x, float* y, int n) {
    float h = 0;
    for (int t = 0; t < n; ++t) {
        h = 0.5f * h + x[t];  // reads no
        y[t] = h;  // reduction yes
    }
}
"""
ALL_PAIRS = """
__global__ void k(const float* x, float* y, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float sum = 0;
        for (int j = 0; j < n; ++j) sum += x[i] * x[j];  // reads yes, layout no
        y[i] = sum;
    }
}
"""
EVERY_WEIGHT = """
__global__ void k(const float* x, const float* w, float* y, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float sum = 0;
        for (int j = 0; j < n; ++j) sum += x[i] * w[j];  // reads yes, layout no
        y[i] = sum;  // reduction no
    }
}
"""
TEMPLATE = """
template <typename T, int N>
__global__ void k(const T* x, T* y) {
    const int i = blockIdx.x * N + threadIdx.x;
    y[i] = x[i];  // reduction no, reads no, layout no
}
"""
SCALED_BY_HELPER = """
__device__ float scaled(const float* from, int at, float by) {
    if (by == 0.0f) return 0.0f;
    return from[at] * by;  // reads no, layout no
}
__global__ void k(const float* x, float* y, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = scaled(x, i, by);  // reduction no
}
"""


def expected(text: str, question: str) -> tuple[bool, int] | None:
    for number, line in enumerate(text.split("\n"), 1):
        found = re.search(rf"//.*\b{question} (yes|no)\b", line)
        if found:
            return found[1] == "yes", number
    return None


def found(answers: AxisAnswers, question: str) -> tuple[bool | None, int | None] | None:
    answer = getattr(answers, QUESTIONS[question])
    return None if answer.value is None else (answer.value, answer.line)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name.lower())
        for name, text in list(globals().items())
        if name.isupper() and isinstance(text, str) and "__global__" in text
    ],
)
def test_each_answer_is_the_one_on_its_line(text: str, question: str) -> None:
    assert found(split_of_kernel(text, "k<float, 4>"), question) == expected(text, question)


def reductions(body: str, parameters: str = "const float* x, float* y, int n") -> set[object]:
    """The answers on a reduction of all axes of a kernel."""
    text = f"__global__ void k({parameters}) {{\n{body}\n}}"
    return {one.cross_block_reduction.value for one in axes_of_kernel(text, "k")}


MACROS = "#define FIRST n + 1\n#define MINE(x) x, 2\n"
UNFOLLOWED = [
    ("atomicAdd(y, x[threadIdx.x]);", "a call of atomicAdd"),
    ('asm volatile("st.global.f32 [%0], %1;" :: "l"(y), "f"(1.0f));', "inline assembly"),
    ("auto f = [&](int i) { return x[i]; };\ny[threadIdx.x] = f(1);", "a lambda"),
    ("int i = 0;\nwhile (i < n) { y[i] = x[i]; ++i; }", "a while statement"),
    ("for (int i = 0; i < n; ++i) { if (x[i] > 0) break; y[i] = 0; }", "a break statement"),
    ("for (int i = 0; i < n; ++i) { y[threadIdx.x] = *x; x += 32; }", "a pointer that a loop"),
    ("y[threadIdx.x] = SCALE(x[threadIdx.x]);", "a call of SCALE"),
    ("y[threadIdx.x] = x[threadIdx.x] * SCALE;", "SCALE, which is not defined"),
    ("y[threadIdx.x] = x[FIRST];", "the macro FIRST"),
    ("y[threadIdx.x] = MINE(x[threadIdx.x]);", "the macro MINE"),
    ("*(float*)(n + 8) = 1;", "a number made a pointer"),
    ("for (int i = 0; i < n; ++i) { y[i] = x[i]; i += n; }", "a loop that changes its own"),
    ("#if FAST\ny[threadIdx.x] = 1;\n#else\ny[0] = 1;\n#endif", "conditional compilation"),
]


@pytest.mark.parametrize(("body", "reason"), UNFOLLOWED, ids=[one[1] for one in UNFOLLOWED])
def test_what_is_not_followed_is_not_guessed(body: str, reason: str) -> None:
    text = f"{MACROS}__global__ void k(const float* x, float* y, int n) {{\n{body}\n}}"
    answers = split_of_kernel(text, "k")
    for question in QUESTIONS:
        assert found(answers, question) is None
    assert answers.cross_block_reduction.reason.startswith(reason)
    assert (answers.cross_block_reduction.line or 0) >= 2


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("y[threadIdx.x] = y[threadIdx.x + 1];", id="shift in place"),
        pytest.param(
            "__shared__ float t[1024]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
            "y[threadIdx.x] = t[n - threadIdx.x];",
            id="permutation through shared memory",
        ),
        pytest.param("y[threadIdx.x / 2] = x[threadIdx.x];", id="two threads to one element"),
        pytest.param(
            "__shared__ int any;\nif (x[threadIdx.x] > 0) any = 1;\n__syncthreads();\n"
            "if (any) y[threadIdx.x] = 1;",
            id="flag of the block",
        ),
        pytest.param("y[(int)x[threadIdx.x]] = x[threadIdx.x];", id="scatter"),
        pytest.param(
            "y[threadIdx.x] = __shfl_sync(~0u, x[threadIdx.x], 31 - threadIdx.x % 32);"
            "\n__syncthreads_or(n);",
            id="reversed lanes",
        ),
    ],
)
def test_threads_that_use_others_data_are_never_free_of_a_reduction(body: str) -> None:
    text = f"__global__ void k(const float* x, float* y, int n) {{\n{body}\n}}"
    answers = {one.axis: one.cross_block_reduction.value for one in axes_of_kernel(text, "k")}
    assert answers["the lanes of a warp"] is None


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "float last = 0;\nfor (int i = 0; i < n; ++i) { y[i] = x[i] - last; last = x[i]; }",
            id="value of the iteration before",
        ),
        pytest.param(
            "float v = 0;\nfor (int i = 0; i < n; ++i) { if (i % 2 == 0) v = x[i]; y[i] = v; }",
            id="value kept from an earlier iteration",
        ),
        pytest.param(
            "for (int i = 0; i < n; ++i)\nfor (int j = 0; j < n; ++j) y[i + j] += x[i];",
            id="two loops that meet in an element",
        ),
        pytest.param("for (int i = 0; i < n; ++i) y[0] = x[i];", id="the last one wins"),
        pytest.param(
            "float b[4];\nfor (int i = 0; i < n; ++i) { y[i] = b[0]; b[0] = x[i]; }",
            id="array that keeps an earlier value",
        ),
        pytest.param(
            "for (int i = 0; i < n; ++i) { y[i + 1] = y[i] + x[i]; }", id="recurrence in memory"
        ),
    ],
)
def test_iterations_that_depend_on_each_other_are_never_free_of_a_reduction(body: str) -> None:
    assert False not in reductions(body)


def test_a_tile_that_blocks_share_is_no_reduction() -> None:
    """Splitting along either side of a product reads tiles again; it does not join results."""
    body = """
    __shared__ float a[16][16], b[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        a[threadIdx.y][threadIdx.x] = x[row * n + t + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = w[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    y[row * n + column] = sum;"""
    parameters = "const float* x, const float* w, float* y, int n"
    text = f"__global__ void k({parameters}) {{\n{body}\n}}"
    for one in axes_of_kernel(text, "k"):
        if not one.axis.startswith("the loop"):
            assert one.cross_block_reduction.value is not True, one
    assert split_of_kernel(text, "k").cross_block_reduction.value is not True


def test_a_block_of_one_warp_has_lanes_alone() -> None:
    axes = axes_of_kernel(ELEMENTWISE, "k", block_x=32)
    assert [one.axis for one in axes] == ["the lanes of a warp"]


def test_a_header_is_followed_and_the_line_is_the_calls() -> None:
    header = "__device__ float twice(const float* x, int i) {\n\n\n return 2 * x[i]; }"
    text = (
        "__global__ void k(const float* x, float* y) {\n y[threadIdx.x] = twice(x, threadIdx.x);}"
    )
    answer = split_of_kernel(text, "k", headers=(header,)).duplicated_reads
    assert (answer.value, answer.line) == (False, 2)
    unknown = split_of_kernel(text, "k").duplicated_reads
    assert (unknown.value, unknown.line) == (None, 2)


def test_a_kernel_that_is_not_there_cannot_be_told() -> None:
    assert split_of_kernel(ELEMENTWISE, "other").cross_block_reduction.reason == (
        "0 kernels of the name other"
    )


def test_without_tree_sitter_nothing_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_cuda", None)
    answers = split_of_kernel(ELEMENTWISE, "k")
    assert answers.cross_block_reduction.value is None
    assert answers.cross_block_reduction.reason == "tree-sitter is not installed"
