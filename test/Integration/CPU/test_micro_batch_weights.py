# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Micro-batches with different numbers of labels that count: a step of several is the step of one batch of all.
transformers'
num_items_in_batch and PyTorch's step of the whole batch are the oracle."""
import json
import subprocess

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from first_step import MAX_NORM, adamw, import_step, moments
from test_against_pytorch import BATCH, SEQUENCE, batches, llama

import prec

IGNORED = -100
UNCLIPPED = {"beta1": 0.0, "max_norm": 1e30}
RECIPES = {
    "fp32": [],
    "bf16": [],
    "fp16": ["--assign=loss-scaling=1024"],
    "fp8-hybrid": [],
    "delayed": ["--assign=tensor-scaling=delayed amax-history=4"],
    "bf16-masters": ["--assign=master-dtype=bf16"],
    "coded": ["--assign=moments=dynamic8"],
}
NAMES = {"delayed": "fp8-hybrid", "bf16-masters": "bf16", "coded": "bf16"}


def ignoring(batch, counts):
    """Labels of which so many count in each row, behind the first, which predicts nothing."""
    labels = batch.astype(np.int32)
    for row, count in zip(labels, counts):
        row[1 + count:] = IGNORED
    return {"input_ids": batch.astype(np.int32), "labels": labels}


SOURCE = [batch for _, batch in zip(range(6), batches())]
# Of very different sizes; the third has no label at all.
PARTS = [ignoring(batch, [count] + [0] * (BATCH - 2) + [count // 2]) for batch, count in zip(SOURCE, (3, SEQUENCE - 1, 0, 9))]
EMPTY = PARTS[2]


@pytest.fixture(scope="module")
def compiled(tool, tmp_path_factory):
    folder, paths = tmp_path_factory.mktemp("weights"), {}
    _, imported = import_step(llama)
    imported.write(folder / "graph.mlir")
    imported.write_weights(folder / "weights.safetensors")

    def open_(recipe, *options):
        key = recipe, *options
        if key not in paths:
            paths[key] = folder / f"{len(paths)}.so"
            subprocess.run([tool("prec-compile"), folder / "graph.mlir", f"--recipe={NAMES.get(recipe, recipe)}", *RECIPES[recipe],
                            "--accumulate", *options, "-o", paths[key]], check=True)
        module = prec.Module(paths[key])
        module.load(folder / "weights.safetensors")
        return module
    return open_


def accumulate(module, parts, **hyper):
    losses = [module.accumulate(part)["loss"] for part in parts]
    return losses, module.apply(**hyper)


def state(module):
    return {b.name: module.get(b).tobytes() for b in module.bindings if b.role in ("parameter", "optimizer_state", "scale_state", "work_weight")}


def pytorch_step(model, optimizer, parts):
    """As transformers.Trainer takes it; the loss and the norm before clipping."""
    parts = [{name: torch.from_numpy(value).long() for name, value in part.items()} for part in parts]
    count = sum((part["labels"][:, 1:] != IGNORED).sum() for part in parts)
    total = 0.0
    for part in parts:
        loss = model(**part, num_items_in_batch=count).loss
        loss.backward()
        total += loss.item()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM).item()
    optimizer.step()
    optimizer.zero_grad()
    return total, norm


def test_steps_are_those_of_transformers(compiled):
    model, _ = import_step(llama)
    optimizer = adamw(model.parameters())
    module = compiled("fp32")
    assert module.manifest["micro_batch_weights"] == "labels"
    for parts in (PARTS[:2], PARTS, PARTS[::-1], [PARTS[0], EMPTY], [EMPTY, PARTS[1]], PARTS[1:2]):
        loss, norm = pytorch_step(model, optimizer, parts)
        _, result = accumulate(module, parts)
        assert result["loss"] == pytest.approx(loss, rel=2e-5) and result["grad_norm"] == pytest.approx(norm, rel=1e-4)


def test_a_step_is_that_of_one_batch_of_all(compiled):
    """The module's own step of a batch whose rows are the micro-batches' counted ones."""
    rows = [ignoring(SOURCE[0], [count] * BATCH) for count in range(1, BATCH + 1)]
    whole = {name: np.stack([row[name][i] for i, row in enumerate(rows)]) for name in rows[0]}
    parts = []
    for i in range(BATCH):
        labels = np.full_like(whole["labels"], IGNORED)
        labels[i] = whole["labels"][i]
        parts.append({"input_ids": whole["input_ids"], "labels": labels})
    together, alone = compiled("fp32"), compiled("fp32")
    _, ours = accumulate(together, parts, **UNCLIPPED)
    theirs = alone.step(whole, **UNCLIPPED)
    assert ours["loss"] == pytest.approx(theirs["loss"], rel=1e-6) and ours["grad_norm"] == pytest.approx(theirs["grad_norm"], rel=1e-5)
    for (name, mean), gradient in zip(moments(together, "exp_avg").items(), moments(alone, "exp_avg").values()):
        np.testing.assert_allclose(mean, gradient, rtol=1e-4, atol=1e-6, err_msg=name)


def counted(part):
    return np.float32((part["labels"][:, 1:] != IGNORED).sum())


@pytest.mark.parametrize("recipe", [r for r in RECIPES if r not in ("coded", "fp16")])
def test_gradients_are_weighted_means(recipe, compiled):
    """The gradient of each micro-batch by a step of its own, then NumPy's products, sum and quotient in FP32, to the
    bit."""
    def gradients(run):
        module = compiled(recipe)
        run(module)
        return moments(module, "exp_avg")

    used = [PARTS[i] for i in (0, 1, 3)]
    alone = [gradients(lambda module, part=part: module.step(part, **UNCLIPPED)) for part in used]
    together = gradients(lambda module: accumulate(module, PARTS, **UNCLIPPED))
    weights = [counted(part) / counted(used[0]) for part in used]
    for name, mean in together.items():
        total, divisor = alone[0][name].astype(np.float32), np.float32(1)
        for gradient, weight in zip(alone[1:], weights[1:]):
            total, divisor = total + weight * gradient[name].astype(np.float32), divisor + weight
        np.testing.assert_array_equal(mean, (total / divisor).astype(mean.dtype), err_msg=name)


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_has_no_labels_adds_nothing(recipe, compiled):
    """But to amax histories, which look at activations, too."""
    def kept(module):
        return {name: bits for name, bits in state(module).items() if recipe != "delayed" or not name.startswith(("amax", "scale"))}
    _, expected = accumulate(one := compiled(recipe), [PARTS[0], PARTS[1]])
    for parts in ([EMPTY, PARTS[0], PARTS[1]], [PARTS[0], EMPTY, PARTS[1]], [PARTS[0], PARTS[1], EMPTY]):
        losses, result = accumulate(other := compiled(recipe), parts)
        assert result["loss"] == expected["loss"] and result["finite"] and 0.0 in losses
        if recipe != "delayed":
            assert kept(other) == kept(one)


@pytest.mark.parametrize("recipe", ["fp32", "fp16", "coded"])
def test_a_step_without_labels_is_that_of_one_batch_without(recipe, compiled):
    ours, theirs = compiled(recipe), compiled(recipe)
    assert accumulate(ours, [EMPTY, EMPTY])[1] == theirs.step(EMPTY) and state(ours) == state(theirs)
    # And the next one begins anew.
    assert accumulate(ours, PARTS[:2])[1] == accumulate(theirs, PARTS[:2])[1] and state(ours) == state(theirs)


@pytest.mark.parametrize("recipe", RECIPES)
def test_one_micro_batch_has_the_bits_of_a_step(recipe, compiled):
    ours, theirs = compiled(recipe), compiled(recipe)
    for part in (PARTS[0], PARTS[1], PARTS[3]):
        assert accumulate(ours, [part])[1] == theirs.step(part) and state(ours) == state(theirs)


def test_equal_weights_are_a_mean_of_means(compiled):
    model, _ = import_step(llama)
    module = compiled("fp32", "--micro-batch-weights=equal")
    assert module.manifest["micro_batch_weights"] == "equal" and module.manifest["equal_micro_batches"] == "it was asked for"
    parts = [PARTS[i] for i in (0, 1, 3)]
    total = 0.0
    for part in parts:
        loss = model(**{name: torch.from_numpy(value).long() for name, value in part.items()}).loss / 3
        loss.backward()
        total += loss.item()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM).item()
    _, result = accumulate(module, parts)
    assert result["loss"] == pytest.approx(total, rel=2e-5) and result["grad_norm"] == pytest.approx(norm, rel=1e-4)


class Small(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.head, self.second, self.loss = torch.nn.Embedding(32, 8), torch.nn.Linear(8, 32), torch.nn.Linear(8, 32), loss

    def forward(self, ids, labels):
        return self.loss(self, self.embed(ids), labels)


def mean(logits, labels, ignore_index=IGNORED):
    return F.cross_entropy(logits.reshape(-1, 32), labels.reshape(-1), ignore_index=ignore_index)


def penalized(m, h, y):
    return 0.5 * mean(m.head(h), y) + 0.25 * mean(m.second(h), y) + 0.1 * m.head.weight.square().mean()


LOSSES = {
    "several heads": (lambda m, h, y: mean(m.head(h)[:, :-1], y[:, 1:]) + mean(m.second(h)[:, :-2], y[:, 2:]), "have different labels"),
    "another ignored label": (lambda m, h, y: mean(m.head(h), y) + mean(m.second(h), y, 3), "have different labels"),
    "a square error beside": (lambda m, h, y: mean(m.head(h), y) + m.second(h).square().mean(), "by more than cross entropies"),
    "an exponential": (lambda m, h, y: mean(m.head(h), y).exp(), "by more than cross entropies"),
    "no cross entropy": (lambda m, h, y: m.head(h).square().mean(), "by more than cross entropies"),
}


@pytest.fixture
def build(tool, tmp_path):
    def build_(loss):
        model = Small(loss)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        batch = {name: torch.zeros(2, 8, dtype=torch.int64) for name in ("ids", "labels")}
        imported = prec.import_torch(model, optimizer, batch, verify=False)
        imported.write(tmp_path / "graph.mlir")
        imported.write_weights(tmp_path / "w.safetensors")
        done = subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", "--recipe=fp32", "--accumulate", "-o", tmp_path / "step.so"],
                              check=True, capture_output=True, text=True)
        module = prec.Module(tmp_path / "step.so")
        module.load(tmp_path / "w.safetensors")
        return model, optimizer, module, done.stderr
    return build_


def small_parts(ignored=IGNORED):
    random = np.random.default_rng(0)
    ids = random.integers(0, 32, (3, 2, 8)).astype(np.int32)
    labels = ids.copy()
    for i, count in enumerate((3, 8, 5)):
        labels[i, :, count:] = ignored
    return [{"ids": x, "labels": y} for x, y in zip(ids, labels)]


def test_penalties_and_several_heads_of_one_label(build):
    """PyTorch's step of the whole batch."""
    model, optimizer, module, said = build(penalized)
    assert module.manifest["micro_batch_weights"] == "labels" and "weigh the same" not in said
    parts = small_parts()
    whole = {name: torch.from_numpy(np.concatenate([part[name] for part in parts])).long() for name in parts[0]}
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(**whole)
        loss.backward()
        optimizer.step()
        assert accumulate(module, parts)[1]["loss"] == pytest.approx(loss.item(), rel=1e-5)
    for name, parameter in model.named_parameters():
        np.testing.assert_allclose(module.get(name), parameter.detach().numpy(), rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("kind", LOSSES)
def test_losses_without_one_count_are_means_of_means(kind, build):
    loss, why = LOSSES[kind]
    model, _, module, said = build(loss)
    assert why in module.manifest["equal_micro_batches"] and module.manifest["micro_batch_weights"] == "equal"
    assert "micro-batches all weigh the same, however many labels they have: " + module.manifest["equal_micro_batches"] in said
    # -100 is no class of a loss that ignores 3.
    parts = small_parts(3 if kind == "another ignored label" else IGNORED)
    with torch.no_grad():
        expected = np.mean([model(**{name: torch.from_numpy(x).long() for name, x in part.items()}).item() for part in parts])
    assert accumulate(module, parts)[1]["loss"] == pytest.approx(expected, rel=1e-5)


def test_a_run_says_when_micro_batches_weigh_the_same(build, tool, tmp_path):
    _, _, module, _ = build(LOSSES["several heads"][0])
    np.random.default_rng(0).integers(0, 32, 1000).astype("<u2").tofile(tmp_path / "t.bin")
    done = subprocess.run([tool("prec-run"), "step.so", "--weights", "w.safetensors", "--tokens", "t.bin", "--steps", "1", "--micro-batches", "2",
                           "--metrics", "m.jsonl"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "micro-batches all weigh the same" in done.stdout + done.stderr
    assert json.loads((tmp_path / "m.jsonl").read_text().splitlines()[0])["loss"] > 0
