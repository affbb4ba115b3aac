# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models without memory import to the same graph as models with it."""
import pytest
import torch
from models import hf_llama
from torch._subclasses.fake_tensor import FakeTensorMode

import prec
from prec import ImportFailure


def imported(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ids = torch.zeros(2, 16, dtype=torch.int64)
    return prec.import_torch(model, optimizer, {"input_ids": ids, "labels": ids})


ROPES = {"default": {}, "llama3": dict(rope_parameters=dict(rope_type="llama3", rope_theta=5e5, factor=8.0, low_freq_factor=1.0,
                                                             high_freq_factor=4.0, original_max_position_embeddings=32))}


@pytest.mark.cases(1)
@pytest.mark.parametrize("rope", ROPES)
@pytest.mark.parametrize("context", [prec.weightless, lambda: torch.device("meta"), FakeTensorMode], ids=["weightless", "meta", "fake"])
def test_the_graph_does_not_depend_on_memory(context, rope):
    from transformers import LlamaConfig, LlamaForCausalLM

    real, _ = hf_llama(**ROPES[rope])
    config = LlamaConfig(**{k: v for k, v in real.config.to_dict().items() if k not in ("model_type", "architectures")})
    with context():
        model = LlamaForCausalLM(config)
    assert imported(model).mlir == imported(real).mlir


def test_a_lost_buffer_is_refused_with_the_remedy():
    import llama

    with torch.device("meta"):
        model = llama.Llama(1, 32, 2, 2, 48, 96)
    ids = torch.zeros(2, 16, dtype=torch.int64)
    with pytest.raises(ImportFailure, match=r"rc is on the meta device or fake \(build the model under prec.weightless\(\)\)"):
        prec.import_torch(model, torch.optim.AdamW(model.parameters()), (ids, ids))


def test_weightless_keeps_computed_constants():
    with prec.weightless():
        linear, _, table = torch.nn.Linear(3, 3), torch.nn.LayerNorm(3), torch.arange(3)
    assert linear.weight.is_meta and not table.is_meta
    assert torch.nn.Linear(3, 3).weight.device.type == "cpu"
