# Subscript and call without a kernel: tables of functions, type parameters, slices.
# options: --dim n_head=96:tp
import triton

ACTIVATIONS = {"relu": max}


@triton.jit
def work(x):
    pass


def none_of_these(x, n_head, name, handlers, registry):
    ACTIVATIONS[name](x, n_head)  # expect: none
    handlers[n_head](x)  # expect: none
    registry[(name, n_head)](x)  # expect: none
    list[int](x)  # expect: none
    x[0](n_head)  # expect: none
    text = "work[(n_head,)](x)"  # expect: none
    # work[(n_head,)](x)
    """work[(n_head,)](x)"""
    return text
