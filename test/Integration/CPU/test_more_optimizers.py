# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers whose update is a formula of the graph, and Muon, compiled: each against PyTorch's over steps in FP32, in
other recipes, with moments in 8 bits, in micro-batches, from a checkpoint, and for a GPU."""
import subprocess

import numpy as np
import pytest
import torch
from crossed_options import BATCHES, Model
from optimizers import EXACT, FORMULAS, MUONS, Several, Wide
from poisoned import GOOD, NAN, poison

import prec

STEPS, MAX_NORM = 20, 0.5
CASES = {**FORMULAS, **MUONS}
# A state that is a scalar, one that starts elsewhere, one with all options, products; all others take a while.
FEW = ("adam, L2", "nadam", "asgd", "rmsprop, both", "muon")
EACH = [pytest.param(kind, marks=[] if kind in FEW else pytest.mark.long) for kind in CASES]


def batches():
    """Token ids and labels, with changes from step to step."""
    for step in range(STEPS):
        ids = BATCHES[step % 2]
        yield {"ids": ids, "labels": ids.roll(-1 - step % 3, 1)}


class Compiled:
    """Graphs and weights of each optimizer, made once."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.graphs = tool, folder, {}

    def graph(self, kind):
        if kind not in self.graphs:
            model, path = self.model(), self.folder / kind.replace(", ", "-")
            imported = prec.import_torch(model, CASES[kind](model.parameters()), next(batches()), clip_grad_norm=MAX_NORM, verify=False)
            imported.write(path.with_suffix(".mlir"))
            imported.write_weights(path.with_suffix(".safetensors"))
            self.graphs[kind] = path
        return self.graphs[kind]

    @staticmethod
    def model():
        torch.manual_seed(0)
        # Without the bias of keys, whose gradient is nothing but rounding.
        return Model("llama", 0.0)

    def run(self, kind, *options, change=str):
        """`change`: of the graph's text."""
        graph = self.folder / "graph.mlir"
        graph.write_text(change(self.graph(kind).with_suffix(".mlir").read_text()))
        return subprocess.run([self.tool("prec-compile"), graph, *options, f"--kernel-cache={self.folder / 'kernels'}", "-o",
                               self.folder / "step.so"], capture_output=True, text=True)

    def open(self, kind, *options, change=str):
        done = self.run(kind, *options, change=change)
        assert done.returncode == 0, done.stderr
        module = prec.Module(self.folder / "step.so")
        module.load(self.graph(kind).with_suffix(".safetensors"))
        return module


@pytest.fixture(scope="module")
def compiled(tool, tmp_path_factory):
    return Compiled(tool, tmp_path_factory.mktemp("optimizers"))


def everything(module):
    return {b.name: module.get(b) for b in module.bindings if b.role in ("parameter", "optimizer_state")}


def train_in_pytorch(kind):
    """Losses and weights, with Muon's products as numbers."""
    model = Compiled.model()
    optimizer, losses = Several(CASES[kind](model.parameters())), []
    for batch in batches():
        optimizer.zero_grad()
        loss = model(**batch)
        losses.append(loss.item())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
        with Wide():
            optimizer.step()
    return losses, {name: p.detach().numpy() for name, p in model.named_parameters()}


@pytest.mark.parametrize("kind", CASES)
def test_twenty_steps_are_pytorchs(kind, compiled):
    module = compiled.open(kind, "--recipe=fp32")
    losses = [module.step(batch)["loss"] for batch in batches()]
    expected, weights = train_in_pytorch(kind)
    np.testing.assert_allclose(losses, expected, rtol=2e-5)
    for name, value in module.weights().items():
        off = np.linalg.norm(value - weights[name]) / np.linalg.norm(weights[name])
        assert off <= 1e-4, name


@pytest.mark.parametrize("options", [["--recipe=bf16"], ["--recipe=fp8-hybrid"], ["--recipe=fp8-hybrid", "--assign=moments=dynamic8"],
                                     ["--recipe=bf16", "--assign=master-dtype=bf16 master-rounding=precision_aware"]], ids=" ".join)
@pytest.mark.parametrize("kind", EACH)
def test_recipes_learn_the_same(kind, options, compiled):
    if "moments" in options[-1] and kind.split(",")[0] in EXACT:
        done = compiled.run(kind, *options)
        assert done.returncode != 0 and "a state in 8 bits must be a running mean, but state 0 is none" in done.stderr
        return
    module = compiled.open(kind, *options)
    losses = [module.step(batch)["loss"] for batch in batches()]
    expected, _ = train_in_pytorch(kind)
    # It learns, and by as much.
    gain, wanted = losses[0] - np.mean(losses[-4:]), expected[0] - np.mean(expected[-4:])
    assert np.isfinite(losses).all() and abs(gain - wanted) <= 0.1 * abs(wanted) + 0.02, (losses, expected)


@pytest.mark.parametrize("kind", EACH)
def test_a_micro_batch_is_a_step_and_a_checkpoint_goes_on(kind, compiled, tmp_path):
    """Both bit for bit: a mean of one micro-batch is its value, and a checkpoint holds every state."""
    whole, split = compiled.open(kind, "--recipe=bf16"), compiled.open(kind, "--recipe=bf16", "--accumulate")
    data = list(batches())
    for batch in data[:3]:
        whole.step(batch)
        split.accumulate(batch)
        split.apply()
    assert {b.name for b in whole.bindings if b.role == "optimizer_state"}
    for name, value in everything(whole).items():
        np.testing.assert_array_equal(everything(split)[name], value, err_msg=name)
    whole.save_checkpoint(tmp_path / "checkpoint")
    other = compiled.open(kind, "--recipe=bf16")
    other.load(tmp_path / "checkpoint")
    for batch in data[3:6]:
        assert whole.step(batch)["loss"] == other.step(batch)["loss"]
    for name, value in everything(whole).items():
        np.testing.assert_array_equal(everything(other)[name], value, err_msg=name)


@pytest.mark.parametrize("kind", EACH)
def test_a_step_that_is_not_finite_changes_nothing(kind, compiled):
    """The steps behind it are those without it: what depends on their number counts the updates."""
    with_one, without = (compiled.open(kind, "--recipe=fp32", change=poison) for _ in range(2))
    data = [batch | {"poison": GOOD} for batch in batches()]
    for module in (with_one, without):
        module.step(data[0])
    before = everything(with_one)
    assert not with_one.step(data[1] | {"poison": NAN})["finite"]
    for name, value in everything(with_one).items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)
    for batch in data[1:4]:
        assert with_one.step(batch)["loss"] == without.step(batch)["loss"]


@pytest.mark.parametrize("kind", EACH)
@pytest.mark.long
def test_compiles_for_a_gpu(kind, compiled):
    done = compiled.run(kind, "--recipe=fp8-hybrid", "--target=sm_90a", "--accumulate")
    # Where there is no ptxas, that is said.
    warnings = [line for line in done.stderr.splitlines() if "warning" in line and "no ptxas was found" not in line]
    assert done.returncode == 0 and not warnings, done.stderr
