# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers that a step changes, running statistics of batch norms and averages of weights, are a part of what has been
trained: saved, needed to go on, and passed on where the precision changes. PyTorch's are the oracle."""
import json

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

import prec
from prec.module import RuntimeFailure

ROWS, WIDTH = 4, 16


def build():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, 32, bias=False), torch.nn.BatchNorm1d(32), torch.nn.Tanh(), torch.nn.Linear(32, 8))
    # What no step changes is the model's own business.
    model.register_buffer("unchanged", torch.full((8,), 0.5))
    return model


def loss_of(y):
    return y.square().mean()


def batch(step):
    return torch.randn(ROWS, WIDTH, generator=torch.Generator().manual_seed(step))


def imported(average=None, **options):
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    return model, optimizer, prec.import_torch(model, optimizer, (batch(0),), loss=loss_of, average=average, **options)


@pytest.fixture(scope="module")
def files(compile_module):
    return compile_module(imported(0.75)[2], "fp32")


def opened(files):
    module = prec.Module(files[0])
    module.load(files[1])
    return module


def step(module, number):
    name = next(b.name for b in module.bindings if b.role == "batch")
    return module.step({name: batch(number).numpy()})["loss"]


def buffers(module):
    return {b.name: module.get(b) for b in module.bindings if b.role == "buffer"}


def same(x, y):
    return x.keys() == y.keys() and all(np.array_equal(x[name], y[name]) for name in x)


@pytest.mark.parametrize("decay", [0.999, 0.75, 0.5, 0.25, 0.0])
def test_averages_are_those_of_pytorch(compile_module, decay):
    model, optimizer, graph = imported(decay)
    assert graph.verified == "verified"
    module = opened(compile_module(graph, "fp32"))
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(decay))
    for number in range(6):
        step(module, number)
        optimizer.zero_grad()
        loss_of(model(batch(number))).backward()
        optimizer.step()
        average.update_parameters(model)
    assert module.get("average.n_averaged") == average.n_averaged == 6
    for name, p in average.module.named_parameters():
        assert np.allclose(module.get(f"average.{name}"), p.detach().numpy(), rtol=1e-5, atol=1e-6), name


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
def test_averages_stay_fp32_in_narrow_recipes(compile_module, recipe):
    module = opened(compile_module(imported(0.75)[2], recipe))
    weights = []
    for number in range(3):
        step(module, number)
        weights.append(module.get("0.weight"))
    right = weights[0]
    for w in weights[1:]:
        right = right + np.float32(0.25) * (w - right)
    assert module.get("average.0.weight").dtype == np.float32
    assert np.array_equal(module.get("average.0.weight"), right)


def test_a_step_that_changes_nothing_leaves_averages(files):
    module = opened(files)
    step(module, 0)
    before = buffers(module)
    name = next(b.name for b in module.bindings if b.role == "batch")
    module.step({name: np.full((ROWS, WIDTH), np.inf, np.float32)})
    assert same(buffers(module), before)


def test_a_checkpoint_holds_changed_buffers(files, tmp_path):
    module = opened(files)
    for number in range(3):
        step(module, number)
    module.save_checkpoint(tmp_path / "checkpoint")
    module.save(tmp_path / "weights.safetensors")
    again = opened(files)
    again.load(tmp_path / "checkpoint")
    assert same(buffers(again), buffers(module)) and module.get("1.num_batches_tracked") == 3
    assert [step(again, n) for n in (3, 4)] == [step(module, n) for n in (3, 4)]
    assert same(buffers(again), buffers(module))
    saved = load_file(tmp_path / "weights.safetensors")
    assert {"1.running_mean", "1.running_var", "1.num_batches_tracked", "average.0.weight"} <= saved.keys() and "unchanged" not in saved
    # PyTorch loads the file.
    model = build()
    del model._buffers["unchanged"]
    model.load_state_dict({name: torch.from_numpy(v) for name, v in saved.items() if not name.startswith("average.")})
    assert int(model[1].num_batches_tracked) == 3


def test_a_checkpoint_without_them_is_refused(files, tmp_path):
    module = opened(files)
    step(module, 0)
    module.save_checkpoint(tmp_path / "checkpoint")
    index = json.loads((tmp_path / "checkpoint/model.safetensors.index.json").read_text())
    path = tmp_path / "checkpoint" / index["weight_map"]["1.running_var"]
    with safe_open(path, "np") as file:
        metadata = file.metadata()
    saved = load_file(path)
    del saved["1.running_var"]
    save_file(saved, path, metadata)
    with pytest.raises(RuntimeFailure, match=r"'1\.running_var'"):
        opened(files).load(tmp_path / "checkpoint")


def test_buffers_pass_to_another_precision(compile_module, files, tool, tmp_path):
    module, narrow = opened(files), opened(compile_module(imported(0.75)[2], "bf16"))
    for number in range(2):
        step(module, number)
    module.save_checkpoint(tmp_path / "checkpoint")
    narrow.load(tmp_path / "checkpoint")
    assert same(buffers(narrow), buffers(module))


@pytest.mark.parametrize("average", [1.0, -0.1, float("nan"), "0.9", True])
def test_a_decay_is_a_number_below_one(average):
    with pytest.raises(prec.ImportFailure, match="average must be a decay from 0 to below 1"):
        imported(average)


def test_a_name_of_an_average_must_be_free():
    model = torch.nn.ModuleDict({"average": torch.nn.Linear(WIDTH, 8)})
    model.forward = lambda x: model["average"](x)
    with pytest.raises(prec.ImportFailure, match=r"no parameter or buffer below 'average'.*average\.weight"):
        prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), (batch(0),), loss=loss_of, average=0.9)


