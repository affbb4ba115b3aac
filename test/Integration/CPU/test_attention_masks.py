# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of models whose attention has masks, against PyTorch eager in FP32: attention as one command, and as products.
What is hidden is another thing in each batch: padding, documents, rows that see nothing."""
import pathlib
import sys

import numpy as np
import pytest
import torch
import transformers

import prec

sys.path.append(str(pathlib.Path(__file__).parents[1] / "CUDA"))
import attention_shapes  # noqa: E402

ROWS, TOKENS = 2, 40


def own(name):
    sizes = attention_shapes.MASKS[name] | {"batch": ROWS, "rows": TOKENS, "dim": 16}
    model, _, batch = attention_shapes.step(**sizes)
    return model, {name: "ids" for name in batch}


LLAMA = dict(vocab_size=256, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=64)


def bert(how):
    config = transformers.BertConfig(vocab_size=256, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
                                     hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation=how)
    return transformers.BertForMaskedLM(config), {"input_ids": "ids", "labels": "ids", "attention_mask": "padding"}


def llama(how, mask="padding"):
    config = transformers.LlamaConfig(**LLAMA, attn_implementation=how)
    return transformers.LlamaForCausalLM(config), {"input_ids": "ids", "labels": "ids", "attention_mask": mask}


def documents():
    model = llama("sdpa")[0]
    # With a cache transformers looks at no positions.
    model.config.use_cache = False
    return model, {"input_ids": "ids", "labels": "ids", "position_ids": "positions"}


def mistral(**given):
    config = transformers.MistralConfig(**LLAMA, sliding_window=7)
    return transformers.MistralForCausalLM(config), {"input_ids": "ids", "labels": "ids", **given}


MODELS = {name: (lambda name=name: own(name)) for name in attention_shapes.MASKS} | {
    "bert": lambda: bert("sdpa"), "bert, eager": lambda: bert("eager"), "llama": lambda: llama("sdpa"),
    "llama, left": lambda: llama("sdpa", "left"), "llama, eager, left": lambda: llama("eager", "left"), "mistral": mistral,
    "mistral, left": lambda: mistral(attention_mask="left"), "documents": documents}


def batches(entries, count):
    """Learnable tokens, and what hides some of them."""
    random = np.random.default_rng(0)
    for _ in range(count):
        lengths = random.integers(3, TOKENS, ROWS)
        padding = (np.arange(TOKENS) < lengths[:, None]).astype(np.int64)
        values = {"ids": np.cumsum(random.integers(-2, 3, (ROWS, TOKENS)), 1) % 256, "padding": padding, "left": padding[:, ::-1].copy(),
                  "positions": np.where(np.arange(TOKENS) < lengths[:, None], np.arange(TOKENS), np.arange(TOKENS) - lengths[:, None])}
        yield {name: values[what].astype(np.int64) for name, what in entries.items()}


def trained_once(model, optimizer, batch):
    """The loss of a step of PyTorch."""
    tensors = {name: torch.from_numpy(x) for name, x in batch.items()}
    result = model(**tensors)
    expected = result if isinstance(result, torch.Tensor) else result.loss
    expected.backward()
    optimizer.step()
    optimizer.zero_grad()
    return expected.item()


@pytest.mark.cases(3)
@pytest.mark.filterwarnings("ignore:.* left out", "ignore:cuDNN")
@pytest.mark.parametrize("options", [(), ("--decompose-attention",)], ids=["command", "products"])
@pytest.mark.parametrize("name", MODELS)
def test_steps_follow_pytorch(name, options, compile_module):
    torch.manual_seed(0)
    model, entries = MODELS[name]()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    given = {name: torch.from_numpy(x) for name, x in next(batches(entries, 1)).items()}
    imported = prec.import_torch(model.train(), optimizer, given, verify=False)
    assert sum(op.name == "prec_train.attention" for op in imported.graph.ops) == (2 if "mask_" not in name else 1)
    path, weights = compile_module(imported, "fp32", *options)
    module = prec.Module(path)
    module.load(weights)
    for batch in batches(entries, 4):
        expected = trained_once(model, optimizer, batch)
        got = module.step({name: x.astype(np.int32) for name, x in batch.items()})
        assert got["loss"] == pytest.approx(expected, rel=2e-5)
    trained = module.weights()
    for name, parameter in model.named_parameters():
        np.testing.assert_allclose(trained[name], parameter.detach().numpy(), rtol=1e-3, atol=2e-5, err_msg=name)


@pytest.mark.cases(2)
@pytest.mark.parametrize("recipe", ["bf16", "fp16", "fp8-hybrid"])
@pytest.mark.parametrize("name", ["mask_keys", "mask_window_of_keys", "mask_alibi", "bert", "llama, left", "mistral"])
def test_masks_stay_exact_in_narrow_recipes(name, recipe, compile_module):
    torch.manual_seed(0)
    model, entries = MODELS[name]()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    given = {name: torch.from_numpy(x) for name, x in next(batches(entries, 1)).items()}
    path, weights = compile_module(prec.import_torch(model.train(), optimizer, given, verify=False), recipe)
    module = prec.Module(path)
    module.load(weights)
    biases = [command["bias"] for command in module.manifest["entry_points"]["step"] if "bias" in command and command["op"].startswith("sdpa")]
    assert all(module.manifest["buffers"][index]["dtype"] == "f32" for index in biases) and bool(biases) == (name != "mistral")
    for batch in batches(entries, 2):
        expected = trained_once(model, optimizer, batch)
        assert module.step({name: x.astype(np.int32) for name, x in batch.items()})["loss"] == pytest.approx(expected, rel=0.03)
