# Block sizes come through ** and dictionaries.
# options: --dim n_head=96:tp --set V=128
import triton
import triton.language as tl


@triton.jit
def work(x, BLOCK_V: tl.constexpr, ROWS: tl.constexpr):
    pass


def launch(x, n_head, V):
    config = {"BLOCK_V": 64, "ROWS": 2}
    work[lambda META: (n_head, triton.cdiv(V, META["BLOCK_V"]))](x, **config)  # expect: collapses grid=(n_head, cdiv(V, 64))
    work[(n_head, triton.cdiv(V, config["BLOCK_V"]))](x, ROWS=1, BLOCK_V=config["BLOCK_V"])  # expect: collapses grid=(n_head, cdiv(V, 64))
    block = min(triton.next_power_of_2(V), 32)
    work[lambda META: (triton.cdiv(V, META["BLOCK_V"]), n_head)](x, BLOCK_V=block, ROWS=1)  # expect: collapses|shrinks|small grid=(cdiv(V, min(next_power_of_2(V), 32)), n_head)
