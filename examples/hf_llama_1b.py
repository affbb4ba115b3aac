# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hugging Face's Llama as it is, of the size that benchmarks/llama.py calls 1b (head tied, projections apart).

    prec-import examples/hf_llama_1b.py:hf_llama_1b -o hf_llama_1b.mlir      (no memory for the weights is needed)
"""
import sys
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import prec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from llama import CFG  # noqa: E402


def hf_llama_1b():
    layers, width, heads, kv_heads, hidden, vocabulary, batch, sequence = CFG["1b"]
    config = LlamaConfig(vocab_size=vocabulary, hidden_size=width, intermediate_size=hidden, num_hidden_layers=layers,
                         num_attention_heads=heads, num_key_value_heads=kv_heads, max_position_embeddings=sequence, rms_norm_eps=1e-5,
                         tie_word_embeddings=True)
    with prec.weightless():
        model = LlamaForCausalLM(config)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.zeros(batch, sequence, dtype=torch.int64)
    return model, optimizer, {"input_ids": ids, "labels": ids}, {"clip_grad_norm": 1.0}
