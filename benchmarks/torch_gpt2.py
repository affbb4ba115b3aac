# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hugging Face GPT-2 (124M, vocabulary 50,257) in PyTorch on one GPU, as its users train it: eager, autocast to bf16,
fused AdamW.

    python benchmarks/torch_gpt2.py --tokens FILE [--steps N]

Batches of 16 x 1024 tokens from a file of uint16 ids; FP32 weights and moments, gradient norm clipped at 1.0, SDPA
attention, no dropout. Prints one JSON line: median ms a step, peak GB, loss. Interleave with what it is compared to, on
one card, in one go.
"""
import argparse
import json
import statistics

import numpy as np
import torch
from transformers import GPT2Config, GPT2LMHeadModel

BATCH, SEQUENCE, WARM_UP = 16, 1024, 3


def build(rate):
    """The model with random weights, the same every time, and its optimizer."""
    torch.manual_seed(0)
    with torch.device("cuda"):
        model = GPT2LMHeadModel(GPT2Config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))
    return model, torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.1, fused=True)


def train_step(model, optimizer, ids):
    """The loss, still on the GPU."""
    with torch.autocast("cuda", torch.bfloat16):
        loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.detach()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", required=True)
    parser.add_argument("--steps", type=int, default=24)
    arguments = parser.parse_args()
    model, optimizer = build(1e-4)
    tokens = torch.from_numpy(np.fromfile(arguments.tokens, np.uint16).astype(np.int64)).cuda()
    times = []
    for step in range(WARM_UP + arguments.steps):
        start = step * BATCH * SEQUENCE % (tokens.numel() - BATCH * SEQUENCE)
        ids = tokens[start:start + BATCH * SEQUENCE].view(BATCH, SEQUENCE)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        loss = train_step(model, optimizer, ids)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    print(json.dumps({"run": "gpt2:eager:bf16", "ms": round(statistics.median(times[WARM_UP:]), 1),
                      "mem_gb": round(torch.cuda.max_memory_allocated() / 2**30, 1), "loss": round(loss.item(), 3)}))


if __name__ == "__main__":
    main()
