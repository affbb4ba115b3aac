# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far the results of an FP32 program may be off, by running it with noise of the size of its rounding errors.

Every operation that PyTorch runs, forward and backward, errs in each element by at most g = gamma * m: m is the sum of
the magnitudes of what is added, and gamma = n * u (Higham's gamma_n to first order, u = 2^-24) with n the additions
behind an element, the few units of a function like exp, or both. If the errors are independent with mean zero (Higham
and Mary, A new approach to probabilistic rounding error analysis, 2019), the error of a result, a vector E, is to first
order a sum of independent vectors X_i of length at most c_i = g_i * |column i of the Jacobian|, and by Hoeffding's
inequality in a Hilbert space (Pinelis 1994)

    P(|E| > lambda * S) <= 2 exp(-lambda^2 / 2),    S^2 = sum of c_i^2.

S^2 is also the mean of |E|^2 if the errors are +g or -g by a fair coin, which is what the noise here is: so S comes
from a few runs. Noise is 2^8 times as large as rounding, far above the runs' own roundings and still small enough for
the first order.
"""
import math

import torch
from torch.utils._python_dispatch import TorchDispatchMode

U = 2.0**-24
SCALE = 2.0**8
FUNCTION = 8  # Units of u that exp, tanh and their like err by, on either side: four units in the last place.

aten = torch.ops.aten
EXACT = {aten.embedding, aten.arange, aten.unsqueeze, aten.le, aten.expand, aten.zeros, aten.scalar_tensor, aten.where, aten._to_copy,
         aten.cat, aten.detach, aten.t, aten.view, aten._unsafe_view, aten.transpose, aten.slice, aten.neg, aten.lift_fresh, aten.clone, aten.alias,
         aten.constant_pad_nd, aten.ones_like, aten.squeeze, aten.slice_backward, aten.split}


def _last(x):
    return x.shape[-1]


def _rows(x):
    return x.reshape(-1, x.shape[-1])


def _product(out, a, b):
    return _last(a) * (a.abs() @ b.abs())


def _biased_product(out, c, a, b):
    return out.abs() + _product(out, a, b)


def _sum(out, x, dims, keepdim=False, **_):
    return x.numel() / max(out.numel(), 1) * x.abs().sum(dims, keepdim)


def _mean(out, x, dims, keepdim=False, **_):
    return (x.numel() / out.numel() + 1) * x.abs().mean(dims, keepdim)


def _embedding_grad(out, g, ids, *rest):
    rows = torch.bincount(ids.flatten(), minlength=out.shape[0]).view(-1, 1)
    return rows * aten.embedding_dense_backward(g.abs(), ids, *rest)


def _softmax(out, x, dim, _):
    below = torch.where(out > 0, x.amax(dim, True) - x, 0)  # Its rounding is one of the exponent's.
    return out * (_last(x) + FUNCTION + below + (out * below).sum(dim, True))


def _softmax_grad(out, g, y, dim, _):
    return (_last(y) + 3) * y * (g.abs() + (g * y).abs().sum(dim, True))


def _log_softmax(out, x, dim, _):
    return _last(x) + FUNCTION + (x.amax(dim, True) - x) + out.abs()


def _log_softmax_grad(out, g, y, dim, _):
    return g.abs() + y.exp() * g.abs().sum(dim, True) * (_last(y) + FUNCTION + y.abs())


def _layer_norm(out, x, shape, gamma, beta, eps):
    (y, _, rstd), n = out, _last(x)
    spread = x.abs() + x.abs().mean(-1, True)
    return gamma.abs() * rstd * (n + 2) * spread + (n + FUNCTION) * (y - beta).abs() + y.abs(), \
        (n + 1) * x.abs().mean(-1, True), (n + FUNCTION) * rstd


def _layer_norm_grad(out, g, x, shape, mean, rstd, gamma, beta, mask):
    n, normal = _last(x), ((x - mean) * rstd).abs()
    lost = rstd * (x.abs() + mean.abs())  # Cancellation in x - mean.
    h = (g * gamma).abs()
    dx = rstd * (n + FUNCTION) * (h + h.mean(-1, True) + (normal + lost) * (h * (normal + lost)).mean(-1, True))
    return dx, len(_rows(g)) * _rows(g.abs() * (normal + lost)).sum(0), len(_rows(g)) * _rows(g.abs()).sum(0)


def _silu_grad(out, g, x):
    s = torch.sigmoid(x)
    return FUNCTION * g.abs() * s * (1 + x.abs() * (1 - s))


def _once(out, *_, **__):
    return out.abs()


def _function(out, *_, **__):
    return FUNCTION * out.abs()


def _angle(out, x):
    return FUNCTION * (out.abs() + x.abs())


# By operation: the bound of each result in units of u, from the results and the operands.
BOUND = {aten.mm: _product, aten.bmm: _product, aten.addmm: _biased_product, aten.sum: _sum, aten.mean: _mean,
         aten.embedding_dense_backward: _embedding_grad, aten._softmax: _softmax, aten._softmax_backward_data: _softmax_grad,
         aten._log_softmax: _log_softmax, aten._log_softmax_backward_data: _log_softmax_grad,
         aten.native_layer_norm: _layer_norm, aten.native_layer_norm_backward: _layer_norm_grad,
         aten.nll_loss_forward: lambda out, x, *_: (len(x) * x.abs().mean(), 0), aten.nll_loss_backward: _once,
         aten.add: _once, aten.mul: _once, aten.div: _once, aten.pow: _function, aten.rsqrt: _function, aten.silu: _function,
         aten.tanh: _function, aten.cos: _angle, aten.sin: _angle, aten.silu_backward: _silu_grad,
         aten.tanh_backward: lambda out, g, y: FUNCTION * g.abs() * (1 + y * y)}


class Noise(TorchDispatchMode):
    """Adds SCALE times the bound, of random sign, to every result."""

    def __init__(self, seed):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        packet = function.overloadpacket
        results = out if isinstance(out, (tuple, list)) else (out,)
        if packet in EXACT or not any(isinstance(r, torch.Tensor) and r.is_floating_point() for r in results):
            return out
        if packet not in BOUND:
            raise NotImplementedError(f"no bound for {function}")
        bounds = BOUND[packet](out, *args, **(kwargs or {}))
        noisy = [self.off(result, bound) for result, bound in zip(results, bounds if isinstance(bounds, tuple) else (bounds,), strict=True)]
        return type(out)(noisy) if isinstance(out, (tuple, list)) else noisy[0]

    def off(self, result, bound):
        sign = torch.randint(0, 2, result.shape, generator=self.generator) * 2 - 1
        return result + (SCALE * U) * bound * sign


def gradients(model, tokens):
    model.zero_grad()
    model(input_ids=tokens, labels=tokens).loss.backward()
    return {name: parameter.grad.double().clone() for name, parameter in model.named_parameters()}


def length_of_errors(model, tokens, runs=8):
    """S of every parameter's gradient."""
    exact, squares = gradients(model, tokens), {}
    for seed in range(runs):
        with Noise(seed):
            noisy = gradients(model, tokens)
        for name, gradient in noisy.items():
            squares[name] = squares.get(name, 0) + float(((gradient - exact[name]) / SCALE).square().sum()) / runs
    return {name: math.sqrt(square) for name, square in squares.items()}


def lambda_of(statements, risk=1e-9):
    """The factor with which all of `statements` bounds hold, but for the probability `risk`."""
    return math.sqrt(2 * math.log(2 * statements / risk))
