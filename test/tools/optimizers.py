# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers beside AdamW, as users make them: hyperparameters are f32 in a step module, so they are here, too."""
import lion_pytorch
import numpy as np
import torch
from torch.overrides import TorchFunctionMode


def f32(value):
    if isinstance(value, (bool, str, int)) or value is None:
        return value
    return tuple(map(f32, value)) if isinstance(value, tuple) else float(np.float32(value))


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

# Those whose update is a formula in the graph, each with every option that chooses another formula.
FORMULAS = {
    "adam, L2": make(torch.optim.Adam, lr=1e-2, weight_decay=0.1),
    "adam, amsgrad": make(torch.optim.Adam, lr=1e-2, betas=(0.8, 0.9), amsgrad=True),
    "adamw, amsgrad": make(torch.optim.AdamW, lr=1e-2, weight_decay=0.1, amsgrad=True),
    "nadam": make(torch.optim.NAdam, lr=1e-2, weight_decay=0.1),
    "nadam, decoupled": make(torch.optim.NAdam, lr=1e-2, weight_decay=0.1, momentum_decay=0.01, decoupled_weight_decay=True),
    "radam": make(torch.optim.RAdam, lr=1e-2, weight_decay=0.1),
    "radam, decoupled": make(torch.optim.RAdam, lr=1e-2, betas=(0.8, 0.9), weight_decay=0.1, decoupled_weight_decay=True),
    "adamax": make(torch.optim.Adamax, lr=1e-2, weight_decay=0.1),
    "rmsprop": make(torch.optim.RMSprop, lr=1e-3, weight_decay=0.1),
    "rmsprop, centered": make(torch.optim.RMSprop, lr=1e-3, alpha=0.9, eps=1e-3, centered=True),
    "rmsprop, momentum": make(torch.optim.RMSprop, lr=1e-3, momentum=0.9),
    "rmsprop, both": make(torch.optim.RMSprop, lr=1e-3, eps=1e-3, momentum=0.9, centered=True),
    "adagrad": make(torch.optim.Adagrad, lr=1e-2, lr_decay=0.1, weight_decay=0.1),
    "adadelta": make(torch.optim.Adadelta, lr=1.0, weight_decay=0.1),
    "asgd": make(torch.optim.ASGD, lr=0.1, lambd=0.01, t0=5.0, weight_decay=0.1),
    "rprop": make(torch.optim.Rprop, lr=1e-3),
    "adamw, maximize": make(torch.optim.AdamW, lr=1e-3, maximize=True),
    "sgd, maximize": make(torch.optim.SGD, lr=1e-3, momentum=0.9, maximize=True),
    "adafactor, maximize": make(torch.optim.Adafactor, lr=1e-2, maximize=True),
    "nadam, maximize": make(torch.optim.NAdam, lr=1e-3, maximize=True),
}
# Of these no 8 bits hold the states: sums, sizes of steps, a largest gradient that decays slowly, averages of weights.
EXACT = ("adagrad", "adamax", "asgd", "rprop")


class Several:
    """As users step several optimizers, or one."""

    def __init__(self, optimizers):
        self.optimizers = optimizers if isinstance(optimizers, list) else [optimizers]

    def zero_grad(self):
        for optimizer in self.optimizers:
            optimizer.zero_grad()

    def step(self):
        for optimizer in self.optimizers:
            optimizer.step()


class Wide(TorchFunctionMode):
    """Muon's bf16 is a format, which is not the graph's affair."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return args[0].clone() if func is torch.Tensor.bfloat16 else func(*args, **(kwargs or {}))


def muon(**options):
    """With AdamW for what is no matrix."""
    def build(parameters):
        parameters = list(parameters)
        return [make(torch.optim.Muon, **options)([p for p in parameters if p.dim() == 2]),
                make(torch.optim.AdamW, lr=1e-2)([p for p in parameters if p.dim() != 2])]
    return build


MUONS = {"muon": muon(lr=0.02), "muon, plain": muon(lr=0.02, nesterov=False, ns_steps=3, adjust_lr_fn="match_rms_adamw", weight_decay=0.0)}


def step_from(make_optimizer, before, gradients, states, step):
    """One step of PyTorch's from arrays by parameter, states being arrays by slot: new parameters, new states."""
    parameters = {name: torch.nn.Parameter(torch.from_numpy(value.copy())) for name, value in before.items()}
    optimizer = make_optimizer(parameters.values())
    for name, parameter in parameters.items():
        parameter.grad = torch.from_numpy(gradients[name].astype(np.float32))
        if step > 1 and states[name]:
            # Made as PyTorch makes it, then filled.
            optimizer.state[parameter] = {slot: torch.from_numpy(value.copy()) for slot, value in states[name].items()}
            if not isinstance(optimizer, (torch.optim.SGD, lion_pytorch.Lion)):
                optimizer.state[parameter]["step"] = torch.tensor(float(step - 1))
    optimizer.step()
    after = {name: parameter.detach().numpy() for name, parameter in parameters.items()}
    return after, {name: {slot: value.numpy() for slot, value in optimizer.state[p].items() if slot != "step" and value is not None}
                   for name, p in parameters.items()}
