# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hundred FP32 steps of models with experts beside PyTorch's. Where each chooses experts by itself, losses agree to
2e-5 until the first step whose choices differ, and these may only differ where PyTorch's own margin, between the logits
of the last expert that is chosen and of the first that is not, is below 1e-5. Where PyTorch's choices are given to
both, all losses agree to 2e-5."""
import pytest
import torch
from families import FAMILIES, adamw
from followed_losses import arrays, shuffled

import prec

NAMES = ["mixtral", "qwen3_moe", "deepseek_v3", "olmoe", "gpt_oss"]
STEPS, BAR, MARGIN = 100, 2e-5, 1e-5


def routers(model):
    """By path, the modules that choose experts."""
    return {path: module for path, module in model.named_modules() if type(module).__name__.lower().endswith("router")}


def chosen(logits, count):
    """By token, which experts are chosen, and by how much. Scores are a rising function of logits."""
    values, order = torch.sort(logits, descending=True)
    return torch.zeros_like(logits, dtype=torch.bool).scatter_(1, order[:, :count], True), values[:, count - 1] - values[:, count]


def first_difference(ours, theirs, count):
    """Of the first layer that has one, the largest margin of a token whose experts differ; none without."""
    for path, logits in theirs.items():
        choice, margin = chosen(logits, count)
        other, _ = chosen(torch.tensor(ours[path]).reshape(logits.shape), count)
        differs = (choice != other).any(1)
        if differs.any():
            return path, float(margin[differs].max())
    return None


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_losses_follow_until_a_choice_is_a_tie(name, compile_module):
    model, batch = FAMILIES[name].build()
    paths = list(routers(model))
    imported = prec.import_torch(model, adamw(model), batch, clip_grad_norm=1.0, outputs=paths)
    path, weights = compile_module(imported, "fp32")
    module = prec.Module(path)
    module.load(weights)
    count, seen = model.config.num_experts_per_tok, {}
    for of, router in routers(model).items():
        router.register_forward_hook(lambda module, inputs, result, of=of: seen.__setitem__(of, result[0].detach().reshape(-1, result[0].shape[-1])))
    wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
    optimizer, followed = adamw(model), 0
    for step in range(STEPS):
        given = shuffled(batch, step)
        got = module.step(arrays(given, wanted))["loss"]
        loss = model(**given).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        difference = first_difference({of: module.get(of) for of in paths}, seen, count)
        if difference is not None:
            where, margin = difference
            assert margin < MARGIN, f"step {step}: {where} chooses otherwise, by a margin of {margin:.2g}"
            break
        assert got == pytest.approx(loss.item(), rel=BAR), f"step {step}"
        followed += 1
    assert followed >= 10


class Choices(torch.overrides.TorchFunctionMode):
    """Keeps which elements `topk` takes, in order; or takes `given` ones instead of the largest."""

    def __init__(self, given=None):
        super().__init__()
        self.given, self.kept = iter(given) if given is not None else None, []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func not in (torch.topk, torch.Tensor.topk):
            return func(*args, **kwargs or {})
        if self.given is None:
            found = func(*args, **kwargs or {})
            self.kept.append(found.indices)
            return found
        # What is an input could be any number.
        places = next(self.given).clamp(0, args[0].shape[-1] - 1)
        return torch.return_types.topk((args[0].gather(-1, places), places))


class Replayed(torch.nn.Module):
    """A model whose choices are inputs."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, **batch):
        given = [batch.pop(name) for name in sorted(batch) if name.startswith("choice")]
        with Choices(given):
            return self.model(**batch)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_losses_agree_where_choices_are_replayed(name, compile_module):
    model, batch = FAMILIES[name].build()

    def choose(given):
        with torch.no_grad(), Choices() as choices:
            model(**given)
        return {f"choice_{i:02}": kept for i, kept in enumerate(choices.kept)}

    replayed = Replayed(model)
    imported = prec.import_torch(replayed, adamw(replayed), batch | choose(batch), clip_grad_norm=1.0, verify=False)
    path, weights = compile_module(imported, "fp32")
    module = prec.Module(path)
    module.load(weights)
    wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
    assert any(name.startswith("choice") for name in wanted)
    optimizer = adamw(replayed)
    for step in range(STEPS):
        given = shuffled(batch, step)
        given |= choose(given)
        got = module.step(arrays(given, wanted))["loss"]
        loss = replayed(**given).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(replayed.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        assert got == pytest.approx(loss.item(), rel=BAR), f"step {step}"
