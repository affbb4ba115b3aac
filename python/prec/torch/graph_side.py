# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph's side of a comparison with the framework: its step by the interpreter, in float64."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import torch

from ..interpreter import Program, Torch
from ..ir import Graph, Value
from .optimizer import hyper_name

if TYPE_CHECKING:
    from .importer import Step

TOLERANCE = 1e-6  # Of a norm.


class Difference(Exception):
    """What differs, in words, and the parameter that it concerns."""

    def __init__(self, what: str, parameter: str | None = None) -> None:
        super().__init__(what)
        self.parameter = parameter


class Unverified(Exception):
    """Why a graph could not be compared."""


class DoesNotRun(Unverified):
    """PyTorch's own step raises, with this batch or on this machine."""


def distance(got: torch.Tensor, right: torch.Tensor) -> tuple[float, float]:
    """The norms of the difference and of what is right, over the elements where both are finite; infinitely far apart
    where one has another infinity than the other, or is no number alone."""
    error, size = (got - right).norm().item(), right.norm().item()
    if math.isfinite(error) and math.isfinite(size):
        return error, size
    finite = got.isfinite() & right.isfinite()
    if not bool((finite | (got == right) | (got.isnan() & right.isnan())).all()):
        return math.inf, size
    got, right = got[finite], right[finite]
    return (got - right).norm().item(), right.norm().item()


class GraphSide:
    """`raw`: the value of each gradient, as the backward pass gives it. `batch`: the step's inputs, by name."""

    def __init__(self, step: Step, graph: Graph, batch: dict[str, torch.Tensor]) -> None:
        self.step, self.graph, self.batch = step, graph, batch
        self.program, self.backend = Program.of_graph(graph), Torch(torch.float64)
        self.raw = graph.gradients or self.program.gradients()
        self.loss = next(r.value for r in graph.results if r.role == "loss")
        self.outputs = {r.path: r.value for r in graph.results if r.role == "metric" and r.value.shape}
        hyper = {a.path for a in graph.arguments if a.role == "hyper"}
        # The rates of the next step, which a scheduler may have set.
        rates = {hyper_name(step.plan, "lr", group): rate for group, rate in step.plan.current_rates.items()}
        # A second name of a buffer, or of what the model does not have (a captured tensor), has a default.
        self.scalars = {name: value for name, value in rates.items() if name in hyper}

    def updated(self, role: str) -> dict[str, Value]:
        """The new values of what has a role, by name."""
        return {r.path: r.value for r in self.graph.results if r.donor is not None and r.donor.role == role}

    def run(
        self,
        parameters: Mapping[str, torch.Tensor],
        buffers: Mapping[str, torch.Tensor],
        number: float,
        wanted: Iterable[Value],
        given: Mapping[Value, torch.Tensor] | None = None,
        each: Callable[[Value, torch.Tensor], None] | None = None,
    ) -> dict[Value, torch.Tensor]:
        """The wanted values in step `number`; with `each`, that is called with every one as soon as it is there, and
        none comes back."""
        states, hyper = self.step.plan_states(), {**self.scalars, "step": number, "micro_batch": 0.0}
        of_role: dict[str, Mapping[str, Any]] = {"parameter": parameters, "frozen_parameter": parameters, "buffer": buffers, "batch": self.batch,
                                                 "optimizer_state": states, "hyper": hyper}
        # By places: a parameter may have the name of a hyperparameter or of an input.
        inputs: dict[int, Any] = {}
        for place, a in enumerate(self.graph.arguments):
            value = of_role[a.role].get(a.path)
            if isinstance(value, torch.Tensor) and value.is_complex():
                value = torch.view_as_real(value.resolve_conj())
            # A derived buffer may have become the part of it that is read.
            if value is not None and (not isinstance(value, torch.Tensor) or tuple(value.shape) == a.value.shape):
                inputs[place] = value
        return self.program.run(inputs, wanted=list(wanted), given=given, backend=self.backend, each=each) or {}
