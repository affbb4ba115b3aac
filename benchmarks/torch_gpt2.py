# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hugging Face GPT-2 (124M, vocabulary 50,257) in PyTorch on one GPU, as its users train it: eager, autocast to bf16,
fused AdamW; or compiled, in a mode of torch.compile.

    python benchmarks/torch_gpt2.py --tokens FILE [--steps N] [--rows 16] [--compile reduce-overhead]

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

SEQUENCE, WARM_UP = 1024, 3


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
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--compile", metavar="MODE", help="of torch.compile, such as default or reduce-overhead")
    arguments = parser.parse_args()
    model, optimizer = build(1e-4)
    if arguments.compile:
        model.compile(mode=arguments.compile)
    batch = arguments.rows * SEQUENCE
    tokens = torch.from_numpy(np.fromfile(arguments.tokens, np.uint16).astype(np.int64)).cuda()
    times = []
    for step in range(WARM_UP + arguments.steps):
        start = step * batch % (tokens.numel() - batch)
        ids = tokens[start:start + batch].view(-1, SEQUENCE).clone()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        loss = train_step(model, optimizer, ids)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    print(json.dumps({"run": f"gpt2:{arguments.compile or 'eager'}:bf16", "ms": round(statistics.median(times[WARM_UP:]), 2),
                      "mem_gb": round(torch.cuda.max_memory_allocated() / 2**30, 1), "loss": round(loss.item(), 3)}))


if __name__ == "__main__":
    main()
