# A floor at one says what happens with fewer heads than ranks: no finding.
# options: --set total_kv=4 --set rows=512
import triton


@triton.jit
def attend(x):
    pass


def launch(x, total_kv, tp_size, rows):
    kv_here = max(1, total_kv // tp_size)
    attend[(kv_here, rows)](x)  # expect: shrinks grid=(max(1, total_kv // tp_size), rows) blocks=2048/1024/512/512
