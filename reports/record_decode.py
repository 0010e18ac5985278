"""Profile a small decoder's decode step on this GPU: eager, and replayed as one CUDA graph.

    python reports/record_decode.py OUTPUT_FOLDER

Needs PyTorch with CUDA and transformers; the weights are random, so nothing is downloaded. Writes
two Kineto traces (`eager.json.gz`, `graph.json.gz`), which `geoaudit scan` reads, and
`environment.json`. Each trace holds one prefill and twelve decode tokens; the ranges `prefill`
and `decode_token` mark them.
"""

import argparse
import datetime
import gzip
import json
import platform
import shutil
from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from torch.profiler import ProfilerActivity, profile, record_function

TOKENS = 12
PROMPT_LENGTH = 512
CACHE_LENGTH = 1024
CONFIG = {
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "vocab_size": 32000,
    "max_position_embeddings": 2048,
}


class Decoder:
    """A randomly initialised Llama with a static cache; one call decodes one token."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        config = transformers.LlamaConfig(**CONFIG)
        config._attn_implementation = "sdpa"
        self.model = transformers.LlamaForCausalLM(config).to("cuda", torch.bfloat16).eval()
        self.cache = transformers.StaticCache(config=config, max_cache_len=CACHE_LENGTH)
        self.token = torch.zeros((1, 1), dtype=torch.long, device="cuda")
        self.position = torch.zeros(1, dtype=torch.long, device="cuda")
        self.slots = torch.arange(CACHE_LENGTH, device="cuda")

    def forward(self, tokens: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        # The mask is given whole: made inside, it would read device values on the host, which
        # a graph capture does not allow.
        mask = (self.slots[None, :] <= positions[:, None])[None, None]
        return self.model(
            input_ids=tokens,
            position_ids=positions[None],
            attention_mask=mask,
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=1,
        ).logits

    def prefill(self) -> None:
        self.cache.reset()
        prompt = torch.randint(0, CONFIG["vocab_size"], (1, PROMPT_LENGTH), device="cuda")
        positions = torch.arange(PROMPT_LENGTH, device="cuda")
        self.token.copy_(self.forward(prompt, positions).argmax(dim=-1))
        self.position.fill_(PROMPT_LENGTH)

    def decode(self) -> None:
        self.token.copy_(self.forward(self.token, self.position).argmax(dim=-1))
        self.position.add_(1)


def captured(decoder: Decoder) -> Callable[[], None]:
    """The decode step as one CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            decoder.decode()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        decoder.decode()
    return graph.replay


def record(decoder: Decoder, decode: Callable[[], None], output: Path) -> None:
    """Profile one prefill and the decode tokens, after two warm-up tokens."""
    decoder.prefill()
    decode()
    decode()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        with record_function("prefill"):
            decoder.prefill()
            torch.cuda.synchronize()
        for _ in range(TOKENS):
            with record_function("decode_token"):
                decode()
                decoder.token.item()
    plain = output.with_suffix("")
    profiler.export_chrome_trace(str(plain))
    with plain.open("rb") as source, gzip.open(output, "wb") as target:
        shutil.copyfileobj(source, target)
    plain.unlink()


def environment() -> dict[str, object]:
    """What the recording was made with; no host or user names."""
    properties = torch.cuda.get_device_properties(0)
    return {
        "recorded_on": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "device": properties.name,
        "sm_count": properties.multi_processor_count,
        "memory_bytes": properties.total_memory,
        "cuda": torch.version.cuda,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "python": platform.python_version(),
        "model": CONFIG | {"dtype": "bfloat16", "weights": "random"},
        "prompt_length": PROMPT_LENGTH,
        "tokens": TOKENS,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    with torch.inference_mode():
        decoder = Decoder()
        record(decoder, decoder.decode, folder / "eager.json.gz")
        decoder.prefill()
        record(decoder, captured(decoder), folder / "graph.json.gz")
    (folder / "environment.json").write_text(json.dumps(environment(), indent=2) + "\n")


if __name__ == "__main__":
    main()
