# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models with experts, of each way that routers choose. More experts than rows go to, so that some have none; no
block of 128x128 is of two experts.

    prec-import test/Integration/CUDA/experts.py:mixtral -o mixtral.mlir
"""
import functools

import torch
import transformers

VOCABULARY, EXPERTS, WIDTH = 256, 16, 128  # of bytes, which the tokens are
SIZES = {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "intermediate_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "max_position_embeddings": 128, "num_experts_per_tok": 2, "pad_token_id": 0, "bos_token_id": 1,
         "eos_token_id": 2}
MODELS = {
    "mixtral": ("Mixtral", {"num_local_experts": EXPERTS}),
    "qwen3_moe": ("Qwen3Moe", {"num_experts": EXPERTS, "moe_intermediate_size": WIDTH, "head_dim": 32}),
    "olmoe": ("Olmoe", {"num_experts": EXPERTS}),
    "deepseek_v3": ("DeepseekV3", {"n_routed_experts": EXPERTS, "moe_intermediate_size": WIDTH, "n_group": 4, "topk_group": 2,
                                   "first_k_dense_replace": 1, "q_lora_rank": 64, "kv_lora_rank": 64, "qk_rope_head_dim": 16,
                                   "qk_nope_head_dim": 32, "v_head_dim": 32, "num_key_value_heads": 4}),
    "gpt_oss": ("GptOss", {"num_local_experts": EXPERTS, "head_dim": 32}),
}


def step(name):
    kind, options = MODELS[name]
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**SIZES | options)
    model = getattr(transformers, f"{kind}ForCausalLM")(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.zeros(4, 32, dtype=torch.int64)
    return model, optimizer, {"input_ids": ids, "labels": ids}, {"clip_grad_norm": 1.0}


mixtral, qwen3_moe, olmoe, deepseek_v3, gpt_oss = (functools.partial(step, name) for name in MODELS)
