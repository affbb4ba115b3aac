# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions: by recurrence into the range of an asymptotic series (gamma functions), by polynomials that are
fitted to 2e-7 (Abramowitz and Stegun 9.8 for Bessel functions), and by a few steps of Newton (inverses). Each is
written for all arguments at once, since a step has no branches: what an argument outside of a range would overflow is
computed of one inside of it, and not taken."""
from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ..decompose import decomposes
from .elementwise import _float

# Where the asymptotic series of gamma functions begin.
_FAR = 8


def _polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """The constant first."""
    result = torch.full_like(x, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        result = result * x + c
    return result


def _lgamma_above(x: Tensor) -> Tensor:
    """Of positive x."""
    near = x < _FAR
    low = torch.where(near, x, 1.0)
    product = low
    for k in range(1, _FAR):
        product = product * (low + k)
    z = torch.where(near, x + _FAR, x)
    series = _polynomial(1 / (z * z), [1 / 12, -1 / 360, 1 / 1260, -1 / 1680]) / z
    far = (z - 0.5) * z.log() - z + 0.5 * math.log(2 * math.pi) + series
    return torch.where(near, far - product.log(), far)


@decomposes("aten.lgamma.default")
def lgamma(x: Tensor) -> Tensor:
    x = _float(x)
    beyond = x <= 0
    mirrored = _lgamma_above(torch.where(beyond, 1 - x, x))
    # Of a whole number below one the sine is zero, and the result infinite.
    sine = ((x - x.floor()) * math.pi).sin().abs()
    other = torch.where(beyond, math.pi / torch.where(beyond, sine, 1.0), 1.0).log() - mirrored
    found = torch.where(beyond, other, mirrored)
    return torch.where(x.isinf() | beyond & (x == x.floor()), math.inf, found)


def _digamma_above(x: Tensor) -> Tensor:
    near = x < _FAR
    low = torch.where(near, x, 1.0)
    below = 1 / low
    for k in range(1, _FAR):
        below = below + 1 / (low + k)
    z = torch.where(near, x + _FAR, x)
    square = 1 / (z * z)
    far = z.log() - 0.5 / z - square * _polynomial(square, [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132])
    return torch.where(near, far - below, far)


@decomposes("aten.digamma.default")
def digamma(x: Tensor) -> Tensor:
    x = _float(x)
    beyond = x < 0
    inside = torch.where(beyond, x - x.ceil(), -0.5) * math.pi
    mirrored = _digamma_above(torch.where(beyond, 1 - x, torch.where(x == 0, 1.0, x)))
    found = torch.where(beyond, mirrored - math.pi * inside.cos() / inside.sin(), mirrored)
    found = torch.where(beyond & (x == x.floor()), math.nan, found)
    return torch.where(x == 0, torch.copysign(torch.full_like(x, math.inf), -x), found)


# Terms that are summed before the series of Euler and Maclaurin, and Bernoulli numbers by factorials.
_TERMS = 32
_BERNOULLI = [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000]


def _zeta(s: Tensor, q: Tensor) -> Tensor:
    total = q.pow(-s)
    for k in range(1, _TERMS):
        total = total + (q + k).pow(-s)
    w = q + _TERMS
    power = w.pow(-s)
    total = total + w * power / (s - 1) + power * 0.5
    rising, power = s, power / w
    for j, b in enumerate(_BERNOULLI):
        total = total + rising * power * b
        rising = rising * (s + 2 * j + 1) * (s + 2 * j + 2)
        power = power / (w * w)
    return total


@decomposes("aten.special_zeta.default")
def zeta(s: Tensor, q: Tensor) -> Tensor:
    s, q = torch.broadcast_tensors(_float(s), _float(q))
    whole = q == q.floor()
    # Too far below zero for so many terms.
    undefined = (q <= 0) & (s != s.floor()) | (s < 1) | (q < 8 - _TERMS)
    found = torch.where(undefined, math.nan, _zeta(torch.where(undefined | (s == 1), 2.0, s), torch.where(undefined | (q <= 0) & whole, 1.0, q)))
    return torch.where((s == 1) | (q <= 0) & whole & (s > 1), math.inf, found)


@decomposes("aten.polygamma.default")
def polygamma(n: int, x: Tensor) -> Tensor:
    x = _float(x)
    if n == 0:
        return digamma(x)
    return zeta(torch.full_like(x, n + 1), x) * float((-1) ** (n + 1) * math.factorial(n))


# log(erfc(z) * exp(z * z) / t) by Chebyshev polynomials in t = 2 / (2 + z).
_ERFC = [-1.3026537197817094, 6.4196979235649026e-1, 1.9476473204185836e-2, -9.561514786808631e-3, -9.46595344482036e-4, 3.66839497852761e-4,
         4.2523324806907e-5, -2.0278578112534e-5, -1.624290004647e-6, 1.303655835580e-6, 1.5626441722e-8, -8.5238095915e-8, 6.529054439e-9,
         5.059343495e-9, -9.91364156e-10, -2.27365122e-10, 9.6467911e-11, 2.394038e-12]


def _erfcx_above(z: Tensor) -> Tensor:
    t = 2 / (2 + z)
    y = 4 * t - 2
    d, before = torch.zeros_like(z), torch.zeros_like(z)
    for c in reversed(_ERFC[1:]):
        d, before = y * d - before + c, d
    return t * (0.5 * (_ERFC[0] + y * d) - before).exp()


@decomposes("aten.special_erfcx.default")
def erfcx(x: Tensor) -> Tensor:
    x = _float(x)
    above = _erfcx_above(x.abs())
    below = torch.where(x < 0, x, 0.0)
    return torch.where(x < 0, 2 * (below * below).exp() - above, above)


@decomposes("aten.erfc.default")
def erfc(x: Tensor) -> Tensor:
    x = _float(x)
    above = _erfcx_above(x.abs()) * (-x * x).exp()
    return torch.where(x < 0, 2 - above, above)


# A first guess of erfinv by Giles's polynomials in w = -log(1 - x * x), for w below and above 5.
_CENTER = [1.50140941, 0.246640727, -0.00417768164, -0.00125372503, 0.00021858087, -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08]
_TAIL = [2.83297682, 1.00167406, 0.00943887047, -0.0076224613, 0.00573950773, -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257]


@decomposes("aten.erfinv.default")
def erfinv(x: Tensor) -> Tensor:
    x = _float(x)
    inside = torch.where(x.abs() < 1, x, 0.0)
    w = -((1 - inside) * (1 + inside)).log()
    root = torch.where(w < 5, 9.0, w).sqrt()
    y = inside * torch.where(w < 5, _polynomial(w - 2.5, _CENTER), _polynomial(root - 3, _TAIL))
    for _ in range(2):
        # Near 1 of the complement, whose relative accuracy is kept where it is small.
        a = y.abs()
        power = (a * a).exp()
        center = (inside.abs() - a.erf()) * power
        tail = _erfcx_above(a) - (1 - inside.abs()) * power
        y = torch.copysign(a + torch.where(a < 0.5, center, tail) * (math.sqrt(math.pi) / 2), y)
    return torch.where(x.abs() < 1, y, torch.where(x.abs() == 1, x * math.inf, math.nan))


@decomposes("aten.special_ndtri.default")
def ndtri(p: Tensor) -> Tensor:
    p = _float(p)
    return erfinv(2 * p - 1) * math.sqrt(2)


@decomposes("aten.special_log_ndtr.default")
def log_ndtr(x: Tensor) -> Tensor:
    x = _float(x)
    t = x * math.sqrt(0.5)
    below = torch.where(x < -1, -t, 1.0)
    above = torch.where(x < -1, 0.0, t)
    return torch.where(x < -1, (_erfcx_above(below) * 0.5).log() - below * below, (-0.5 * erfc(above)).log1p())


_BESSEL = {
    0: ([1, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813],
        [0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537, -0.01647633, 0.00392377]),
    1: ([0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411],
        [0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967, -0.02895312, 0.01787654, -0.00420059]),
}
_BETWEEN = 3.75


def _bessel(x: Tensor, order: int, scaled: bool) -> Tensor:
    x = _float(x)
    a = x.abs()
    near, far = _BESSEL[order]
    t = a.clamp(max=_BETWEEN) / _BETWEEN
    low = _polynomial(t * t, near) * (a.clamp(max=_BETWEEN) if order else 1.0)
    z = a.clamp(min=_BETWEEN)
    high = _polynomial(_BETWEEN / z, far) / z.sqrt()
    if scaled:
        low = low * (-a).exp()
    else:
        # In halves, since the exponential ends before the result does.
        half = (z * 0.5).exp()
        high = high * half * half
    found = torch.where(a < _BETWEEN, low, high)
    return torch.where(x < 0, -found, found) if order else found


@decomposes("aten.i0.default")
def i0(x: Tensor) -> Tensor:
    return _bessel(x, 0, scaled=False)


@decomposes("aten.special_i0e.default")
def i0e(x: Tensor) -> Tensor:
    return _bessel(x, 0, scaled=True)


@decomposes("aten.special_i1.default")
def i1(x: Tensor) -> Tensor:
    return _bessel(x, 1, scaled=False)


@decomposes("aten.special_i1e.default")
def i1e(x: Tensor) -> Tensor:
    return _bessel(x, 1, scaled=True)
