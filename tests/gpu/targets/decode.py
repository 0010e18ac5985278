"""Twelve tokens of the small decoder of reports/record_decode.py, marked by NVTX ranges."""

import sys

import torch
from record_decode import TOKENS, Decoder, captured

with torch.inference_mode():
    decoder = Decoder()
    decoder.prefill()
    decode = decoder.decode if sys.argv[1] == "eager" else captured(decoder)
    torch.cuda.synchronize()
    with torch.cuda.nvtx.range("prefill"):
        decoder.prefill()
        torch.cuda.synchronize()
    for _ in range(TOKENS):
        with torch.cuda.nvtx.range("decode_token"):
            decode()
            decoder.token.item()
