# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the order of accumulation is worth: first gradients and losses of one training in several orders, and where one
more must lie."""
import math

import numpy as np
import torch
from first_step import MAX_NORM, OPTIONS
from rounding_arithmetic import Arithmetic


def student_quantile(probability, freedom):
    """The value that Student's t exceeds with 1 - probability; by integrating its density."""
    t = np.linspace(0, 200, 2_000_001)
    log_factor = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    density = np.exp(log_factor) * (1 + t * t / freedom) ** (-(freedom + 1) / 2)
    return float(t[np.searchsorted(0.5 + np.cumsum(density) * (t[1] - t[0]), probability)])


def prediction_margin(samples, risk):
    """How far from the samples' mean one more draw may lie, on one side, but for the probability `risk`: the t
    prediction interval."""
    count = len(samples)
    return student_quantile(1 - risk, count - 1) * np.std(samples, axis=0, ddof=1) * math.sqrt(1 + 1 / count)


class Training:
    """The losses of a reference step under PyTorch's AdamW. With an order, each new parameter is off by up to one unit
    in the last place of max(|p|, |change of p|), which is what another order of AdamW's own operations makes."""

    def __init__(self, step, weights, batches, recipe, order=None, flaw=None):
        parameters = {name: torch.nn.Parameter(value.clone()) for name, value in weights.items()}
        optimizer = torch.optim.AdamW(parameters.values(), **OPTIONS)
        generator, self.losses = None if order is None else torch.Generator().manual_seed(order), []
        for number, batch in enumerate(batches):
            arithmetic = Arithmetic(recipe, None if order is None else 1000 * order + number, flaw)
            before = {name: parameter.detach().clone() for name, parameter in parameters.items()}
            loss, gradients = step.run(arithmetic, before, torch.from_numpy(batch))
            self.losses.append(loss.item())
            for name, parameter in parameters.items():
                parameter.grad = gradients[name].contiguous()
            torch.nn.utils.clip_grad_norm_(parameters.values(), MAX_NORM)
            optimizer.step()
            if generator is not None:
                for name, parameter in parameters.items():
                    _nudge(parameter.detach(), before[name], generator)


def _nudge(new, old, generator):
    scale = torch.maximum(new.abs(), (new - old).abs()).numpy()
    new.add_(torch.from_numpy(np.spacing(scale)) * (torch.randint(0, 3, new.shape, generator=generator) - 1))


class GradientSpread:
    """Gradients of a first step."""

    def __init__(self, step, weights, batch, recipe, orders=16):
        self.batch = batch
        self.runs = [step.run(Arithmetic(recipe, order), weights, torch.from_numpy(batch))[1] for order in range(orders)]
        self.totals = {name: sum(run[name].double() for run in self.runs) for name in self.runs[0]}
        distances = np.array([self.distance(run, leave_out=True) for run in self.runs])
        # The distance that one more order may have, but for a probability of 1e-3.
        self.farthest = float(distances.mean() + prediction_margin(distances, 1e-3))

    def distance(self, gradients, leave_out=False):
        """Of gradients to the mean of the runs (of the other runs), relative, as a root mean square over parameters."""
        squares = []
        for name, total in self.totals.items():
            own = gradients[name].double()
            mean = (total - own) / (len(self.runs) - 1) if leave_out else total / len(self.runs)
            squares.append(float((own - mean).square().sum() / mean.square().sum()))
        return math.sqrt(sum(squares) / len(squares))


class LossSpread:
    """Losses of a training."""

    def __init__(self, step, weights, batches, recipe, orders=16):
        self.losses = np.array([Training(step, weights, batches, recipe, order).losses for order in range(orders)])
        # By how much the losses of one more order may deviate, step by step, but for a probability of 1e-3 in all.
        self.margin = prediction_margin(self.losses, 1e-3 / (2 * len(batches)))

    def deviation(self, losses):
        """From the mean, as a part of what it may be."""
        return np.abs(losses - self.losses.mean(0)) / self.margin
