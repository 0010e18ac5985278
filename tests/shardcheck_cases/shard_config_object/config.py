# options: --set num_attention_heads=96
class ParallelConfig:
    tensor_parallel_size: int = 1


class ModelConfig:
    def __init__(self, hf):
        self.hf = hf

    def get_num_heads(self, parallel_config):
        return self.hf.num_attention_heads // parallel_config.tensor_parallel_size
