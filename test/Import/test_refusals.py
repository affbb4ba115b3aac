# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What cannot be imported is refused with the rule and what broke it; the model is left as it was."""
import pytest
import torch
from models import hf_llama

import prec
from prec import ImportFailure


class Lion(torch.optim.Optimizer):
    """Of the same name."""


def adamw(model, **options):
    return torch.optim.AdamW(model.parameters(), **options)


class Odd(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = torch.nn.functional.fractional_max_pool2d(self.inner(x)[None, None], 2, output_size=(2, 2))
        return torch.igamma(torch.ones(2), y).sum()


def test_all_unknown_ops_are_listed_with_place_and_file():
    model = Odd()
    with pytest.raises(ImportFailure) as failure:
        prec.import_torch(model, adamw(model), {"x": torch.randn(4, 4)})
    message = str(failure.value)
    for part in ("aten.igamma.default", "aten.fractional_max_pool2d_backward.default", "aten.fractional_max_pool2d.default x1 in Odd",
                 "test_refusals.py:"):
        assert part in message, message


def test_overwriting_a_tensor_with_views_changes_the_views():
    class Views(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(4))

        def forward(self, x):
            y = self.w * x
            row = y[1:]
            y.mul_(2)
            return row.sum() + y.sum()

    model = Views()
    assert prec.import_torch(model, adamw(model), (torch.ones(4),)).verified == "verified"


@pytest.mark.parametrize("optimizer,message", [
    (lambda m: torch.optim.LBFGS(m.parameters()), r"or extend one of them, but got torch\.optim\.lbfgs\.LBFGS"),
    (lambda m: Lion(m.parameters(), {}), r"or extend one of them, but got test_refusals\.Lion"),
    (lambda m: torch.optim.NAdam(m.parameters(), differentiable=True), "NAdam must have differentiable=False but got True in parameter group 0"),
    (lambda m: torch.optim.AdamW(list(m.parameters())[1:]), "must be in the optimizer but got none for model.embed_tokens.weight"),
    (lambda m: torch.optim.AdamW([*m.parameters(), torch.nn.Parameter(torch.ones(7))]), r"foreign one of shape \[7\]"),
])
def test_other_optimizers_are_refused(optimizer, message):
    model, batch = hf_llama()
    with pytest.raises(ImportFailure, match=message):
        prec.import_torch(model, optimizer(model), batch)


def test_other_bad_input():
    model, batch = hf_llama()
    for options, message in [(dict(clip_grad_norm=0.0), "positive but got 0.0"),
                             (dict(clip_grad_norm="1"), "positive but got '1'"), (dict(attention="flash"), '"keep" but got'),
                             (dict(loss=lambda out: out.logits), "scalar")]:
        with pytest.raises(ImportFailure, match=message):
            prec.import_torch(model, adamw(model), batch, **options)
    with pytest.raises(ImportFailure, match="or a word, but got int for labels"):
        prec.import_torch(model, adamw(model), {**batch, "labels": 3})
    with pytest.raises(ImportFailure, match=r"at least one element but got shape \[2, 0\] for labels"):
        prec.import_torch(model, adamw(model), {**batch, "labels": batch["labels"][:, :0]})
    with pytest.raises(ImportFailure, match="must be a torch.nn.Module but got int"):
        prec.import_torch(3, adamw(model), batch)
    with pytest.raises(ImportFailure, match="a function of the model's output but got 3"):
        prec.import_torch(model, adamw(model), batch, loss=3)
    with pytest.raises(ImportFailure, match="at most the 1 inputs of forward but got 2"):
        net = Odd()
        prec.import_torch(net, adamw(net), (torch.ones(4, 4), torch.ones(4, 4)))


def test_an_operation_that_reads_numbers_is_refused():
    class Split(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.f = torch.nn.Linear(4, 4)

        def forward(self, x, places):
            return sum(part.square().sum() for part in torch.tensor_split(self.f(x), places))

    model = Split()
    with pytest.raises(ImportFailure, match=r"must not read a computed value, but Split calls what reads .* \(test_refusals.py:.*numbers of Python"):
        prec.import_torch(model, adamw(model), {"x": torch.randn(3, 4), "places": torch.tensor([1, 2])})


@pytest.mark.parametrize("name,message", [("step", "but 'step' is a parameter and a hyperparameter: give the model's another name"),
                                          ("x", "but 'x' is a parameter and an input")])
def test_a_name_in_two_roles_is_refused(name, message):
    class Named(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_parameter(name, torch.nn.Parameter(torch.ones(4)))

        def forward(self, x):
            return (x * getattr(self, name)).square().mean()

    model = Named()
    with pytest.raises(ImportFailure, match=message):
        prec.import_torch(model, adamw(model), {"x": torch.randn(3, 4)})


@pytest.mark.parametrize("attention", ["composite", "keep"])
@pytest.mark.parametrize("fails", [False, True])
def test_the_model_is_left_as_it_was(attention, fails):
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS as masks

    model, batch = hf_llama(attn_implementation="eager")
    model.config.use_cache = True
    before = {name: dict(module.__dict__) for name, module in model.named_modules()}
    values = {name: p.clone() for name, p in model.named_parameters()}
    overrides = dict(masks._local_mapping)
    expected = model(**batch).loss
    if fails:
        # Positions that no table has.
        with pytest.raises(ImportFailure):
            prec.import_torch(model, adamw(model), {**batch, "position_ids": torch.zeros(3, 5, dtype=torch.int64)}, attention=attention)
    else:
        prec.import_torch(model, adamw(model), batch, attention=attention)
    assert {name: dict(module.__dict__) for name, module in model.named_modules()} == before
    assert model.config._attn_implementation == "eager" and model.config.use_cache is True and masks._local_mapping == overrides
    assert all(torch.equal(p, values[name]) and p.grad is None for name, p in model.named_parameters())
    assert torch.equal(model(**batch).loss, expected)


def test_weights_of_a_weightless_model_are_refused_and_nothing_is_written(tmp_path):
    with prec.weightless():
        model = torch.nn.Sequential(torch.nn.Linear(4, 4))
    step = prec.import_torch(model, adamw(model), (torch.ones(2, 4),), loss=lambda y: y.sum())
    with pytest.raises(ImportFailure, match="2 parameters have no values"):
        step.write_weights(tmp_path / "w.safetensors")
    assert not list(tmp_path.iterdir())


def test_a_transformers_that_asks_for_attention_otherwise(monkeypatch):
    from transformers import AttentionInterface

    monkeypatch.delattr(AttentionInterface, "get_interface")
    model, batch = hf_llama()
    with pytest.raises(ImportFailure, match="has no AttentionInterface.get_interface: install a newer one"):
        prec.import_torch(model, torch.optim.AdamW(model.parameters()), batch)
