# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that utils/quickstart trains: bytes in, bytes out, small enough for two CPU cores.

    prec-import examples/quickstart_model.py:llama -o graph.mlir --weights weights.safetensors
"""
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

VOCABULARY, BATCH, SEQUENCE = 256, 8, 128


def _step(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
    return model, optimizer, {"input_ids": ids, "labels": ids}, {"clip_grad_norm": 1.0}


def llama_config():
    return LlamaConfig(vocab_size=VOCABULARY, hidden_size=128, intermediate_size=352, num_hidden_layers=4, num_attention_heads=4,
                       num_key_value_heads=2, max_position_embeddings=512, tie_word_embeddings=True, bos_token_id=0, eos_token_id=0)


def gpt2_config():
    return GPT2Config(vocab_size=VOCABULARY, n_positions=512, n_embd=128, n_layer=4, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0,
                      attn_pdrop=0.0, bos_token_id=0, eos_token_id=0)


def llama():
    torch.manual_seed(0)
    return _step(LlamaForCausalLM(llama_config()))


def gpt2():
    torch.manual_seed(0)
    return _step(GPT2LMHeadModel(gpt2_config()))
