# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of models with experts in the sizes of real ones, with few layers: prec-import
benchmarks/experts_models.py:qwen3_2.

Models are built without memory for their weights, which are billions.
"""
import functools

import torch
import transformers

try:
    import prec
except ImportError:  # On a machine that has PyTorch alone.
    prec = None

# Sizes of the models as they are published; layers, rows and tokens are of the benchmark.
QWEN3 = ("Qwen3Moe", {"vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 6144, "num_attention_heads": 32, "num_key_value_heads": 4,
                      "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768, "norm_topk_prob": True,
                      "max_position_embeddings": 40960, "rope_theta": 1e6})
MIXTRAL = ("Mixtral", {"vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
                       "num_local_experts": 8, "num_experts_per_tok": 2, "max_position_embeddings": 32768, "rope_theta": 1e6})
OLMOE = ("Olmoe", {"vocab_size": 50304, "hidden_size": 2048, "intermediate_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 16,
                   "num_experts": 64, "num_experts_per_tok": 8, "max_position_embeddings": 4096})
# Of the 256 experts, 64 in 8 groups.
DEEPSEEK = ("DeepseekV3", {"n_routed_experts": 64, "first_k_dense_replace": 0, "max_position_embeddings": 4096, "rope_scaling": None})
# Name: model, layers, rows and tokens of a row.
MODELS = {
    "qwen3_2": (QWEN3, 2, 4, 4096),
    "qwen3_3": (QWEN3, 3, 4, 4096),
    "qwen3_6": (QWEN3, 6, 4, 4096),
    "qwen3_2_8": (QWEN3, 2, 8, 4096),
    "qwen3_6_8": (QWEN3, 6, 8, 4096),
    "mixtral_2": (MIXTRAL, 2, 2, 4096),
    "olmoe": (OLMOE, 16, 2, 4096),
    "deepseek_2": (DEEPSEEK, 2, 1, 4096),
}


def configuration(name, **more):
    (kind, sizes), layers, _, _ = MODELS[name]
    return getattr(transformers, f"{kind}Config")(**sizes | {"num_hidden_layers": layers, "use_cache": False} | more)


def build(name, **more):
    config = configuration(name, **more)
    return getattr(transformers, f"{MODELS[name][0][0]}ForCausalLM")(config).train()


def step(name):
    _, _, rows, tokens = MODELS[name]
    with prec.weightless():
        model = build(name)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.zeros(rows, tokens, dtype=torch.int64)
    return model, optimizer, {"input_ids": ids, "labels": ids}, {"clip_grad_norm": 1.0}


for _name in MODELS:
    globals()[_name] = functools.partial(step, _name)
