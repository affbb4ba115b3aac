# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every operation of a graph computes, in NumPy, written from the dialects' text: the oracle.

Each method gets an operation's attributes, the operation and its operand arrays and returns an array or a tuple of
them. Floats wider than FP8 are computed in `compute` (float32, or float64 to tell a wrong formula from rounding) and
rounded once to the result's type.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from . import gemm_scales, updates
from .families import operations
from .formats import MAX_FINITE, numpy_dtype
from .fused import exact_fma
from .gemm_scales import SCALINGS
from .graph import GraphError, Misfit
from .guards import writable
from .random_bits import random_bits
from .text import Operation, Type

Array = np.ndarray
Attributes = dict[str, Any]


def _round_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


Unary = Callable[[Array], Array]
Binary = Callable[[Array, Array], Array]
_UNARY: dict[str, Unary] = {
    "math.exp": np.exp, "math.exp2": np.exp2, "math.expm1": np.expm1, "math.log": np.log, "math.log2": np.log2,
    "math.log10": np.log10, "math.log1p": np.log1p, "math.sqrt": np.sqrt, "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.cbrt": np.cbrt, "math.sin": np.sin, "math.cos": np.cos, "math.tan": np.tan, "math.asin": np.arcsin,
    "math.acos": np.arccos, "math.atan": np.arctan, "math.sinh": np.sinh, "math.cosh": np.cosh,
    "math.tanh": np.tanh, "math.asinh": np.arcsinh, "math.acosh": np.arccosh,
    "math.atanh": np.arctanh, "math.erf": np.vectorize(math.erf, otypes=[np.float64]),
    "math.erfc": np.vectorize(math.erfc, otypes=[np.float64]), "math.absf": np.abs, "math.floor": np.floor, "math.ceil": np.ceil,
    "math.round": _round_away, "math.roundeven": np.rint, "math.trunc": np.trunc, "math.isnan": np.isnan, "math.isinf": np.isinf,
    "math.isfinite": np.isfinite, "arith.negf": np.negative,
}
_BINARY: dict[str, Binary] = {
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.divf": np.divide, "arith.remf": np.fmod,
    "arith.maximumf": np.maximum, "arith.minimumf": np.minimum, "arith.maxnumf": np.fmax, "arith.minnumf": np.fmin,
    "math.powf": np.power, "math.atan2": np.arctan2, "math.copysign": np.copysign,
}


def _truncated_quotient(x: Array, y: Array) -> Array:
    quotient = x // y
    return quotient + ((quotient < 0) & (quotient * y != x))


def _quotient_above(x: Array, y: Array) -> Array:
    quotient = x // y
    return quotient + (quotient * y != x)


def _same(x: Array) -> Array:
    return x


def signed(x: Array) -> Array:
    """A truth value that is read as a signed integer of one bit is 0 or -1."""
    return -x.astype(np.int8) if x.dtype == np.bool_ else x


def unsigned(x: Array) -> Array:
    return x.astype(np.uint8) if x.dtype == np.bool_ else x.view(f"u{x.dtype}") if x.dtype.kind == "i" else x


# How an operation on integers reads its operands, and what it computes of them; the result keeps its type's lower bits.
_INTEGER: dict[str, tuple[Unary, Callable[..., Array]]] = {
    "arith.addi": (signed, np.add), "arith.subi": (signed, np.subtract), "arith.muli": (signed, np.multiply),
    "arith.andi": (_same, np.bitwise_and), "arith.ori": (_same, np.bitwise_or), "arith.xori": (_same, np.bitwise_xor),
    "arith.maxsi": (signed, np.maximum), "arith.minsi": (signed, np.minimum), "arith.maxui": (unsigned, np.maximum),
    "arith.minui": (unsigned, np.minimum), "arith.shli": (_same, np.left_shift), "arith.shrsi": (signed, np.right_shift),
    "arith.shrui": (unsigned, np.right_shift), "arith.divsi": (signed, _truncated_quotient), "arith.remsi": (signed, np.fmod),
    "arith.floordivsi": (signed, np.floor_divide), "arith.ceildivsi": (signed, _quotient_above),
    "arith.divui": (unsigned, np.floor_divide), "arith.remui": (unsigned, np.remainder), "math.absi": (signed, np.abs),
    "arith.extui": (unsigned, _same), "arith.extsi": (signed, _same), "arith.trunci": (_same, _same),
    "arith.index_cast": (signed, _same), "arith.index_castui": (unsigned, _same),
    "arith.sitofp": (signed, _same), "arith.uitofp": (unsigned, _same),
}
_COMPARE: dict[str, Binary] = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


class Numpy:
    """The backend of NumPy: every operation and format. Arrays are np.ndarray of the graph's shapes and types; what is
    f32 in the graph is computed and kept in `compute`, np.float32 or np.float64."""

    is_rank = False

    def __init__(self, compute: type[np.float32] | type[np.float64] = np.float32) -> None:
        self.compute = compute

    def dtype(self, type_: Type) -> type[np.generic]:
        element: Any = getattr(type_, "element", type_)
        return self.compute if element == "f32" else numpy_dtype(element)

    def wide(self, x: Array) -> Array:
        return x.astype(self.compute) if x.dtype not in (np.float64, np.bool_, np.int64, np.int32, np.int16, np.int8) else x

    def to(self, x: npt.ArrayLike, type_: Type) -> Array:
        x, dtype = np.asarray(x), self.dtype(type_)
        if dtype == np.bool_ and x.dtype != np.bool_:
            x = x.astype(np.int64) & 1
        return x.astype(dtype)

    def tensor(self, given: Any, type_: Type) -> Array:
        """An array of the type. Floats are rounded to it; what it does not hold is a Misfit."""
        if hasattr(given, "detach"):
            if given.is_meta:
                raise Misfit("a tensor without values")
            given = given.detach().cpu()
            given = given.float().numpy() if str(given.dtype) == "torch.bfloat16" else given.numpy()
        array, dtype = np.asarray(given), np.dtype(self.dtype(type_))
        with np.errstate(all="ignore"):
            made = array.astype(dtype)
        if dtype.kind in "bi" and array.dtype.kind in "bif" and (made != array).any():
            raise Misfit(f"{array[made != array].flat[0]}")
        return made

    def apply(self, op: Operation, *x: Array) -> tuple[Array, ...]:
        """Results of `op`, checked against their types."""
        with np.errstate(all="ignore"):
            out = self._apply(op, *x)
        out = out if isinstance(out, tuple) else (out,)
        if len(out) != len(op.result_types):
            raise GraphError(f"{op.place}: {op.name} must have {len(out)} results, but got {len(op.result_types)}")
        for o, t in zip(out, op.result_types):
            if np.asarray(o).dtype.kind not in "biu" and np.dtype(self.dtype(t)).kind in "bi":
                raise GraphError(f"{op.place}: {op.name} gives {np.asarray(o).dtype}, but its type says {getattr(t, 'element', t)}")
        with np.errstate(all="ignore"):
            rounded = tuple(self.to(o, t) for o, t in zip(out, op.result_types))
        for o, t in zip(rounded, op.result_types):
            shape = getattr(t, "shape", ())
            if o.shape != shape:
                raise GraphError(f"{op.place}: {op.name} gives {list(o.shape)}, but its type says {list(shape)}")
        return rounded

    def _apply(self, op: Operation, *x: Array) -> Any:
        name = op.name
        if name in _UNARY:
            return _UNARY[name](self.wide(x[0]))
        if name in _BINARY:
            return _BINARY[name](self.wide(x[0]), self.wide(x[1]))
        if name in _INTEGER:
            read, compute = _INTEGER[name]
            return compute(*map(read, x))
        method = "op_" + name.replace(".", "_")
        if hasattr(self, method):
            return getattr(self, method)(op.attributes, op, *x)
        if method in operations("numpy_families"):
            return operations("numpy_families")[method](self, op.attributes, op, *x)
        raise NotImplementedError(f"{op.place}: no semantics for {name} in NumPy")

    # arith, math and tensor.

    def op_arith_constant(self, a: Attributes, op: Operation) -> Array:
        return np.broadcast_to(np.asarray(a["value"]).astype(self.dtype(op.result_types[0])), getattr(op.result_types[0], "shape", ()))

    def op_arith_extf(self, a: Attributes, op: Operation, x: Array) -> Array:
        return self.wide(x)

    op_arith_truncf = op_arith_extf

    def op_arith_fptosi(self, a: Attributes, op: Operation, x: Array) -> Array:
        return self.wide(x).astype(np.int64)

    def op_arith_fptoui(self, a: Attributes, op: Operation, x: Array) -> Array:
        return self.wide(x).astype(np.uint64).view(np.int64)

    def op_arith_bitcast(self, a: Attributes, op: Operation, x: Array) -> Array:  # What is computed in float64 has the bits of f32.
        bits = x.astype(np.float32) if op.operand_types[0].element == "f32" else x
        return bits.view(numpy_dtype(op.result_types[0].element))

    def op_arith_cmpf(self, a: Attributes, op: Operation, x: Array, y: Array) -> Array:
        p = a["predicate"]
        x, y = self.wide(x), self.wide(y)
        unordered = np.isnan(x) | np.isnan(y)
        if p in ("true", "false"):
            return np.full(x.shape, p == "true")
        if p in ("ord", "uno"):
            return unordered if p == "uno" else ~unordered
        return _COMPARE[p[1:]](x, y) & ~unordered if p[0] == "o" else _COMPARE[p[1:]](x, y) | unordered

    def op_arith_cmpi(self, a: Attributes, op: Operation, x: Array, y: Array) -> Array:
        read = unsigned if a["predicate"][0] == "u" else signed
        return _COMPARE[a["predicate"][-2:]](read(x), read(y))

    def op_arith_select(self, a: Attributes, op: Operation, c: Array, x: Array, y: Array) -> Array:
        return np.where(c, x, y)

    def op_math_fma(self, a: Attributes, op: Operation, x: Array, y: Array, z: Array) -> Array:
        return exact_fma(np.where, *(v.astype(np.float64) for v in (x, y, z)))

    def op_math_fpowi(self, a: Attributes, op: Operation, x: Array, y: Array) -> Array:
        return np.power(self.wide(x), y.astype(self.compute))

    def op_math_ipowi(self, a: Attributes, op: Operation, x: Array, y: Array) -> Array:
        # Of a negative exponent, the inverse rounded towards zero.
        power = np.power(x, np.maximum(y, 0))
        return np.where(y >= 0, power, np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0)))

    def op_math_clampf(self, a: Attributes, op: Operation, x: Array, low: Array, high: Array) -> Array:
        return np.clip(self.wide(x), self.wide(low), self.wide(high))

    def op_reshape(self, a: Attributes, op: Operation, x: Array) -> Array:
        return x.reshape(op.result_types[0].shape)

    op_tensor_collapse_shape = op_tensor_expand_shape = op_tensor_cast = op_reshape

    def op_tensor_extract_slice(self, a: Attributes, op: Operation, x: Array) -> Array:
        return x[_slices(a)].reshape(op.result_types[0].shape)

    def op_tensor_insert_slice(self, a: Attributes, op: Operation, x: Array, into: Array) -> Array:
        out = into.copy()
        out[_slices(a)] = x.reshape(out[_slices(a)].shape)
        return out

    def op_tensor_concat(self, a: Attributes, op: Operation, *x: Array) -> Array:
        return np.concatenate(x, a["dim"])

    def op_tensor_empty(self, a: Attributes, op: Operation) -> Array:
        return np.zeros(op.result_types[0].shape, self.dtype(op.result_types[0]))

    def op_tensor_splat(self, a: Attributes, op: Operation, x: Array) -> Array:
        return np.full(op.result_types[0].shape, x)

    # prec_train: structure.

    def op_prec_train_matmul(self, a: Attributes, op: Operation, x: Array, y: Array, *bias: Array) -> Array:
        x, y = self.wide(x), self.wide(y)
        out = (x.swapaxes(-1, -2) if a.get("transpose_a") else x) @ (y.swapaxes(-1, -2) if a.get("transpose_b") else y)
        return out + self.wide(bias[0]) if bias else out

    def op_prec_train_reduce(self, a: Attributes, op: Operation, x: Array) -> Array:
        x, axis, kind = self.wide(x), tuple(a["dims"]), a["kind"]
        if kind not in ("sum", "max", "min"):
            raise NotImplementedError(f"{op.place}: no semantics for prec_train.reduce {kind} in NumPy")
        if kind == "sum":
            return np.sum(x, axis)
        x = signed(x)
        start: dict[str, Any] = {} if x.dtype.kind == "i" else {"initial": -np.inf if kind == "max" else np.inf}
        return (np.fmax if kind == "max" else np.fmin).reduce(x, axis, **start)

    def op_prec_train_broadcast(self, a: Attributes, op: Operation, x: Array) -> Array:
        shape = op.result_types[0].shape
        return np.broadcast_to(x.reshape([shape[d] if d in a["dims"] else 1 for d in range(len(shape))]), shape)

    def op_prec_train_transpose(self, a: Attributes, op: Operation, x: Array) -> Array:
        return x.transpose(a["permutation"])

    def op_prec_train_iota(self, a: Attributes, op: Operation) -> Array:
        shape, dim = op.result_types[0].shape, a["dim"]
        return np.broadcast_to(np.arange(shape[dim]).reshape([-1 if d == dim else 1 for d in range(len(shape))]), shape)

    def op_prec_train_gather(self, a: Attributes, op: Operation, table: Array, ids: Array) -> Array:
        return table[in_range(op, ids, len(table))]

    op_prec_train_embedding = op_prec_train_gather

    def op_prec_train_sort_ids(self, a: Attributes, op: Operation, ids: Array) -> Array:
        order = np.argsort(ids.reshape(-1), kind="stable")
        return np.stack([ids.reshape(-1)[order], order]).astype(np.int32)

    def op_prec_train_scatter_add(self, a: Attributes, op: Operation, init: Array, ids: Array, updates: Array, order: Array | None = None) -> Array:
        sums = np.zeros(init.shape, self.compute)
        np.add.at(sums, in_range(op, ids, len(init)), self.wide(updates))
        return self.wide(init) + self.wide(self.to(sums, op.result_types[0]))

    def op_prec_train_embedding_grad(self, a: Attributes, op: Operation, g: Array, ids: Array) -> Array:
        return self.op_prec_train_scatter_add(a, op, np.zeros(op.result_types[0].shape, self.compute), ids, g)

    # prec_train: composites.

    def op_prec_train_rms_norm(self, a: Attributes, op: Operation, x: Array, gamma: Array) -> tuple[Array, Array]:
        x, gamma = self.wide(x), self.wide(gamma)
        rstd = 1 / np.sqrt(np.mean(x * x, -1) + self.compute(a["eps"]))
        return x * rstd[..., None] * gamma, rstd

    def op_prec_train_rms_norm_grad(self, a: Attributes, op: Operation, g: Array, x: Array, gamma: Array, rstd: Array) -> tuple[Array, Array]:
        g, x, gamma, rstd = map(self.wide, (g, x, gamma, rstd))
        h, n = g * gamma, x * rstd[..., None]
        return rstd[..., None] * (h - n * np.mean(h * n, -1, keepdims=True)), rows(g * n).sum(0)

    def op_prec_train_layer_norm(self, a: Attributes, op: Operation, x: Array, gamma: Array, beta: Array) -> tuple[Array, Array, Array]:
        x, gamma, beta = map(self.wide, (x, gamma, beta))
        mean = np.mean(x, -1)
        centered = x - mean[..., None]
        rstd = 1 / np.sqrt(np.mean(centered * centered, -1) + self.compute(a["eps"]))
        return centered * rstd[..., None] * gamma + beta, mean, rstd

    def op_prec_train_layer_norm_grad(
        self, a: Attributes, op: Operation, g: Array, x: Array, gamma: Array, mean: Array, rstd: Array
    ) -> tuple[Array, Array, Array]:
        g, x, gamma, mean, rstd = map(self.wide, (g, x, gamma, mean, rstd))
        h, n = g * gamma, (x - mean[..., None]) * rstd[..., None]
        dx = rstd[..., None] * (h - np.mean(h, -1, keepdims=True) - n * np.mean(h * n, -1, keepdims=True))
        return dx, rows(g * n).sum(0), rows(g).sum(0)

    def op_prec_train_softmax(self, a: Attributes, op: Operation, x: Array) -> Array:
        x = self.wide(x)
        e = np.exp(x - np.max(x, -1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def op_prec_train_softmax_grad(self, a: Attributes, op: Operation, g: Array, y: Array) -> Array:
        g, y = self.wide(g), self.wide(y)
        return y * (g - (g * y).sum(-1, keepdims=True))

    def op_prec_train_cross_entropy(self, a: Attributes, op: Operation, logits: Array, labels: Array) -> tuple[Array, Array, Array]:
        logits, valid = self.wide(logits), labels != a["ignore_index"]
        maximum = logits.max(-1)
        log_sum = np.log(np.exp(logits - maximum[..., None]).sum(-1))
        ids = in_range(op, np.where(valid, labels, 0), logits.shape[-1])
        picked = np.take_along_axis(logits, ids[..., None], -1)[..., 0]
        loss = np.where(valid, log_sum + (maximum - picked), 0).sum() / self.compute(max(valid.sum(), 1))
        return loss, maximum, log_sum

    def op_prec_train_cross_entropy_grad(
        self, a: Attributes, op: Operation, g: Array, logits: Array, labels: Array, maximum: Array, log_sum: Array
    ) -> Array:
        g, logits, maximum, log_sum = map(self.wide, (g, logits, maximum, log_sum))
        valid = labels != a["ignore_index"]
        onehot = np.arange(logits.shape[-1]) == labels[..., None]
        d = (np.exp((logits - maximum[..., None]) - log_sum[..., None]) - onehot) * (g / self.compute(max(valid.sum(), 1)))
        return np.where(valid[..., None], d, 0)

    def op_prec_train_dropout(self, a: Attributes, op: Operation, x: Array, seed: Array) -> Array:
        if seed < 0:
            return x
        kept = random_bits(x.shape, seed, a["stream"]) >= np.floor(np.float64(np.float32(a["probability"])) * 2**32)
        return np.where(kept, self.wide(x) * self.compute(1 / (1 - np.float64(np.float32(a["probability"])))), self.compute(0))

    def _scores(self, a: Attributes, q: Array, k: Array, bias: tuple[Array, ...]) -> Array:
        k = np.repeat(k, q.shape[1] // k.shape[1], 1)
        s = (q @ k.swapaxes(-1, -2)) * self.compute(a["scale"])
        for b in bias:
            s = s + self.wide(b)
        if not a.get("causal"):
            return s
        rows, columns = np.ogrid[:s.shape[-2], :s.shape[-1]]
        seen = columns <= rows
        if a.get("window") is not None:
            seen = seen & (columns > rows - a["window"])
        return np.where(seen, s, -np.inf)

    def op_prec_train_attention(self, a: Attributes, op: Operation, q: Array, k: Array, v: Array, *bias: Array) -> tuple[Array, Array]:
        q, k, v = map(self.wide, (q, k, v))
        s = self._scores(a, q, k, bias)
        lse = logsumexp(s)
        return np.exp(s - lse[..., None]) @ np.repeat(v, q.shape[1] // v.shape[1], 1), lse

    op_prec_sched_sdpa = op_prec_train_attention

    def op_prec_train_attention_grad(
        self, a: Attributes, op: Operation, g: Array, q: Array, k: Array, v: Array, out: Array, lse: Array, *bias: Array
    ) -> tuple[Array, Array, Array]:
        g, q, k, v, out, lse = map(self.wide, (g, q, k, v, out, lse))
        groups, repeat = k.shape[1], q.shape[1] // k.shape[1]
        p = np.exp(self._scores(a, q, k, bias) - lse[..., None])
        dp = g @ np.repeat(v, repeat, 1).swapaxes(-1, -2)
        ds = p * (dp - (g * out).sum(-1, keepdims=True)) * self.compute(a["scale"])

        def fold(x: Array) -> Array:
            return x.reshape(x.shape[0], groups, repeat, *x.shape[2:]).sum(2)
        return ds @ np.repeat(k, repeat, 1), fold(ds.swapaxes(-1, -2) @ q), fold(p.swapaxes(-1, -2) @ g)

    op_prec_sched_sdpa_grad = op_prec_train_attention_grad

    # prec_train: optimizer.

    def op_prec_train_global_norm(self, a: Attributes, op: Operation, *g: Array) -> Array:
        return np.sqrt(sum(np.square(self.wide(x)).sum() for x in g))

    def op_prec_train_clip(self, a: Attributes, op: Operation, norm: Array, max_norm: Array) -> Array:
        return np.minimum(self.compute(1), max_norm / (norm + self.compute(1e-6)))

    def _updated(self, op: Operation, guard: Array | None, old: tuple[Array, ...], new: tuple[Array, ...], update: Array) -> tuple[Array, ...]:
        """The results of an optimizer: new values, or with a guard old ones where it is false or an element too large
        to be written; then what the parameter should gain, if asked."""
        if guard is not None and not guard:
            new, update = old, np.full(old[0].shape, -0.0)
        elif guard is not None:
            new = tuple(map(np.where, writable(new, [t.element for t in op.result_types[:len(old)]]), new, old))
        return (*new, update) if len(op.result_types) > len(old) else tuple(new)

    def op_prec_train_adamw(
        self,
        a: Attributes,
        op: Operation,
        p: Array,
        g: Array,
        m: Array,
        v: Array,
        lr: Array,
        beta1: Array,
        beta2: Array,
        eps: Array,
        decay: Array,
        step: Array,
        scale: Array,
        guard: Array | None = None,
    ) -> tuple[Array, ...]:
        old = p, m, v
        p, g, m, v = map(self.wide, (p, g, m, v))
        one = self.compute(1)
        g = g * scale
        kept = p - p * (lr * decay)
        m = m + (g - m) * (one - beta1)
        v = v * beta2 + g * g * (one - beta2)
        # Scalars are computed in f64, as the framework does.
        b1, b2, t = (np.float64(x) for x in (beta1, beta2, step))
        root = np.sqrt(v) / self.compute(np.sqrt(1 - b2**t)) + eps
        change = self.compute(np.float64(lr) / (1 - b1**t)) * m / root
        return self._updated(op, guard, old, (kept - change, m, v), -lr * decay * p - change)

    def op_prec_train_sgd(
        self, a: Attributes, op: Operation, p: Array, g: Array, lr: Array, decay: Array, step: Array, scale: Array, guard: Array | None = None
    ) -> tuple[Array, ...]:
        old = p,
        p, g = map(self.wide, (p, g))
        change = lr * (g * scale + decay * p)
        return self._updated(op, guard, old, (p - change,), -change)

    def op_prec_train_sgd_momentum(
        self,
        a: Attributes,
        op: Operation,
        p: Array,
        g: Array,
        b: Array,
        lr: Array,
        momentum: Array,
        dampening: Array,
        decay: Array,
        step: Array,
        scale: Array,
        guard: Array | None = None,
    ) -> tuple[Array, ...]:
        old = p, b
        p, g, b = map(self.wide, (p, g, b))
        g = g * scale + decay * p
        b = g if step == 1 else momentum * b + (self.compute(1) - dampening) * g
        change = lr * (g + momentum * b if a.get("nesterov") else b)
        return self._updated(op, guard, old, (p - change, b), -change)

    def op_prec_train_lion(
        self,
        a: Attributes,
        op: Operation,
        p: Array,
        g: Array,
        m: Array,
        lr: Array,
        beta1: Array,
        beta2: Array,
        decay: Array,
        step: Array,
        scale: Array,
        guard: Array | None = None,
    ) -> tuple[Array, ...]:
        old, one = (p, m), self.compute(1)
        p, g, m = map(self.wide, (p, g, m))
        g = g * scale
        change = lr * np.sign(m * beta1 + g * (one - beta1))
        return self._updated(op, guard, old, (p - p * (lr * decay) - change, m * beta2 + g * (one - beta2)), -lr * decay * p - change)

    def _adafactor(
        self,
        op: Operation,
        guard: Array | None,
        old: tuple[Array, ...],
        p: Array,
        g: Array,
        v: Array,
        states: tuple[Array, ...],
        lr: Array,
        eps1: Array,
        eps2: Array,
        d: Array,
        decay: Array,
        step: Array,
    ) -> tuple[Array, ...]:
        u = g / np.sqrt(np.maximum(v, eps1 * eps1))
        rate = np.minimum(lr, 1 / np.sqrt(step)) * np.maximum(eps2, np.sqrt(np.mean(p * p)))
        change = u * (rate / np.maximum(self.compute(1), np.sqrt(np.mean(u * u)) / d))
        return self._updated(op, guard, old, (p - p * (lr * decay) - change, *states), -lr * decay * p - change)

    def op_prec_train_adafactor(
        self,
        a: Attributes,
        op: Operation,
        p: Array,
        g: Array,
        r: Array,
        c: Array,
        lr: Array,
        beta2_decay: Array,
        eps1: Array,
        eps2: Array,
        d: Array,
        decay: Array,
        step: Array,
        scale: Array,
        guard: Array | None = None,
    ) -> tuple[Array, ...]:
        old, weight = (p, r, c), self.compute(np.float64(step) ** np.float64(beta2_decay))
        p, g, r, c = map(self.wide, (p, g, r, c))
        g = g * scale
        r = r + (np.mean(g * g, -1, keepdims=True) - r) * weight
        c = c + (np.mean(g * g, -2, keepdims=True) - c) * weight
        v = r * c / np.maximum(np.mean(r, -2, keepdims=True), eps1)
        return self._adafactor(op, guard, old, p, g, v, (r, c), lr, eps1, eps2, d, decay, step)

    def op_prec_train_adafactor_unfactored(
        self,
        a: Attributes,
        op: Operation,
        p: Array,
        g: Array,
        v: Array,
        lr: Array,
        beta2_decay: Array,
        eps1: Array,
        eps2: Array,
        d: Array,
        decay: Array,
        step: Array,
        scale: Array,
        guard: Array | None = None,
    ) -> tuple[Array, ...]:
        old, weight = (p, v), self.compute(np.float64(step) ** np.float64(beta2_decay))
        p, g, v = map(self.wide, (p, g, v))
        g = g * scale
        v = v + (g * g - v) * weight
        return self._adafactor(op, guard, old, p, g, v, (v,), lr, eps1, eps2, d, decay, step)

    def op_prec_train_update(self, a: Attributes, op: Operation, *x: Array) -> tuple[Array, ...]:
        old, new, update, guard = updates.run(self, op, x)
        # A formula may give one number for all elements.
        new = [np.broadcast_to(n, o.shape) for n, o in zip(new, old)]
        return self._updated(op, guard, tuple(old), tuple(new), np.broadcast_to(update, old[0].shape))

    # prec.

    def op_prec_amax(self, a: Attributes, op: Operation, x: Array) -> Array:
        x = np.abs(self.wide(x))
        if "nan_is_infinite" in a:
            x = np.where(np.isnan(x), self.compute(np.inf), x)
        return fine_amax(x, a.get("scaling", "tensor_current"))

    def op_prec_block_scale(self, a: Attributes, op: Operation, amax: Array, tensor_scale: Array | None = None) -> tuple[Array, Array]:
        scale, scale_inv = self._block_scale(a, amax, tensor_scale)
        return scale, gemm_scales.lay_out(scale_inv.astype(numpy_dtype(op.result_types[1].element)), a["scaling"])

    def _block_scale(self, a: Attributes, amax: Array, tensor_scale: Array | None) -> tuple[Array, Array]:
        bad = np.isinf(amax)
        if tensor_scale is None:
            limit = MAX_FINITE[a["format"]]
            if "round_up" in a:
                fraction, exponent = np.frexp(amax.astype(np.float64) / limit)
                exponent = np.where(fraction == 0.5, exponent - 1, exponent)
            else:
                exponent = np.frexp(amax)[1] - math.frexp(limit)[1]
            exponent = np.maximum(np.where(amax > 0, exponent, -127), -127)
            return np.where(bad, np.nan, np.exp2(-exponent.astype(np.float64))), np.where(bad, np.nan, np.exp2(exponent.astype(np.float64)))
        exact = amax.astype(np.float32) / np.float32(6) * np.float32(tensor_scale)
        scale_inv = np.where(bad, np.float32(np.nan), np.minimum(exact, np.float32(448))).astype(ml_dtypes.float8_e4m3fn)
        wide = scale_inv.astype(np.float32)
        return np.where(wide == 0, np.float32(0), np.float32(tensor_scale) / wide), scale_inv

    def op_prec_update_scale(self, a: Attributes, op: Operation, amax: Array) -> tuple[Array, Array]:
        word = a["format"]
        largest = (6 * 448 if word == "e2m1" else MAX_FINITE[word]) / 2 ** a.get("margin", 0)
        scale = self.compute(largest) / np.maximum(amax, self.compute(a.get("epsilon", 1e-12)))
        if "power_of_two" in a:
            scale = np.exp2(np.floor(np.log2(scale)))
        return scale, gemm_scales.lay_out(self.compute(1) / scale, a.get("scaling", "tensor_current"))

    def op_prec_hadamard(self, a: Attributes, op: Operation, x: Array) -> Array:
        i, j = np.indices((16, 16))
        signs = np.array([1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1])[:, None] * (-1) ** np.bitwise_count(i & j)
        groups = self.wide(x).reshape(-1, 16)
        total = sum(groups[:, k:k + 1] * signs[k].astype(self.compute) for k in range(16))
        return (total * self.compute(0.25)).reshape(x.shape)

    def op_prec_quantize(self, a: Attributes, op: Operation, x: Array, scale: Array, seed: Array | None = None) -> Array:
        limit = MAX_FINITE[op.result_types[0].element]
        scaled = np.clip(self.wide(x) * spread(scale, a.get("scaling", "tensor_current"), x.shape), -limit, limit)
        if seed is not None:
            size = np.abs(scaled)
            ulp = np.where(size < 2, 0.5, np.where(size < 4, 1.0, 2.0)).astype(self.compute)
            part = np.multiply((random_bits(x.shape, seed, a["stream"]) >> 8).astype(self.compute), self.compute(2.0**-24))
            scaled = np.where(np.isnan(scaled), scaled, np.copysign(np.floor(size / ulp + part) * ulp, scaled))
        return np.where(np.isnan(scaled), limit, scaled) if op.result_types[0].element == "f4E2M1FN" else scaled

    def op_prec_dequantize(self, a: Attributes, op: Operation, x: Array, scale_inv: Array) -> Array:
        return self.wide(x) * scale_inv

    def op_prec_scaled_matmul(self, a: Attributes, op: Operation, x: Array, sx: Array, y: Array, sy: Array, *of_tensors: Array) -> Array:
        if of_tensors and of_tensors[-1].ndim:
            return self.op_prec_scaled_matmul(a, op, x, sx, y, sy) + self.wide(of_tensors[-1])
        product = scaled_product(self.wide(x), self.wide(sx), a.get("lhs_scaling", "tensor_current"), self.wide(y), self.wide(sy),
                                 a.get("rhs_scaling", "tensor_current"))
        return product * np.prod(of_tensors, dtype=self.compute)

    # prec_sched: library calls. A dispatch is evaluated by its body.

    def op_prec_sched_gemm(self, a: Attributes, op: Operation, x: Array, y: Array, *rest: Array) -> Array:
        sizes = a.get("operandSegmentSizes", [1, 1, len(rest), 0, 0])
        more = list(rest)
        bias = self.wide(more.pop()) if sizes[7:] == [1] else self.compute(0)
        init = self.wide(more.pop(0)) if sizes[2] else self.compute(0)
        if SCALINGS[a.get("lhs_scaling", "none")].is_fine:
            return self.op_prec_scaled_matmul(a, op, x, more[0], y, more[1], *more[2:]) + init
        out = self.op_prec_train_matmul(a, op, x, y) * self.compute(a.get("alpha", 1.0))
        for scale in more:
            out = out * scale
        return out + init + bias

    def op_prec_sched_conv(self, a: Attributes, op: Operation, x: Array, y: Array) -> Array:
        name = {"fprop": "conv", "dgrad": "conv_grad_input", "wgrad": "conv_grad_weight"}[a["direction"]]
        result: Array = operations("numpy_families")[f"op_prec_train_{name}"](self, a, op, x, y)
        return result

    def op_prec_sched_call(self, a: Attributes, op: Operation, *xs: Array) -> Array | tuple[Array, ...]:
        result: Array | tuple[Array, ...] = operations("numpy_families")["op_prec_train_custom"](self, a, op, *xs)
        return result

    def op_prec_sched_copy(self, a: Attributes, op: Operation, x: Array) -> Array:
        return x

    op_prec_sched_fill = op_tensor_empty


def fine_amax(magnitudes: Array, scaling: str) -> Array:
    """Of the tensor, or of its rows or blocks."""
    found = SCALINGS[scaling]
    if not found.is_fine:
        return np.fmax.reduce(magnitudes, axis=None, initial=0)
    if not found.columns:
        return np.fmax.reduce(magnitudes, axis=1, initial=0)
    largest = np.fmax.reduceat(magnitudes, range(0, magnitudes.shape[1], found.columns), axis=1)
    return np.fmax(np.fmax.reduceat(largest, range(0, len(magnitudes), found.rows), axis=0), 0)


def spread(scales: Array, scaling: str, shape: tuple[int, ...]) -> Array:
    """The scale of each element."""
    if not SCALINGS[scaling].is_fine:
        return scales
    rows, columns = shape
    return gemm_scales.spread(scales if scales.ndim == 2 else scales[:, None], scaling, (rows, columns))


def scaled_product(x: Array, sx: Array, x_scaling: str, y: Array, sy: Array, y_scaling: str) -> Array:
    """x [M,K] times y [N,K] transposed, both dequantized by their inverse scales."""
    if not SCALINGS[x_scaling].is_fine:
        return (x @ y.swapaxes(-1, -2)) * (sx * sy)
    sx, sy = (gemm_scales.spread(gemm_scales.by_block(s, scaling, v.shape), scaling, v.shape)
              for s, scaling, v in ((sx, x_scaling, x), (sy, y_scaling, y)))
    if SCALINGS[x_scaling].is_micro:
        return (x * sx) @ (y * sy).T
    depth, total = min(SCALINGS[scaling].sum or x.shape[1] for scaling in (x_scaling, y_scaling)), np.zeros((), x.dtype)
    for begin in range(0, x.shape[1], depth):
        part = slice(begin, begin + depth)
        total = total + x[:, part] @ y[:, part].T * sy[:, begin] * sx[:, begin, None]
    return total


def _slices(a: Attributes) -> tuple[slice, ...]:
    return tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(a["offsets"], a["sizes"], a["strides"]))


def in_range(op: Operation, ids: Array, count: int) -> Array:
    """Whoever feeds a step checks ids; NumPy would count negative ones from the end."""
    if ids.size and not 0 <= ids.min() <= ids.max() < count:
        raise GraphError(f"{op.place}: ids of {op.name} must be 0 to {count - 1}, but got {ids.min() if ids.min() < 0 else ids.max()}")
    return ids


def rows(x: Array) -> Array:
    return x.reshape(-1, x.shape[-1])


def logsumexp(x: Array) -> Array:
    top = np.max(x, -1, keepdims=True)
    return (np.log(np.exp(x - top).sum(-1, keepdims=True)) + top)[..., 0]
