# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of trainers' own: parts that are frozen for a while within a step, references without gradients, checkpoints
that choose what they keep, preferences and rewards, writes that autograd does not see."""

import copy
import functools

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from . import ids, normal, training

D = 8


def pairs(g):
    return {"x": normal(g, 6, D), "y": normal(g, 6, D)}


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, D), nn.Linear(D, D)

    def forward(self, x, y):
        return F.mse_loss(self.b(self.between(self.a(x))), y)


@training(pairs)
class toggled_players(nn.Module):
    """Each of two networks is frozen while the other's loss is computed, as toggle_optimizer of Lightning does
    (21513)."""

    def __init__(self):
        super().__init__()
        self.g, self.d = nn.Linear(D, D), nn.Sequential(nn.Linear(D, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x, y):
        self.d.requires_grad_(False)
        fake = self.g(x)
        of_g = F.softplus(-self.d(fake)).mean()
        self.d.requires_grad_(True)
        self.g.requires_grad_(False)
        of_d = F.softplus(self.d(fake.detach())).mean() + F.softplus(-self.d(y)).mean()
        self.g.requires_grad_(True)
        return of_g + of_d


@training(pairs)
class reference_in_inference_mode(Rows):
    """A frozen copy that is called in inference mode (trl 5925)."""

    def __init__(self):
        super().__init__()
        self.reference = copy.deepcopy(self.a).requires_grad_(False)

    def forward(self, x, y):
        with torch.inference_mode():
            r = self.reference(x)
        return F.mse_loss(self.b(self.a(x)), y) + (self.a(x) - r.clone()).abs().mean()


@training(pairs)
class checkpoint_without_gradients(Rows):
    """A reentrant checkpoint of which no input has a gradient: PyTorch trains nothing inside (transformers 26221)."""

    def forward(self, x, y):
        return F.mse_loss(self.b(checkpoint(self.a, x, use_reentrant=True)), y)


def kept(context, op, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if op == torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE


@training(pairs)
class selective_checkpoint(Rows):
    """A checkpoint that keeps products, as torchtitan's does, and tensors that are kept on the CPU."""

    def forward(self, x, y):
        contexts = functools.partial(create_selective_checkpoint_contexts, kept)
        h = checkpoint(lambda v: torch.tanh(self.a(v)) ** 2, x, use_reentrant=False, context_fn=contexts)
        with torch.autograd.graph.save_on_cpu():
            h = torch.tanh(h) ** 2
        return F.mse_loss(self.b(h), y)


class NoGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.set_materialize_grads(False)
        return x * w, x * 3

    @staticmethod
    def backward(ctx, g, h):
        return g if h is None else g + 3 * h, None


@training(pairs)
class function_without_a_gradient(Rows):
    """A function that gives a weight no gradient, so that no optimizer decays it, and asks which results are read."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(D))

    def between(self, h):
        return NoGradient.apply(h, self.w)[0]


@training(pairs)
class unseen_writes(Rows):
    """Writes that autograd does not see: through a detached view, through .data, and under no_grad."""

    def between(self, h):
        h = h * 1.0
        h.detach()[:, :2].mul_(2.0)
        h.data.clamp_(-0.5, 0.5)
        with torch.no_grad():
            h[:, 0] = 0.25
        return torch.tanh(h)


@training(pairs)
class uncertain_tokens(Rows):
    """Only tokens count whose entropy is above a quantile of the batch's (trl, GRPO)."""

    def forward(self, x, y):
        z = self.b(torch.tanh(self.a(x)))
        entropy = -(z.softmax(-1) * z.log_softmax(-1)).sum(-1)
        mask = (entropy >= torch.quantile(entropy.detach().flatten(), 0.5)).float()
        return (((z - y) ** 2).mean(-1) * mask).sum() / mask.sum()


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.out = nn.Embedding(10, D), nn.Linear(D, 10)
        self.reference = copy.deepcopy(self.out).requires_grad_(False)

    def logps(self, out, x):
        return out(torch.tanh(self.e(x)))[:, :-1].log_softmax(-1).gather(-1, x[:, 1:, None]).squeeze(-1)


def rewarded(g):
    old = torch.where(torch.rand(6, 6, generator=g) < 0.5, float("nan"), normal(g, 6, 6) * 0.1 - 2)
    return {"x": ids(g, 6, 7, below=10), "mask": ids(g, 6, 7, below=2).bool(), "reward": normal(g, 6), "old": old}


@training(rewarded)
class rewards_of_groups(Policy):
    """Advantages within groups, clipped ratios to log-probabilities of which some are missing, a divergence."""

    def forward(self, x, mask, reward, old):
        logp, groups, counts = self.logps(self.out, x), reward.view(-1, 3), mask[:, 1:].float()
        advantage = (reward - groups.mean(1).repeat_interleave(3)) / (groups.std(1).repeat_interleave(3) + 1e-4)
        ratio = torch.exp(logp - torch.where(old.isnan(), logp.detach(), old))
        gain = torch.min(ratio * advantage[:, None], ratio.clamp(0.8, 1.28) * advantage[:, None])
        with torch.no_grad():
            far = self.logps(self.reference, x)
        return ((0.04 * (torch.exp(far - logp) - (far - logp) - 1) - gain) * counts).sum() / counts.sum().clamp(min=1)


@training(lambda g: {"x": ids(g, 6, 7, below=10), "good": ids(g, 6, below=2).bool()})
class rows_wanted_or_not(Policy):
    """Rows that are wanted or not, against a divergence that is estimated from mismatched rows without gradients
    (KTO)."""

    def forward(self, x, good):
        with torch.no_grad():
            mismatched = x.roll(1, 0)
            far, other, own = (self.logps(out, t).sum(-1) for out, t in ((self.reference, x), (self.reference, mismatched), (self.out, mismatched)))
        ratio, divergence = self.logps(self.out, x).sum(-1) - far, (own - other).mean().clamp(min=0)
        away = 0.1 * (ratio - divergence)
        return (1 - torch.sigmoid(torch.where(good, away, -away))).mean()
