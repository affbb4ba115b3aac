# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights with the optimizer's states beside them: training goes on as PyTorch's does, with merged layers, too."""
import json
import subprocess

import numpy as np
import pytest
import torch
from dynamic_map import dynamic_map
from first_step import MAX_NORM, adamw, inputs
from optimizers import OPTIMIZERS
from safetensors.numpy import load_file, save_file
from test_against_pytorch import BATCH, SEQUENCE, batches, llama

import prec
from prec.module import RuntimeFailure

MAKE = {"adamw": adamw, **{kind: OPTIMIZERS[kind] for kind in ("sgd, momentum", "sgd, dampened", "lion", "adafactor")}}
TAKEN, FURTHER = 4, 3
SOURCE = [batch for _, batch in zip(range(TAKEN + FURTHER), batches())]


def train(model, optimizer, batch):
    tokens = torch.from_numpy(batch).long()
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


class Trained:
    """A model whose optimizer has taken steps, as files: a graph, and weights with states."""

    def __init__(self, make, folder):
        torch.manual_seed(0)
        self.folder, model = folder, llama()
        optimizer = make(model.parameters())
        for batch in SOURCE[:TAKEN]:
            train(model, optimizer, batch)
        ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
        imported = prec.import_torch(model, optimizer, {"input_ids": ids, "labels": ids}, clip_grad_norm=MAX_NORM, verify=False)
        imported.write(folder / "graph.mlir")
        imported.write_weights(folder / "with.safetensors")
        # A tied weight has one state, and buffers of steps none.
        self.states = {f"{name}.{slot}": value.numpy().copy() for name, p in model.named_parameters() for slot, value in optimizer.state[p].items()
                       if slot != "step" and torch.is_tensor(value)}
        written = load_file(folder / "with.safetensors")
        assert {name for name in written if name in self.states} == set(self.states)
        save_file({name: value for name, value in written.items() if name not in self.states}, folder / "without.safetensors")
        self.losses = [train(model, optimizer, batch) for batch in SOURCE[TAKEN:]]
        self.after = {name: p.detach().numpy() for name, p in model.named_parameters()}


@pytest.fixture(scope="module")
def trained(tool, tmp_path_factory):
    known, modules = {}, {}

    def open_(kind, *options):
        if kind not in known:
            known[kind] = Trained(MAKE[kind], tmp_path_factory.mktemp("trained"))
        key = kind, *options
        if key not in modules:
            modules[key] = known[kind].folder / f"{len(modules)}.so"
            subprocess.run([tool("prec-compile"), known[kind].folder / "graph.mlir", *options, "-o", modules[key]], check=True)
        known[kind].path = modules[key]
        return known[kind], prec.Module(modules[key])
    return open_


@pytest.mark.parametrize("merge", ["on", "off"])
@pytest.mark.parametrize("kind", MAKE)
def test_training_goes_on_as_in_pytorch(kind, merge, trained):
    start, module = trained(kind, "--recipe=fp32", f"--merge-contractions={merge}")
    module.load(start.folder / "with.safetensors")
    losses = [module.step(inputs(batch))["loss"] for batch in SOURCE[TAKEN:]]
    assert losses == pytest.approx(start.losses, rel=5e-5)
    for name, value in start.after.items():
        np.testing.assert_allclose(module.get(name), value, rtol=2e-3, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("kind", ["adamw", "lion"])
def test_without_states_it_does_not(kind, trained):
    """The test above can fail."""
    start, module = trained(kind, "--recipe=fp32", "--merge-contractions=on")
    module.load(start.folder / "without.safetensors")
    losses = [module.step(inputs(batch))["loss"] for batch in SOURCE[TAKEN:]]
    assert losses != pytest.approx(start.losses, rel=5e-5)


@pytest.mark.parametrize("options", [["--recipe=bf16", "--assign=master-dtype=bf16"], ["--recipe=fp8-hybrid"],
                                     ["--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed amax-history=4"], ["--recipe=fp16"]])
def test_other_recipes_begin_with_the_same_states(options, trained):
    start, module = trained("adamw", *options)
    module.load(start.folder / "with.safetensors")
    for name, value in start.states.items():
        np.testing.assert_array_equal(module.get(name), value)
    result = module.step(inputs(SOURCE[TAKEN]))
    assert result["step"] == TAKEN + 1 and result["loss"] == pytest.approx(start.losses[0], rel=2e-2)


def test_states_in_8_bits(trained):
    """Codes are the nearest of bitsandbytes' map, as the step itself codes: the next checkpoint is of the same kind."""
    start, module = trained("adamw", "--recipe=fp32", "--assign=moments=dynamic8")
    module.load(start.folder / "with.safetensors")
    codes = 0
    for name, value in start.states.items():
        parameter, _, slot = name.rpartition(".")
        held = {b.slot: b for b in module.bindings if b.role == "optimizer_state" and b.parameter == parameter}
        if slot in held:
            np.testing.assert_array_equal(module.get(held[slot]), value)
            continue
        table = dynamic_map(slot == "exp_avg")
        blocks = value.reshape(-1, 256)
        absmax = np.abs(blocks).max(1)
        scaled = blocks / np.where(absmax == 0, np.float32(1), absmax)[:, None]
        expected = np.searchsorted((table[:-1] + table[1:]) / np.float32(2), scaled)
        np.testing.assert_array_equal(module.get(held[slot + "_absmax"]), absmax, err_msg=name)
        np.testing.assert_array_equal(module.get(held[slot + "_codes"]).view(np.uint8).reshape(-1, 256), expected, err_msg=name)
        codes += 1
    assert codes > 10
    assert module.step(inputs(SOURCE[TAKEN]))["loss"] == pytest.approx(start.losses[0], rel=2e-5)


def test_a_run_goes_on_at_the_step(trained, tool, tmp_path):
    start, module = trained("adamw", "--recipe=fp32", "--merge-contractions=on")
    np.concatenate([batch.reshape(-1) for batch in SOURCE]).astype("<u2").tofile(tmp_path / "t.bin")
    subprocess.run([tool("prec-run"), start.path, "--weights", start.folder / "with.safetensors", "--tokens", tmp_path / "t.bin",
                    "--steps", str(TAKEN + 1), "--metrics", tmp_path / "m.jsonl"], check=True, capture_output=True)
    lines = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    module.load(start.folder / "with.safetensors")
    assert [line["step"] for line in lines] == [TAKEN + 1] and lines[0]["loss"] == module.step(inputs(SOURCE[0]))["loss"]


@pytest.mark.parametrize("assign", ["recipe=fp32", "recipe=fp32 moments=dynamic8"])
def test_some_states_are_not_enough(assign, trained, tmp_path):
    start, module = trained("adamw", f"--assign={assign}")
    stored = load_file(start.folder / "with.safetensors")
    lacking = [name for name in sorted(start.states) if "layers.1" in name][:2]
    for name in lacking:
        del stored[name]
    save_file(stored, tmp_path / "w.safetensors")
    with pytest.raises(RuntimeFailure) as failure:
        module.load(tmp_path / "w.safetensors")
    assert [line.split("'")[1] for line in str(failure.value).splitlines()] == lacking
    assert "must be there as the states of other parameters are, but is missing" in str(failure.value)
