# Shares that are rounded up, in three spellings.
# options: --set total_kv=70
import math

import triton


@triton.jit
def attend(x):
    pass


def launch(x, total_kv, tp_size):
    share = (total_kv + tp_size - 1) // tp_size
    attend[(share, 1)](x)  # expect: GA401 grid=(cdiv(total_kv, tp_size), 1) rounding=ceil blocks=70/35/18/9
    other = math.ceil(total_kv / tp_size)
    attend[(other, 1)](x)  # expect: GA401 grid=(cdiv(total_kv, tp_size), 1) rounding=ceil
    third = -(-total_kv // tp_size)
    attend[(third, 1)](x)  # expect: GA401 grid=(cdiv(total_kv, tp_size), 1) rounding=ceil
