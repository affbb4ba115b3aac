# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of several micro-batches: PyTorch's, a step's own bits if there is one, nothing if one of them is bad."""
import json
import subprocess

import numpy as np
import pytest
import torch
from first_step import MAX_NORM, OPTIONS, import_step, inputs, moments
from poisoned import COUNTERS, GOOD, INFINITE, NAN, Poisoned, state
from test_against_pytorch import batches, llama

import prec
from prec.module import RuntimeFailure

BATCHES = [batch for _, batch in zip(range(12), batches())]
DELAYED = ["--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed amax-history=4"]
RECIPES = {"fp32": ["--recipe=fp32"], "bf16": ["--recipe=bf16"], "fp16": ["--recipe=fp16"], "fp8-hybrid": ["--recipe=fp8-hybrid"],
           "fp8-block": ["--recipe=fp8-block"], "delayed": DELAYED, "nvfp4": ["--recipe=nvfp4"],
           "bf16-masters": ["--recipe=bf16", "--assign=master-dtype=bf16 master-rounding=stochastic"],
           "unguarded": ["--recipe=fp32", "--guard-updates=false"]}


@pytest.fixture(scope="module")
def model(tool, tmp_path_factory):
    """A Llama whose gradients can be spoiled; modules of it have both ways to take a step."""
    built = Poisoned(tool("prec-compile"), tmp_path_factory.mktemp("llama"), llama)
    built.accumulating = lambda recipe: built.open(recipe, *RECIPES[recipe], "--accumulate")
    return built


def spoiled(batch, poison=GOOD):
    return {**inputs(batch), "poison": poison}


def accumulate(module, batches, poisons=None, **hyper):
    losses = [module.accumulate(spoiled(batch, poison))["loss"]
              for batch, poison in zip(batches, poisons or [GOOD] * len(batches))]
    return losses, module.apply(**hyper)


@pytest.mark.parametrize("recipe", RECIPES)
def test_one_micro_batch_is_a_step(recipe, model):
    parts, whole = model.accumulating(recipe), model.accumulating(recipe)
    for batch in BATCHES[:3]:
        losses, ours = accumulate(parts, [batch])
        theirs = whole.step(spoiled(batch))
        assert ours == theirs and losses == [theirs["loss"]]
        assert state(parts) == state(whole)


def open_at(step, checkpoint, folder, model):
    """A module that goes on from a checkpoint as one of so many steps."""
    folder.mkdir()
    for path in checkpoint.iterdir():
        data = path.read_bytes()
        if path.suffix == ".safetensors":
            size = int.from_bytes(data[:8], "little")
            header = json.loads(data[8:8 + size])
            header["__metadata__"]["step"] = str(step)
            text = json.dumps(header).encode()
            text += b" " * (-len(text) % 8)
            data = len(text).to_bytes(8, "little") + text + data[8 + size:]
        (folder / path.name).write_bytes(data)
    module = model.accumulating("nvfp4")
    module.load(folder)
    return module


def test_micro_batches_round_at_random_by_bits_of_their_own(model, tmp_path):
    """Micro-batch i of step n draws what step n + 2^20 i does; of equal batches shared bits would give equal
    gradients."""
    hyper = {"lr": 0.0, "beta1": 0.0, "max_norm": 1e30}
    start = model.accumulating("nvfp4")
    start.step(spoiled(BATCHES[0]), **hyper)
    start.save_checkpoint(tmp_path / "start")

    def gradients(module):
        module.step(spoiled(BATCHES[1]), **hyper)
        return moments(module, "exp_avg")

    alone = [gradients(open_at(1 + (i << 20), tmp_path / "start", tmp_path / f"{i}", model)) for i in range(3)]
    together = [open_at(1, tmp_path / "start", tmp_path / name, model) for name in ("once", "again")]
    for module in together:
        accumulate(module, [BATCHES[1]] * 3, **hyper)
    for name, mean in moments(together[0], "exp_avg").items():
        np.testing.assert_array_equal(mean, (alone[0][name] + alone[1][name] + alone[2][name]) / np.float32(3), err_msg=name)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert any((alone[i][name] != alone[j][name]).any() for name in alone[0])
    assert state(together[0]) == state(together[1])


@pytest.mark.parametrize("recipe", ["fp32", "bf16", "fp8-hybrid"])
@pytest.mark.parametrize("count", [2, 3])
def test_gradients_are_the_mean_of_those_of_steps(recipe, count, model):
    """The gradient of a micro-batch by a step of its own (first_step.read_gradients says how), then NumPy's sum and
    quotient in FP32."""
    def gradients(run):
        module = model.accumulating(recipe)
        run(module)
        return moments(module, "exp_avg")

    unclipped = {"beta1": 0.0, "max_norm": 1e30}
    alone = [gradients(lambda module, batch=batch: module.step(spoiled(batch), **unclipped)) for batch in BATCHES[:count]]
    together = gradients(lambda module: accumulate(module, BATCHES[:count], **unclipped))
    for name, mean in together.items():
        total = alone[0][name]
        for gradients_ in alone[1:]:
            total = total + gradients_[name]
        # A gradient of zero has either sign, and so has a moment that begins with zero.
        np.testing.assert_array_equal(mean, total / np.float32(count), err_msg=name)


@pytest.mark.parametrize("count", [2, 3])
def test_losses_follow_pytorch(count, tool, tmp_path):
    torch_model, imported = import_step(llama)
    imported.write(tmp_path / "graph.mlir")
    imported.write_weights(tmp_path / "weights.safetensors")
    subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", "--recipe=fp32", "--accumulate", "-o", tmp_path / "step.so"], check=True)
    module = prec.Module(tmp_path / "step.so")
    module.load(tmp_path / "weights.safetensors")
    optimizer = torch.optim.AdamW(torch_model.parameters(), **OPTIONS)
    for step in range(4):
        chosen = [BATCHES[(step * count + i) % len(BATCHES)] for i in range(count)]
        total = 0.0
        for batch in chosen:
            tokens = torch.from_numpy(batch)
            loss = torch_model(input_ids=tokens, labels=tokens).loss / count
            loss.backward()
            total += loss.item()
            ours = module.accumulate(inputs(batch))
            assert ours["loss"] == pytest.approx(loss.item() * count, rel=2e-5) and ours["step"] == step
        norm = torch.nn.utils.clip_grad_norm_(torch_model.parameters(), MAX_NORM)
        optimizer.step()
        optimizer.zero_grad()
        result = module.apply()
        assert result["step"] == step + 1 and result["finite"] and result["skipped"] is None
        assert result["loss"] == pytest.approx(total, rel=2e-5)
        if step == 0:
            assert result["grad_norm"] == pytest.approx(norm.item(), rel=1e-5)


@pytest.mark.parametrize("poison", [NAN, INFINITE], ids=["nan", "inf"])
@pytest.mark.parametrize("recipe", ["fp32", "fp16", "delayed"])
def test_a_bad_micro_batch_spoils_the_step_alone(recipe, poison, model):
    module, other = model.accumulating(recipe), model.accumulating(recipe)
    for each in (module, other):
        accumulate(each, BATCHES[:2])
    before = state(module, COUNTERS)
    for place in range(3):
        poisons = [poison if i == place else GOOD for i in range(3)]
        _, result = accumulate(module, BATCHES[2:5], poisons)
        assert result["skipped"].startswith("gradient of model.norm.weight") and not result["finite"]
        assert state(module, COUNTERS) == before
    assert float(module.get("skipped_steps")) == 3
    if recipe == "fp16":
        assert float(module.get("loss_scale")) == 65536 / 8
        return
    assert accumulate(module, BATCHES[5:8])[1]["loss"] == accumulate(other, BATCHES[5:8])[1]["loss"]
    assert state(module, COUNTERS) == state(other, COUNTERS)


def test_histories_move_once_a_step(model):
    """By the largest amax of the micro-batches; with a learning rate of zero weights have the same in every run."""
    def histories(run):
        module = model.accumulating("delayed")
        module.step(spoiled(BATCHES[0]), lr=0.0)
        run(module)
        return {b.name: module.get(b) for b in module.bindings if b.name.startswith("amax_history.")}

    alone = [histories(lambda module, batch=batch: module.step(spoiled(batch))) for batch in BATCHES[1:4]]
    together = histories(lambda module: accumulate(module, BATCHES[1:4]))
    assert together
    for name, history in together.items():
        newest = np.max([each[name][:, 0] for each in alone], axis=0)
        assert any((each[name][:, 0] != newest).any() for each in alone)
        np.testing.assert_array_equal(history[:, 0], newest)
        np.testing.assert_array_equal(history[:, 1:], alone[0][name][:, 1:])


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid", "delayed"])
def test_weights_are_quantized_once_a_step(recipe, model):
    """No micro-batch reads a master that has copies, nor writes anything that a step keeps; no update computes a
    product."""
    manifest = model.accumulating(recipe).manifest
    buffers, commands = manifest["buffers"], manifest["entry_points"]
    copied = {b["parameter"] for b in manifest["bindings"] if b["role"] == "work_weight"}
    masters = {b["buffer"] for b in manifest["bindings"] if b["role"] == "parameter" and b["name"] in copied}
    bound = {(buffers[b["buffer"]]["segment"], buffers[b["buffer"]]["offset"]) for b in manifest["bindings"] if b["role"] != "loss"}
    assert len(masters) > 10
    for command in commands["accumulate"]:
        assert not masters & {*command["reads"], *command["writes"]}, command["name"]
        assert not bound & {(buffers[i]["segment"], buffers[i]["offset"]) for i in command["writes"]
                            if buffers[i]["segment"] != "workspace"}, command["name"]
    products = {name: sum(command["op"] == "gemm" for command in commands[name]) for name in ("step", "accumulate", "apply")}
    assert products["step"] == products["accumulate"] > 10 and products["apply"] == 0
    assert masters <= {i for command in commands["apply"] for i in command["writes"]}
    sums = {i for command in commands["accumulate"] for i in command["writes"] if buffers[i]["segment"] == "state"}
    assert {buffers[i]["dtype"] for i in sums} == {"f32"}


def test_step_and_eval_are_as_without(model):
    plain, both = (prec.Module(model.compile(name, *RECIPES["bf16"], *more)).manifest["entry_points"]
                   for name, more in (("plain", []), ("bf16", ["--accumulate"])))
    assert set(both) - set(plain) == {"accumulate", "apply"}
    for entry in ("step", "eval"):
        assert [(c["name"], c["id"], c["op"]) for c in plain[entry]] == [(c["name"], c["id"], c["op"]) for c in both[entry]]


def test_a_run_resumes_between_steps(model, tmp_path):
    module, resumed = model.accumulating("delayed"), model.accumulating("delayed")
    accumulate(module, BATCHES[:2])
    module.save_checkpoint(tmp_path / "saved")
    resumed.accumulate(spoiled(BATCHES[7]))  # Loading begins anew.
    resumed.load(tmp_path / "saved")
    for start in (2, 5):
        assert accumulate(module, BATCHES[start:start + 3]) == accumulate(resumed, BATCHES[start:start + 3])
    assert state(module) == state(resumed)


def test_order(model, tmp_path):
    module = model.accumulating("fp32")
    module.eval(spoiled(BATCHES[0]))
    with pytest.raises(RuntimeFailure, match="a step must have a micro-batch before it is applied, but got none"):
        module.apply()
    module.accumulate(spoiled(BATCHES[0]))
    module.accumulate()
    for what, run in (("a whole step", module.step), ("a checkpoint", lambda: module.save_checkpoint(tmp_path / "saved"))):
        with pytest.raises(RuntimeFailure, match=f"{what} must come between steps, but got 2 micro-batches that are not applied"):
            run()
    assert not (tmp_path / "saved").exists()
    loss = module.eval(spoiled(BATCHES[1]))["loss"]
    other = model.accumulating("fp32")
    assert other.eval(spoiled(BATCHES[1]))["loss"] == loss
    accumulate(other, [BATCHES[0]])
    module.apply()
    assert state(module) == state(other)  # Twice the same: the mean of both is one of them.
    module.accumulate(spoiled(BATCHES[2]))
    module.set("model.norm.weight", other.get("model.norm.weight"))
    with pytest.raises(RuntimeFailure, match="but got none"):
        module.apply()
    assert accumulate(module, [BATCHES[1]]) == accumulate(other, [BATCHES[1]]) and state(module) == state(other)


def test_other_modules_refuse(model):
    module = model.open("plain", *RECIPES["bf16"])
    with pytest.raises(RuntimeFailure, match="module must have the entry point 'accumulate', but has not"):
        module.accumulate(spoiled(BATCHES[0]))


def test_a_run_from_the_command_line(tool, tmp_path):
    _, imported = import_step(llama)
    imported.write(tmp_path / "graph.mlir")
    imported.write_weights(tmp_path / "weights.safetensors")
    for name, more in (("both", ["--accumulate"]), ("plain", [])):
        subprocess.run([tool("prec-compile"), "graph.mlir", "--recipe=bf16", *more, "-o", f"{name}.so"], cwd=tmp_path, check=True)
    tokens = np.concatenate([batch.reshape(-1) for batch in BATCHES])
    tokens.astype("<u2").tofile(tmp_path / "train.bin")
    command = [tool("prec-run"), "--weights", "weights.safetensors", "--tokens", "train.bin", "--micro-batches", "3"]
    subprocess.run([*command, "both.so", "--steps", "2", "--metrics", "run.jsonl", "--save", "saved"], cwd=tmp_path, check=True)
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    module = prec.Module(tmp_path / "both.so")
    module.load(tmp_path / "weights.safetensors")
    size = BATCHES[0].size
    for step, line in enumerate(lines):
        for start in range(3 * step * size, 3 * (step + 1) * size, size):
            module.accumulate({"input_ids": tokens[start:start + size].reshape(BATCHES[0].shape).astype(np.int32),
                               "labels": tokens[start:start + size].reshape(BATCHES[0].shape).astype(np.int32)})
        assert line["loss"] == pytest.approx(module.apply()["loss"], abs=0) and line["tokens"] == 3 * (step + 1) * size
    assert len(lines) == 2
    resumed = prec.Module(tmp_path / "both.so")
    assert resumed.load(tmp_path / "saved") == 6 * size and state(resumed) == state(module)
    refused = subprocess.run([*command, "plain.so", "--steps", "2"], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "--micro-batches must be 1 for a module compiled without --accumulate, but got 3" in refused.stderr
