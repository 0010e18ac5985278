import triton

from .config import ModelConfig, ParallelConfig


@triton.jit
def attend(x):
    pass


class Layer:
    def __init__(self, model_config: ModelConfig, parallel_config: ParallelConfig):
        self.count = model_config.get_num_heads(parallel_config)

    def forward(self, x):
        attend[(self.count, 1)](x)  # expect: collapses sharded=count|num_heads|num_attention_heads blocks=96/48/24/12
