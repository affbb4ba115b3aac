# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and sizes that users of other libraries reported to be slower in FP8 than in BF16, or not faster by what they
hoped for (trackers of torchao, torchtitan, Transformer Engine, Megatron-LM, accelerate): the choice by the machine
model is never predicted to take longer than BF16 or FP8 everywhere; sizes that nobody doubts are all BF16, or all
FP8."""
import re
import subprocess

import pytest
import torch
import transformers
from torch import nn

import prec
from prec.torch import weightless


def layers(*sizes, act=None):
    steps = []
    for n, k in zip(sizes, sizes[1:]):
        steps += [nn.Linear(n, k), *([act()] if act else [])]
    return nn.Sequential(*steps)


class Loss(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return self.body(x).square().mean()


def of_layers(tokens, *sizes, act=None):
    return lambda: (Loss(layers(*sizes, act=act)), {"x": torch.zeros(tokens, sizes[0])})


def of_language(make, rows, tokens):
    def build():
        ids = torch.zeros(rows, tokens, dtype=torch.int64)
        return make(), {"input_ids": ids, "labels": ids}
    return build


def gpt2(**config):
    return lambda: transformers.GPT2LMHeadModel(transformers.GPT2Config(attn_pdrop=0, resid_pdrop=0, embd_pdrop=0, n_positions=1024, **config))


def llama(**config):
    return lambda: transformers.LlamaForCausalLM(transformers.LlamaConfig(max_position_embeddings=8192, **config))


def bert():
    return transformers.BertForMaskedLM(transformers.BertConfig(num_hidden_layers=2, hidden_size=1024, num_attention_heads=16, intermediate_size=4096,
                                                                hidden_dropout_prob=0, attention_probs_dropout_prob=0))


def translation():
    """Encoder and decoder whose numbers of tokens are a multiple of 8, but of 16 not everywhere."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Transformer(1024, 16, 1, 1, 4096, dropout=0, batch_first=True)

        def forward(self, source, target):
            return self.body(source, target).square().mean()
    return Model(), {"source": torch.zeros(27, 78, 1024), "target": torch.zeros(27, 64, 1024)}


# What is reported; a step; a recipe; and what becomes of its contractions, where it is beyond doubt: all in BF16, all
# in FP8, or some of both.
REPORTED = {
    "two layers of 32 (torchao)": (of_layers(64, 32, 32, 32, act=nn.ReLU), "fp8-hybrid", "bf16"),
    "the example of a readme (torchao)": (of_layers(4096, 2048, 4096, 128), "fp8-hybrid", "fp8"),
    "GPT of 1.5 billion, two layers (torchao, nanoGPT)": (of_language(gpt2(n_layer=2, n_embd=1600, n_head=25, vocab_size=50304), 12, 1024),
                                                         "fp8-hybrid tensor-scaling=delayed", "fp8"),
    "a layer of 1024 and 1024 rows (Transformer Engine)": (of_layers(1024, 1024, 1024, 1024), "fp8-hybrid tensor-scaling=delayed", None),
    "a layer of 10240 and 10240 rows (Transformer Engine)": (of_layers(10240, 10240, 10240, 10240), "fp8-hybrid tensor-scaling=delayed", "fp8"),
    "translation, tokens in eights (Transformer Engine)": (translation, "fp8-hybrid tensor-scaling=delayed", None),
    "BERT-large, 8 rows on each of many GPUs (Transformer Engine)": (of_language(bert, 8, 512), "fp8-hybrid tensor-scaling=delayed", "fp8"),
    "a layer of 768 to 3072 (Transformer Engine)": (of_layers(2048, 768, 3072, 768), "fp8-hybrid tensor-scaling=delayed", None),
    "Llama 70B over eight GPUs, rows scaled (torchtitan)": (of_language(llama(
        num_hidden_layers=1, hidden_size=8192, num_attention_heads=8, num_key_value_heads=1, head_dim=128, intermediate_size=3584,
        vocab_size=16384), 1, 8192), "fp8-rowwise", "some"),
    "the debug model (torchtitan)": (of_language(llama(num_hidden_layers=2, hidden_size=256, num_attention_heads=16, num_key_value_heads=16,
                                                       intermediate_size=768, vocab_size=2048), 8, 256), "fp8-hybrid", "bf16"),
    "13 billion, one layer (Megatron-LM)": (of_language(gpt2(n_layer=1, n_embd=5120, n_head=40, vocab_size=51200), 2, 1024),
                                           "fp8-hybrid tensor-scaling=delayed", "fp8"),
    "BERT-base of an example, 16 rows of 128 (accelerate)": (of_language(lambda: transformers.BertForMaskedLM(transformers.BertConfig(
        num_hidden_layers=2, hidden_dropout_prob=0, attention_probs_dropout_prob=0)), 16, 128), "fp8-hybrid tensor-scaling=delayed", "some"),
}
TOTAL = re.compile(r"products and their casts take ([\d.]+) (us|ms) on .*?\(recipe everywhere ([\d.]+) (us|ms), .*?\): (\d+) of (\d+) contractions")


def micro(number, unit):
    return float(number) * (1000 if unit == "ms" else 1)


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", REPORTED)
def test_never_predicted_to_be_slower(name, tmp_path, tool):
    build, recipe, outcome = REPORTED[name]
    with weightless():
        model, batch = build()
    prec.import_torch(model, torch.optim.AdamW(model.parameters(), lr=1e-3), batch, verify=False).write(tmp_path / "graph.mlir")

    def choose(options):
        command = [tool("prec-opt"), tmp_path / "graph.mlir", "--prec-raise-composites",
                   f"--assign-precision=target=sm_90a choose=cost allow-fallback=true {options}", "-o", "/dev/null"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return TOTAL.search(done.stderr).groups()
    chosen, unit, everywhere, other, changed, decided = choose(f"recipe={recipe}")
    chosen, everywhere = micro(chosen, unit), micro(everywhere, other)
    bf16 = micro(*choose("recipe=bf16")[:2])
    assert chosen <= min(everywhere, bf16) * (1 + 1e-6)
    changed, decided = int(changed), int(decided)
    assert outcome in (None, "fp8" if changed == 0 else "bf16" if changed == decided else "some")
