# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled optimizer against torch.optim.AdamW, from the same parameters, moments, gradients and norm, step by
step."""
import math

import numpy as np
import pytest
import torch
from first_step import OPTIONS, inputs, moments, read_gradients
from rounding_noise import U, lambda_of
from test_against_pytorch import batches, llama

STEPS = 20


def f32(value):
    """Hyper-parameters are f32 in a step module; its own 1 - beta2 is that of the nearest f32."""
    return tuple(map(f32, value)) if isinstance(value, tuple) else float(np.float32(value))


def pytorch_step(before, gradients, first, second, norm, max_norm, step):
    """One step of clipping and AdamW from a given state: new parameters, first and second moments."""
    parameters = {name: torch.nn.Parameter(torch.from_numpy(value.copy())) for name, value in before.items()}
    for name, parameter in parameters.items():
        parameter.grad = torch.from_numpy(gradients[name].astype(np.float32))
    torch.nn.utils.clip_grads_with_norm_(parameters.values(), max_norm, torch.tensor(norm, dtype=torch.float32))
    optimizer = torch.optim.AdamW(parameters.values(), **{name: f32(value) for name, value in OPTIONS.items()})
    for name, parameter in parameters.items():
        optimizer.state[parameter] = {"step": torch.tensor(float(step - 1)), "exp_avg": torch.from_numpy(first[name].copy()),
                                      "exp_avg_sq": torch.from_numpy(second[name].copy())}
    optimizer.step()
    state = {name: optimizer.state[parameter] for name, parameter in parameters.items()}
    return {name: (p.detach().numpy(), state[name]["exp_avg"].numpy(), state[name]["exp_avg_sq"].numpy()) for name, p in parameters.items()}


def ulps(got, expected, scale):
    return float(np.max(np.abs(got.astype(np.float64) - expected) / np.spacing(scale)))


@pytest.mark.parametrize("recipe", ["fp32", "fp8-hybrid"])
def test_adamw_is_pytorchs(recipe, open_step):
    _, module = open_step(llama, recipe)
    _, reader = open_step(llama, recipe)
    for step, batch in zip(range(1, STEPS + 1), batches()):
        before, first, second = module.weights(), moments(module, "exp_avg"), moments(module, "exp_avg_sq")
        for name, value in before.items():
            reader.set(name, value)
        gradients = read_gradients(reader, batch)
        max_norm = 0.5 if step % 2 else 50.0
        norm = module.step(inputs(batch), max_norm=max_norm)["grad_norm"]
        assert (norm > max_norm) == (step % 2), "both sides of the clip must be seen"
        exact = math.sqrt(sum(np.square(g).sum() for g in gradients.values()))
        # A sum of n squares in any order; a root halves the relative error.
        assert norm == pytest.approx(exact, rel=lambda_of(STEPS) * math.sqrt(sum(g.size for g in gradients.values())) * U / 2)
        after, new_first, new_second = module.weights(), moments(module, "exp_avg"), moments(module, "exp_avg_sq")
        for name, (p, m, v) in pytorch_step(before, gradients, first, second, norm, max_norm, step).items():
            assert ulps(after[name], p, np.maximum(np.abs(before[name]), np.abs(p - before[name]))) <= 4, (step, name)
            # PyTorch contracts where its build does.
            assert ulps(new_first[name], m, np.maximum(np.abs(first[name]), np.abs(m))) <= 2, (step, name)
            assert ulps(new_second[name], v, v) <= 2, (step, name)
