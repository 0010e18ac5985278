# Without any option, names and divisions alone: heads shrink, but how many there are is not known.
import triton


@triton.jit
def decode(x):
    pass


def launch(x, config, tp_size):
    local = config.num_attention_heads // tp_size
    decode[(local,)](x)  # expect: collapses|small|shrinks sharded=local|num_attention_heads by=tp
