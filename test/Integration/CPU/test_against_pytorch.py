# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fp32 recipe against PyTorch eager in FP32: the same start, the same batches."""
import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

import prec

BATCH, SEQUENCE, VOCABULARY, STEPS = 2, 32, 256, 100


def llama():
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, hidden_size=64, intermediate_size=176, num_hidden_layers=2,
                                        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
                                        tie_word_embeddings=True))


def gpt2():
    return GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY, n_positions=64, n_embd=64, n_layer=2, n_head=4, resid_pdrop=0.0,
                                      embd_pdrop=0.0, attn_pdrop=0.0))


def batches():
    """Learnable tokens: a noisy walk, the same for both."""
    generator = np.random.default_rng(0)
    for _ in range(STEPS):
        steps = generator.integers(-2, 3, (BATCH, SEQUENCE))
        yield np.cumsum(steps, axis=1).astype(np.int64) % VOCABULARY


@pytest.mark.parametrize("build", [llama, gpt2])
def test_losses_follow_pytorch(build, compile_module):
    torch.manual_seed(0)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
    imported = prec.import_torch(model, optimizer, {"input_ids": ids, "labels": ids}, clip_grad_norm=1.0, verify=False)
    path, weights = compile_module(imported, "fp32")
    module = prec.Module(path)
    module.load(weights)
    for batch in batches():
        tokens = torch.from_numpy(batch)
        expected = model(input_ids=tokens, labels=tokens).loss
        expected.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        result = module.step({"input_ids": batch.astype(np.int32), "labels": batch.astype(np.int32)})
        assert result["loss"] == pytest.approx(expected.item(), rel=2e-5)
        if result["step"] == 1:
            assert result["grad_norm"] == pytest.approx(norm.item(), rel=1e-5)
    assert result["loss"] < 4.5, "a hundred steps must have learned something"
    trained = module.weights()
    for name, parameter in model.named_parameters():
        assert trained[name].shape == tuple(parameter.shape)


def test_eval_leaves_the_state_alone(compile_module):
    torch.manual_seed(0)
    model = llama()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
    imported = prec.import_torch(model, optimizer, {"input_ids": ids, "labels": ids}, clip_grad_norm=1.0, verify=False)
    path, weights = compile_module(imported, "fp8-hybrid")
    module = prec.Module(path)
    module.load(weights)
    batch = next(batches()).astype(np.int32)
    batch = {"input_ids": batch, "labels": batch}
    before = module.weights()
    loss = module.eval(batch)["loss"]
    assert module.eval(batch)["loss"] == loss
    assert all(np.array_equal(before[name], after) for name, after in module.weights().items())
    assert module.step(batch)["loss"] == loss
    assert any(not np.array_equal(before[name], after) for name, after in module.weights().items())
