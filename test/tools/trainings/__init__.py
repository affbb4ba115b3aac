# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny instances of kinds of models and training scripts, each as its authors write it: what its forward computes is
the loss. A module of this folder registers those of one field.

TRAININGS[name].build() makes the model, from the same weights each time; .batch(n) the batch of step n.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

import torch


def adamw(model: torch.nn.Module) -> torch.optim.Optimizer:
    return torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)


@dataclass(frozen=True)
class Training:
    """draw(generator): a batch. refused: what the import says where there is no such step."""

    make: Callable[[], torch.nn.Module]
    draw: Callable[[torch.Generator], dict[str, torch.Tensor]]
    optimizer: Callable[[torch.nn.Module], object] = adamw
    refused: str = ""

    def build(self) -> torch.nn.Module:
        with torch.random.fork_rng():
            torch.manual_seed(0)
            return self.make().train()

    def batch(self, step: int) -> dict[str, torch.Tensor]:
        return self.draw(torch.Generator().manual_seed(step))


TRAININGS: dict[str, Training] = {}


def training(draw: Callable[[torch.Generator], dict], optimizer=adamw, refused: str = "", name: str = ""):
    """Registers the class or function that makes a model."""

    def register(make):
        key = name or make.__name__
        assert key not in TRAININGS, key
        TRAININGS[key] = Training(make, draw, optimizer, refused)
        return make

    return register


def ids(g: torch.Generator, *shape: int, below: int = 50) -> torch.Tensor:
    return torch.randint(0, below, shape, generator=g)


def normal(g: torch.Generator, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=g)


def tokens(g: torch.Generator) -> dict[str, torch.Tensor]:
    """Of a language model of 50 words."""
    row = ids(g, 3, 13)
    return {"x": row[:, :-1], "y": row[:, 1:]}


def mlp(*sizes: int, act=torch.nn.ReLU) -> torch.nn.Sequential:
    layers = [x for i, o in zip(sizes, sizes[1:]) for x in (torch.nn.Linear(i, o), act())]
    return torch.nn.Sequential(*layers[:-1])


_FIELDS = ("language", "vision", "tables_and_graphs", "time_and_sound", "representations", "objectives", "mechanics", "methods", "likelihoods",
           "layers", "inner", "second", "reported", "compiled", "trainers", "tracked", "numbered", "sequences", "spaces", "refused")
for _field in _FIELDS:
    importlib.import_module(f"{__name__}.{_field}")
