# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers beside AdamW, as users make them: hyperparameters are f32 in a step module, so they are here, too."""
import lion_pytorch
import numpy as np
import torch


def f32(value):
    return tuple(map(f32, value)) if isinstance(value, tuple) else value if isinstance(value, bool) else float(np.float32(value))


def make(optimizer, **options):
    return lambda parameters: optimizer(parameters, **{name: f32(value) for name, value in options.items()})


OPTIMIZERS = {
    "sgd": make(torch.optim.SGD, lr=0.1),
    "sgd, decayed": make(torch.optim.SGD, lr=0.05, weight_decay=0.1),
    "sgd, momentum": make(torch.optim.SGD, lr=0.05, momentum=0.9, weight_decay=0.01),
    "sgd, dampened": make(torch.optim.SGD, lr=0.05, momentum=0.7, dampening=0.3),
    "sgd, nesterov": make(torch.optim.SGD, lr=0.02, momentum=0.95, nesterov=True, weight_decay=0.01),
    "lion": make(lion_pytorch.Lion, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1),
    "lion, decoupled": make(lion_pytorch.Lion, lr=1e-3, betas=(0.95, 0.4), weight_decay=1e-4, decoupled_weight_decay=True),
    "adafactor": make(torch.optim.Adafactor, lr=0.05, weight_decay=0.01),
    "adafactor, clipped": make(torch.optim.Adafactor, lr=0.5, beta2_decay=-0.5, eps=(1e-3, 1e-2), d=1.5),
}

_SLOTS = ("momentum_buffer", "exp_avg", "row_var", "col_var", "variance")


def step_from(make_optimizer, before, gradients, states, step):
    """One step of PyTorch's from arrays by parameter, states being arrays by slot: new parameters, new states."""
    parameters = {name: torch.nn.Parameter(torch.from_numpy(value.copy())) for name, value in before.items()}
    optimizer = make_optimizer(parameters.values())
    for name, parameter in parameters.items():
        parameter.grad = torch.from_numpy(gradients[name].astype(np.float32))
        if step > 1 and states[name]:
            # Made as PyTorch makes it, then filled.
            optimizer.state[parameter] = {slot: torch.from_numpy(value.copy()) for slot, value in states[name].items()}
            if isinstance(optimizer, torch.optim.Adafactor):
                optimizer.state[parameter]["step"] = torch.tensor(float(step - 1))
    optimizer.step()
    after = {name: parameter.detach().numpy() for name, parameter in parameters.items()}
    return after, {name: {slot: value.numpy() for slot, value in optimizer.state[p].items() if slot in _SLOTS} for name, p in parameters.items()}
