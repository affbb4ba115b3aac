# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plain PyTorch Llama of benchmarks/llama.py (tied head, bf16 casts, functional RMSNorm) at its benchmark sizes,
and shrunk.

    prec-import examples/bench_llama.py:tiny -o tiny.mlir
    prec-import examples/bench_llama.py:model_1b -o 1b.mlir      (no memory for the weights is needed)
"""
import sys
from pathlib import Path

import torch

import prec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from llama import CFG, Llama  # noqa: E402

TINY = (2, 64, 4, 2, 176, 256, 2, 32)


def _step(size, weights=False):
    layers, width, heads, kv_heads, hidden, vocabulary, batch, sequence = size
    if weights:
        torch.manual_seed(0)
        model = Llama(layers, width, heads, kv_heads, hidden, vocabulary)
        for p in model.parameters():
            if p.dim() == 2:
                torch.nn.init.normal_(p, std=0.02)
    else:
        with prec.weightless():
            model = Llama(layers, width, heads, kv_heads, hidden, vocabulary)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.zeros(batch, sequence, dtype=torch.int64)
    return model, optimizer, {"idx": ids, "tgt": ids}, {"clip_grad_norm": 1.0}


def tiny():
    return _step(TINY, weights=True)


def model_124m():
    return _step(CFG["124m"])


def model_1b():
    return _step(CFG["1b"])


def model_8b_l8():
    return _step(CFG["8b_l8"])
