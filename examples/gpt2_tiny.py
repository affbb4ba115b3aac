# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Hugging Face GPT-2 of 2 layers; examples/gpt2_tiny.mlir is its import.

    prec-import examples/gpt2_tiny.py:build -o gpt2_tiny.mlir --weights gpt2_tiny.safetensors
"""
import torch
from transformers import GPT2Config, GPT2LMHeadModel


def build():
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=256, n_positions=128, n_embd=64, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                        bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.randint(0, 256, (2, 32))
    return model, optimizer, {"input_ids": ids, "labels": ids}, {"clip_grad_norm": 1.0}
