# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values with bounds of the error that FP32 arithmetic makes in them, by running error analysis in FP64.

A `Bounded` stands for every FP32 program that computes its value by the same operations in any order: each operation
errs by at most SLACK * u of its result, a sum of n terms by (n + SLACK) * u of the sum of their magnitudes, u = 2^-24,
and what its operands are off by is carried on. What FP32 holds is not rounded: a sum, a difference or a product that it
holds, and a sum whose terms are all multiples of a power of two so large that FP32 holds every partial sum.
"""
import torch

U = 2.0**-24
SLACK = 2  # A rounding, and one more for a formula with one more operation.
FUNCTION = 8  # exp, tanh and their like: four units in the last place.


def _quantum(x):
    """The largest power of two that x is a multiple of."""
    mantissa, exponent = torch.frexp(x)
    whole = (mantissa * 2.0**53).long()
    return torch.where(x == 0, torch.inf, torch.ldexp((whole & -whole).double(), exponent - 53))


class Bounded:
    def __init__(self, value, error=None):
        self.value = value.double()
        self.error = torch.zeros_like(self.value) if error is None else error

    @staticmethod
    def of(x):
        return x if isinstance(x, Bounded) else Bounded(torch.as_tensor(x))

    @property
    def shape(self):
        return self.value.shape

    def _view(self, function):
        return Bounded(function(self.value), function(self.error))

    def _computed(self, value, carried, units=SLACK):
        # Of what is infinite, or zero because of it, nothing is off.
        return Bounded(value, torch.nan_to_num(carried + units * U * value.abs(), nan=0.0, posinf=0.0))

    def _rounded_once(self, value, carried):
        held = (carried == 0) & (value.float() == value)
        result = self._computed(value, carried)
        result.error[held] = 0
        return result

    def _summed(self, value, carried, magnitudes, count, quantum):
        held = (carried == 0) & (magnitudes <= quantum * 2.0**24)
        return Bounded(value, torch.where(held, 0.0, carried + (count + SLACK) * U * magnitudes))

    # What moves values.

    def t(self):
        return self._view(lambda x: x.t())

    def transpose(self, *dims):
        return self._view(lambda x: x.transpose(*dims))

    def view(self, *shape):
        return self._view(lambda x: x.reshape(*shape))

    reshape = view

    def unflatten(self, *arguments):
        return self._view(lambda x: x.unflatten(*arguments))

    def repeat(self, *counts):
        return self._view(lambda x: x.repeat(*counts))

    def repeat_interleave(self, *arguments):
        return self._view(lambda x: x.repeat_interleave(*arguments))

    def gather(self, dim, index):
        return self._view(lambda x: x.gather(dim, index))

    def clone(self):
        return self._view(lambda x: x.clone())

    def __getitem__(self, key):
        return self._view(lambda x: x[key])

    def __setitem__(self, key, value):
        self.value[key], self.error[key] = value, 0

    def __len__(self):
        return len(self.value)

    def chunk(self, count, dim):
        return [Bounded(*both) for both in zip(self.value.chunk(count, dim), self.error.chunk(count, dim))]

    # Arithmetic.

    def __neg__(self):
        return Bounded(-self.value, self.error)

    def __add__(self, other):
        other = Bounded.of(other)
        return self._rounded_once(self.value + other.value, self.error + other.error)

    def __sub__(self, other):
        return self + -Bounded.of(other)

    def __rsub__(self, other):
        return Bounded.of(other) + -self

    def __mul__(self, other):
        other = Bounded.of(other)
        carried = self.value.abs() * other.error + self.error * other.value.abs() + self.error * other.error
        return self._rounded_once(self.value * other.value, carried)

    def __truediv__(self, other):
        other = Bounded.of(other)
        value = self.value / other.value
        return self._computed(value, (self.error + value.abs() * other.error) / (other.value.abs() - other.error))

    def __rtruediv__(self, other):
        return Bounded.of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    # Functions; monotone ones carry on what their ends differ by.

    def _monotone(self, function):
        value = function(self.value)
        ends = (function(self.value - self.error) - value).abs(), (function(self.value + self.error) - value).abs()
        return self._computed(value, torch.maximum(*ends), FUNCTION)

    def exp(self):
        return self._monotone(torch.exp)

    def log(self):
        return self._monotone(torch.log)

    def rsqrt(self):
        return self._monotone(torch.rsqrt)

    def sqrt(self):
        return self._monotone(torch.sqrt)

    def tanh(self):
        return self._monotone(torch.tanh)

    def clamp(self, max):
        return Bounded(self.value.clamp(max=max), self.error)

    def cos(self):
        return self._computed(self.value.cos(), self.error, FUNCTION)

    def sin(self):
        return self._computed(self.value.sin(), self.error, FUNCTION)

    # Sums.

    def abs(self):
        return Bounded(self.value.abs(), self.error)

    def amax(self, dim, keepdim=False):
        return Bounded(self.value.amax(dim, keepdim), self.error.amax(dim, keepdim))

    def sum(self, dim):
        magnitudes = (self.value.abs() + self.error).sum(dim)
        return self._summed(self.value.sum(dim), self.error.sum(dim), magnitudes, self.value.shape[dim], _quantum(self.value).amin(dim))

    def __matmul__(self, other):
        a, b, da, db = self.value.abs(), other.value.abs(), self.error, other.error
        quantum = _quantum(self.value).amin(-1)[..., None] * _quantum(other.value).amin(-2)[..., None, :]
        return self._summed(self.value @ other.value, a @ db + da @ b + da @ db, (a + da) @ (b + db), a.shape[-1], quantum)
