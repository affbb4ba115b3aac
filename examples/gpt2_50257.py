# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hugging Face GPT-2 with its own vocabulary of 50,257, which no power of two divides.

    prec-import examples/gpt2_50257.py:gpt2 -o gpt2.mlir      (no memory for the weights is needed)
"""
import torch
from transformers import GPT2Config, GPT2LMHeadModel

import prec


def gpt2(batch=16, sequence=1024):
    config = GPT2Config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
    with prec.weightless():
        model = GPT2LMHeadModel(config)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.zeros(batch, sequence, dtype=torch.int64)
    return model, optimizer, {"input_ids": ids, "labels": ids}, {"clip_grad_norm": 1.0}
