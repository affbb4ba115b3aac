# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LoRA on a frozen base, as PEFT builds it: Surogate's four configurations, PyTorch's losses, PEFT's files."""
import json
import subprocess

import numpy as np
import peft
import pytest
import torch
from first_step import MAX_NORM, OPTIONS, inputs
from safetensors.torch import load_file, save_file
from test_against_pytorch import BATCH, SEQUENCE, batches, llama

import prec
from prec import lora

BATCHES = [batch for _, batch in zip(range(6), batches())]
TARGETS = ["q_proj", "v_proj", "down_proj"]
# lora_dtype, model_dtype: the masters of adapters, and their work weights where there are any.
CONFIGURATIONS = {"fp32-bf16": ("fp32", "bf16", "float32", "bfloat16"), "bf16-bf16": ("bf16", "bf16", "bfloat16", None),
                  "fp32-fp32": ("fp32", "fp32", "float32", None), "bf16-fp32": ("bf16", "fp32", "bfloat16", None)}


def adapted():
    """Adapters that are not zero: PEFT begins lora_B with zeros, of which no gradient reaches lora_A."""
    torch.manual_seed(0)
    model = peft.get_peft_model(llama(), peft.LoraConfig(r=8, lora_alpha=16, target_modules=TARGETS, task_type="CAUSAL_LM"))
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.02)
    return model


@pytest.fixture(scope="module")
def folder(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lora")
    model = adapted()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], **OPTIONS)
    ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
    imported = prec.import_torch(model, optimizer, {"input_ids": ids, "labels": ids}, clip_grad_norm=MAX_NORM, verify=False)
    imported.write(folder / "graph.mlir")
    imported.write_weights(folder / "weights.safetensors")
    lora.write_config(model, folder / "config")
    return folder


@pytest.fixture(scope="module")
def open_module(tool, folder):
    def open_(name, *options):
        path = folder / f"{name}.so"
        if not path.exists():
            subprocess.run([tool("prec-compile"), folder / "graph.mlir", *options, "-o", path], check=True)
        module = prec.Module(path)
        module.load(folder / "weights.safetensors")
        return module
    return open_


def configured(open_module, configuration):
    lora_dtype, model_dtype = CONFIGURATIONS[configuration][:2]
    return open_module(configuration, "--recipe=bf16", f"--assign=model-dtype={model_dtype} lora-dtype={lora_dtype}")


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_what_is_stored(configuration, open_module):
    """The base only as it is read; masters, moments and gradients of adapters alone."""
    _, model_dtype, master, copy = CONFIGURATIONS[configuration]
    module = configured(open_module, configuration)
    roles = {role: [b for b in module.bindings if b.role == role]
             for role in ("parameter", "frozen_parameter", "work_weight", "optimizer_state")}
    assert len(roles["parameter"]) == 2 * 2 * len(TARGETS) and all("lora_" in b.name for b in roles["parameter"])
    assert {b.dtype for b in roles["parameter"]} == {master}
    assert len(roles["frozen_parameter"]) == 20 and not any("lora_" in b.name for b in roles["frozen_parameter"])
    assert {b.dtype for b in roles["frozen_parameter"]} == {{"fp32": "float32", "bf16": "bfloat16"}[model_dtype]}
    assert {b.dtype for b in roles["work_weight"]} == ({copy} if copy else set())
    adapters = {b.name for b in roles["parameter"]}
    assert {b.parameter for b in roles["work_weight"]} == (adapters if copy else set())
    assert {b.parameter for b in roles["optimizer_state"]} == adapters and {b.dtype for b in roles["optimizer_state"]} == {"float32"}


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
def test_micro_batches(recipe, open_module):
    """Gradients of adapters alone are summed: one micro-batch is a step bit for bit, and two are neither of them."""
    parts, whole, both = (open_module(f"{recipe}-accumulate", f"--recipe={recipe}", "--accumulate") for _ in range(3))
    summed = {b.parameter for b in parts.bindings if b.slot == "exp_avg"}
    assert summed and all("lora_" in name for name in summed)
    for batch in BATCHES[:3]:
        parts.accumulate(inputs(batch))
        assert parts.apply() == whole.step(inputs(batch))
    for batch in BATCHES[:2]:
        both.accumulate(inputs(batch))
    both.apply()
    weights = [module.weights() for module in (parts, whole, both)]
    assert all(np.array_equal(weights[0][name], value) for name, value in weights[1].items())
    changed = {name for name, value in weights[2].items() if not np.array_equal(value, weights[1][name])}
    assert changed and all("lora_" in name for name in changed)


def reference_losses(steps):
    """Losses of PyTorch in FP32 before each step."""
    model = adapted()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], **OPTIONS)
    losses = []
    for batch in BATCHES[:steps]:
        tokens = torch.from_numpy(batch)
        loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], MAX_NORM)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def test_losses_follow_pytorch(open_module):
    module = configured(open_module, "fp32-fp32")
    frozen = {b.name: module.get(b) for b in module.bindings if b.role == "frozen_parameter"}
    for batch, expected in zip(BATCHES, reference_losses(len(BATCHES))):
        result = module.step(inputs(batch))
        assert result["loss"] == pytest.approx(expected, rel=2e-5) and result["skipped"] is None
    for name, weight in frozen.items():
        np.testing.assert_array_equal(module.get(name), weight)


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_adapters_are_peft_s(configuration, open_module, folder, tmp_path):
    """What is saved after training, PEFT reads: the same tensors, the same loss; and a module goes on from what PEFT
    saves."""
    module = configured(open_module, configuration)
    for batch in BATCHES[:3]:
        module.step(inputs(batch))
    lora.save(module, tmp_path / "adapter", folder / "config")
    torch.manual_seed(0)
    base = llama()
    start = load_file(folder / "weights.safetensors")
    base.load_state_dict({name.removeprefix("base_model.model.").replace(".base_layer", ""): tensor
                          for name, tensor in start.items() if "lora_" not in name}, strict=False)
    model = peft.PeftModel.from_pretrained(base, tmp_path / "adapter")
    trained = {b.name: module.get(b, "float32") for b in module.bindings if b.role == "parameter"}
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            np.testing.assert_array_equal(parameter.detach().float().numpy(), trained[name])
            assert not torch.equal(parameter.detach().float(), start[name])
    tokens = torch.from_numpy(BATCHES[4])
    expected = model(input_ids=tokens, labels=tokens).loss.item()
    ours = module.eval(inputs(BATCHES[4]))["loss"]
    # Of a base in BF16 each value is off by 2^-9 at most, and so is each activation.
    assert ours == pytest.approx(expected, rel=2e-5 if configuration.endswith("fp32") else 2**-8)

    model.save_pretrained(tmp_path / "again")
    other = configured(open_module, configuration)
    before = other.eval(inputs(BATCHES[4]))["loss"]
    lora.load(other, tmp_path / "again")
    assert other.eval(inputs(BATCHES[4]))["loss"] == ours != before


def test_what_is_no_adapter_is_refused(open_module, folder, tmp_path):
    module = configured(open_module, "fp32-bf16")
    lora.save(module, tmp_path / "adapter", folder / "config")
    with pytest.raises(prec.ImportFailure, match="every trained parameter must be of the adapter 'other' but got .*lora_A.default"):
        lora.save(module, tmp_path / "other", folder / "config", adapter="other")
    with pytest.raises(prec.ImportFailure, match="the model must have the adapter 'default' but has none"):
        lora.write_config(llama(), tmp_path / "none")
    config = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps({**config, "peft_type": "IA3"}))
    with pytest.raises(prec.ImportFailure, match="an adapter must be LoRA but .* has IA3"):
        lora.load(module, tmp_path / "adapter")


def test_files_that_do_not_fit_change_nothing(open_module, folder, tmp_path):
    module = configured(open_module, "fp32-bf16")
    before = module.weights()
    lora.save(module, tmp_path, folder / "config")
    tensors = load_file(tmp_path / "adapter_model.safetensors")
    missing, wrong = list(tensors)[:2]
    save_file({**{name: tensor for name, tensor in tensors.items() if name != missing}, wrong: torch.zeros(3, 5), "more": torch.zeros(1)},
              tmp_path / "adapter_model.safetensors")
    with pytest.raises(prec.ImportFailure) as refused:
        lora.load(module, tmp_path)
    shape = list(tensors[wrong].shape)
    assert sorted(line.split("tensor ")[1] for line in str(refused.value).splitlines()) == sorted([
        f"{missing}: must be in the file but is missing", "more: must be in the module but is not",
        f"{wrong}: must have shape {shape} but got [3, 5]"])
    for name, weight in module.weights().items():
        np.testing.assert_array_equal(weight, before[name])


def test_other_adapters_are_refused(tmp_path):
    model = peft.get_peft_model(llama(), peft.LoraConfig(r=8, target_modules=TARGETS, bias="all"))
    with pytest.raises(prec.ImportFailure, match="an adapter must be LoRA with bias='none' and no modules_to_save but got .*bias='all'"):
        lora.write_config(model, tmp_path)


def test_base_and_adapters_are_merged_apart(open_module):
    """Query, key and value, gate and up of the base, forward and for their input; the first factors of query's and
    value's adapters, whose weights have gradients, too."""
    merged, apart = (sum(c["op"] == "gemm" for c in open_module(f"bf16-{merge}", "--recipe=bf16", f"--merge-contractions={merge}")
                         .manifest["entry_points"]["step"]) for merge in ("on", "off"))
    # The first layer's input has no gradient: nothing below it is trained.
    assert apart - merged == 2 * 3 + 3 + 2 * 2 + 1 + 1
