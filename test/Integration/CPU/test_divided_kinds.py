# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of many kinds of models are divided (--mesh=tp=2): two processes have the losses of one, and of each kind the
parameters that are divided are those that can be."""
import json
import re
import subprocess

import numpy as np
import pytest
from first_step import adamw, import_step
from rank_processes import run_ranks
from test_against_pytorch import VOCABULARY
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = {"vocab_size": VOCABULARY, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "max_position_embeddings": 64}
WITHOUT_GROUPS = {name: size for name, size in SIZES.items() if name != "num_key_value_heads"}
GPT = {"vocab_size": VOCABULARY, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64, "attn_pdrop": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.0}
EXPERTS = {**SIZES, "num_experts_per_tok": 2}
DEEPSEEK = {**EXPERTS, "n_routed_experts": 8, "n_group": 2, "topk_group": 1, "moe_intermediate_size": 32, "first_k_dense_replace": 1}
# The kind, its sizes, and how many parameters are divided: of two layers, and tables and the last product.
KINDS = {
    "qwen2": (SIZES, 22),                                      # seven weights and three biases a layer
    "qwen3": ({**SIZES, "head_dim": 16}, 16),                  # norms of heads are of whole rows
    "mistral": ({**SIZES, "sliding_window": 8}, 16),
    "olmo2": (SIZES, 8),                                       # norms of all heads' elements: feed-forward layers alone
    "gemma": ({**SIZES, "head_dim": 16, "num_key_value_heads": 1}, 11),   # one head of keys and values
    "granite": (SIZES, 16),
    # One weight for queries, keys and values, head by head, and a bias of it; then one after the other.
    "gpt_neox": (WITHOUT_GROUPS, 14),
    "falcon": ({**WITHOUT_GROUPS, "new_decoder_architecture": False, "multi_query": False, "bias": False}, 9),
    "gpt2": (GPT, 14),
    "phi3": ({**SIZES, "resid_pdrop": 0.0, "pad_token_id": 0}, 10),       # one weight of gates and what they gate, too
    "glm4": ({**SIZES, "head_dim": 16, "pad_token_id": 0}, 20),
    "gpt_bigcode": (GPT, 8),                                   # one head of keys and values beside queries in one weight
    "opt": ({**SIZES, "ffn_dim": 96, "word_embed_proj_dim": 64, "dropout": 0.0, "attention_dropout": 0.0}, 22),
    "cohere": (SIZES, 15),                                     # attention beside the feed-forward layer: one sum of both
    "starcoder2": ({**SIZES, "residual_dropout": 0.0, "embedding_dropout": 0.0}, 21),
    "nemotron": (SIZES, 14),
    # Experts: every rank has its columns, then its rows, of each of them; routers are of whole rows.
    "mixtral": ({**EXPERTS, "num_local_experts": 4}, 14),
    "qwen2_moe": ({**EXPERTS, "num_experts": 4, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 64}, 26),
    "qwen3_moe": ({**EXPERTS, "head_dim": 16, "num_experts": 4, "moe_intermediate_size": 32}, 14),
    "olmoe": ({**EXPERTS, "num_experts": 4}, 6),               # norms of all heads' elements
    "deepseek_v3": ({**DEEPSEEK, "q_lora_rank": 32, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16,
                     "num_key_value_heads": 4}, 10),           # latents of queries and keys are normalized whole
    "glm4_moe": ({**DEEPSEEK, "head_dim": 16}, 18),
}


def build(kind):
    return AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **KINDS[kind][0], attn_implementation="sdpa"))


@pytest.mark.parametrize("kind", ["qwen3", *[pytest.param(kind, marks=pytest.mark.long) for kind in KINDS if kind != "qwen3"]])
def test_two_processes_have_the_losses_of_one(tool, kind, tmp_path):
    one, two = losses_of(tool, kind, ["--recipe=fp32"], tmp_path)
    assert np.abs(one - two).max() <= 2e-5


@pytest.mark.parametrize("options", [pytest.param(["--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed"], id="delayed"), *[
    pytest.param([f"--recipe={recipe}"], id=recipe, marks=pytest.mark.long) for recipe in ("bf16", "fp8-hybrid", "fp8-block")]])
@pytest.mark.long
def test_experts_stay_near_in_other_recipes(tool, options, tmp_path):
    """Scales of an expert are of all ranks' slices; sums over ranks are rounded."""
    one, two = losses_of(tool, "qwen3_moe", options, tmp_path)
    assert 0 < np.abs(one - two).max() <= 5e-3


def losses_of(tool, kind, options, tmp_path):
    """The losses of ten steps of one process, and of two that have parts of its layers."""
    _, imported = import_step(lambda: build(kind), make_optimizer=adamw)
    imported.write(tmp_path / "graph.mlir")
    imported.write_weights(tmp_path / "weights.safetensors")
    np.random.default_rng(0).integers(0, VOCABULARY, 60_000).astype(np.uint16).tofile(tmp_path / "tokens.bin")
    losses = []
    for ranks in (1, 2):
        compiled = subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", *options, *([f"--mesh=tp={ranks}"] * (ranks > 1)), "-o",
                                   tmp_path / f"{ranks}.so"], capture_output=True, text=True)
        assert compiled.returncode == 0, compiled.stderr
        if ranks > 1:
            found = re.search(r"slices of (\d+) parameters", compiled.stderr)
            assert found and int(found[1]) == KINDS[kind][1], compiled.stderr
        command = [tool("prec-run"), tmp_path / f"{ranks}.so", "--tokens", tmp_path / "tokens.bin", "--weights", tmp_path / "weights.safetensors",
                   "--lr", "1e-3", "--steps", "10", "--threads", "1", "--label-shift", "1", "--metrics", tmp_path / f"{ranks}.jsonl"]
        run_ranks(command, ranks)
        losses.append([entry["loss"] for entry in map(json.loads, (tmp_path / f"{ranks}.jsonl").read_text().splitlines()) if "loss" in entry])
    assert len(losses[0]) == len(losses[1]) == 10
    return np.array(losses)
