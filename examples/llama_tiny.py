# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Hugging Face Llama of 2 layers with grouped-query attention and a tied head; examples/llama_tiny.mlir is its
import.

    prec-import examples/llama_tiny.py:build -o llama_tiny.mlir --weights llama_tiny.safetensors
"""
import torch
from transformers import LlamaConfig, LlamaForCausalLM


def build():
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=256, hidden_size=64, intermediate_size=176, num_hidden_layers=2, num_attention_heads=4,
                         num_key_value_heads=2, max_position_embeddings=128, tie_word_embeddings=True)
    model = LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.randint(0, 256, (2, 32))
    return model, optimizer, {"input_ids": ids, "labels": ids}, {"clip_grad_norm": 1.0}
