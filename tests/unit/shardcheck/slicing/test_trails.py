"""The chain of a site: every line on the way, from the launch backwards."""

from ..slices import site_of


def test_a_chain_leads_from_the_launch_through_helpers_and_callers_to_the_root() -> None:
    text = """\
__global__ void step(float* y);
static int tiles(int rows) {
    int padded = rows + 31;
    return padded / 32;
}
static void launch(float* y, int blocks) {
    dim3 grid(blocks, 3);
    step<<<grid, 64>>>(y);
}
void decode(float* y, int n_head) {
    int count = tiles(n_head);
    launch(y, count);
}
"""
    chain = [(hop.line, hop.text) for hop in site_of(text).chain]
    assert chain == [
        (8, "step<<<grid>>>"),
        (7, "grid = dim3(blocks, 3)"),
        (6, "launch(blocks)"),
        (11, "count = tiles(n_head)"),
        (3, "padded = rows + 31"),
    ]


def test_a_chain_holds_no_line_twice_and_none_beside_the_way() -> None:
    text = """\
__global__ void step(float* y);
void decode(float* y, int n, int m) {
    int rows = n;
    int other = m;
    int block = other * 2;
    step<<<dim3(rows, rows), block>>>(y);
}
"""
    assert [hop.line for hop in site_of(text).chain] == [6, 3]
