# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every operation that importing makes computes, in PyTorch: quick, and as independent of the importer as a second
reading of the dialects' text can be.

Every f32 of a graph is computed in one precision (float64 by default, which separates a wrong formula, off by far more
than 1e-9, from rounding); integers have their own types and wrap as these do. Narrow floats and the operations of
`prec` and `prec_sched`, which materialization brings, are the NumPy backend's alone.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor

from . import updates
from .families import operations
from .fused import exact_fma
from .graph import GraphError, Misfit
from .guards import writable
from .random_bits import bits
from .text import Operation, Type

Attributes = dict[str, Any]
_INTEGERS = {"i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "index": torch.int64}


def _round_away(x: Tensor) -> Tensor:
    whole = x.trunc()
    return torch.where((x - whole).abs() >= 0.5, whole + x.sign(), whole)


Unary = Callable[[Tensor], Tensor]
Binary = Callable[[Tensor, Tensor], Tensor]
_UNARY: dict[str, Unary] = {
    "math.exp": torch.exp, "math.exp2": torch.exp2, "math.expm1": torch.expm1, "math.log": torch.log, "math.log2": torch.log2,
    "math.log10": torch.log10, "math.log1p": torch.log1p, "math.sqrt": torch.sqrt, "math.rsqrt": torch.rsqrt,
    "math.cbrt": lambda x: x.sign() * x.abs() ** (1 / 3), "math.sin": torch.sin, "math.cos": torch.cos, "math.tan": torch.tan,
    "math.asin": torch.asin, "math.acos": torch.acos, "math.atan": torch.atan, "math.sinh": torch.sinh, "math.cosh": torch.cosh,
    "math.tanh": torch.tanh, "math.asinh": torch.asinh, "math.acosh": torch.acosh, "math.atanh": torch.atanh, "math.erf": torch.erf,
    "math.erfc": torch.erfc, "math.absf": torch.abs, "math.floor": torch.floor, "math.ceil": torch.ceil, "math.round": _round_away,
    "math.roundeven": torch.round, "math.trunc": torch.trunc, "math.isnan": torch.isnan, "math.isinf": torch.isinf,
    "math.isfinite": torch.isfinite, "arith.negf": torch.neg,
}
_BINARY: dict[str, Binary] = {
    "arith.addf": torch.add, "arith.subf": torch.sub, "arith.mulf": torch.mul, "arith.divf": torch.div, "arith.remf": torch.fmod,
    "arith.maximumf": torch.maximum, "arith.minimumf": torch.minimum, "arith.maxnumf": torch.fmax, "arith.minnumf": torch.fmin,
    "math.powf": torch.pow, "math.atan2": torch.atan2, "math.copysign": torch.copysign,
}


def _same(x: Tensor) -> Tensor:
    return x


def signed(x: Tensor) -> Tensor:
    """A truth value that is read as a signed integer of one bit is 0 or -1."""
    return -x.to(torch.int8) if x.dtype == torch.bool else x


def _unsigned(x: Tensor) -> Tensor:
    """The value of the bits read without a sign, in int64; those of 64 bits stay as they are."""
    if x.dtype == torch.bool:
        return x.to(torch.int8)
    return x if x.dtype == torch.int64 else x.to(torch.int64) & ((1 << 8 * x.element_size()) - 1)


def _ordered(x: Tensor) -> Tensor:
    """A signed integer that is less where x, read without a sign, is."""
    return x ^ torch.iinfo(torch.int64).min if x.dtype == torch.int64 else _unsigned(x)


def _shift_right(x: Tensor, y: Tensor) -> Tensor:
    # The sign moves in from the left: it is masked away where something is shifted.
    if x.dtype != torch.int64:
        return _unsigned(x) >> y
    return torch.where(y > 0, (x >> y) & ~(torch.iinfo(torch.int64).min >> (y - 1).clamp(min=0)), x)


def _quotient(mode: str) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda x, y: torch.div(x, y, rounding_mode=mode)


def _quotient_above(x: Tensor, y: Tensor) -> Tensor:
    quotient = torch.div(x, y, rounding_mode="floor")
    return quotient + (quotient * y != x)


# How an operation on integers reads its operands, and what it computes of them; the result keeps its type's lower bits.
_INTEGER: dict[str, tuple[Unary, Callable[..., Tensor]]] = {
    "arith.addi": (signed, torch.add), "arith.subi": (signed, torch.sub), "arith.muli": (signed, torch.mul),
    "arith.andi": (_same, torch.bitwise_and), "arith.ori": (_same, torch.bitwise_or), "arith.xori": (_same, torch.bitwise_xor),
    "arith.maxsi": (signed, torch.maximum), "arith.minsi": (signed, torch.minimum),
    "arith.maxui": (_same, lambda x, y: torch.where(_ordered(x) > _ordered(y), x, y)),
    "arith.minui": (_same, lambda x, y: torch.where(_ordered(x) < _ordered(y), x, y)),
    "arith.shli": (_same, torch.bitwise_left_shift), "arith.shrsi": (signed, torch.bitwise_right_shift),
    "arith.shrui": (_same, _shift_right), "arith.divsi": (signed, _quotient("trunc")), "arith.remsi": (signed, torch.fmod),
    "arith.floordivsi": (signed, _quotient("floor")), "arith.ceildivsi": (signed, _quotient_above),
    "math.absi": (signed, torch.abs), "arith.extui": (_unsigned, _same), "arith.extsi": (signed, _same),
    "arith.trunci": (_same, _same), "arith.index_cast": (signed, _same), "arith.index_castui": (_unsigned, _same),
    "arith.sitofp": (signed, _same),
}
# Without a sign, these need more bits than int64 has for operands of 64.
_UP_TO_32: dict[str, Callable[..., Tensor]] = {"arith.divui": _quotient("floor"), "arith.remui": torch.remainder, "arith.uitofp": _same}
_COMPARE: dict[str, Binary] = {"eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge}


class Torch:
    """The backend of PyTorch: what importing makes, in f32 and integers. Arrays are torch.Tensor of the graph's shapes
    on `device`; what is f32 in the graph is computed and kept in `precision`."""

    is_rank = False

    def __init__(self, precision: torch.dtype = torch.float64, device: str | torch.device = "cpu") -> None:
        self.precision, self.device = precision, torch.device(device)

    def dtype(self, type_: Type) -> torch.dtype:
        element = getattr(type_, "element", type_)
        if element == "f32":
            return self.precision
        if element == "f64":
            return torch.float64
        if element not in _INTEGERS:
            raise NotImplementedError(f"elements must be f32, f64 or {', '.join(_INTEGERS)} in PyTorch, but got {element} "
                                      "(the NumPy backend has every format)")
        return _INTEGERS[element]

    def tensor(self, given: Any, type_: Type) -> Tensor:
        """A tensor of the type, `given` itself where it is one. What the type does not hold is a Misfit."""
        dtype = self.dtype(type_)
        if not isinstance(given, Tensor):
            # A copy, since PyTorch takes no array that is read-only or walks backwards; of bf16 and FP8 as f32.
            given = np.array(given)
            given = torch.from_numpy(given.astype(np.float32) if given.dtype.kind == "V" else given)
        if given.is_meta or isinstance(given, FakeTensor):
            raise Misfit("a tensor without values")
        given = given.detach()
        made = given.to(self.device, dtype)
        if not dtype.is_floating_point and made.dtype != given.dtype:
            wrong = made != given.to(self.device)
            if wrong.any():
                raise Misfit(f"{given.to(self.device)[wrong].flatten()[0].item()}")
        return made

    @torch.no_grad()
    def apply(self, op: Operation, *x: Tensor) -> tuple[Tensor, ...]:
        """Results of `op`, checked against their types."""
        out = self._apply(op, *x)
        out = out if isinstance(out, tuple) else (out,)
        if len(out) != len(op.result_types):
            raise GraphError(f"{op.place}: {op.name} must have {len(out)} results, but got {len(op.result_types)}")
        for o, t in zip(out, op.result_types):
            shape = getattr(t, "shape", ())
            if tuple(o.shape) != shape:
                raise GraphError(f"{op.place}: {op.name} gives {list(o.shape)}, but its type says {list(shape)}")
            if o.dtype != self.dtype(t):
                raise GraphError(f"{op.place}: {op.name} gives {o.dtype}, but its type says {getattr(t, 'element', t)}")
        return out

    def _apply(self, op: Operation, *x: Tensor) -> Any:
        name = op.name
        if name in _UNARY:
            return _UNARY[name](x[0])
        if name in _BINARY:
            return _BINARY[name](*x)
        if name in _INTEGER:
            read, compute = _INTEGER[name]
            return self._wrapped(compute(*map(read, x)), op.result_types[0])
        if name in _UP_TO_32:
            if x[0].dtype == torch.int64:
                raise NotImplementedError(f"{op.place}: no semantics for {name} of i64 in PyTorch (the NumPy backend has them)")
            return self._wrapped(_UP_TO_32[name](*map(_unsigned, x)), op.result_types[0])
        method = "op_" + name.replace(".", "_")
        if hasattr(self, method):
            return getattr(self, method)(op.attributes, op, *x)
        if method in operations("torch_families"):
            return operations("torch_families")[method](self, op.attributes, op, *x)
        raise NotImplementedError(f"{op.place}: no semantics for {name} in PyTorch (the NumPy backend has every operation)")

    def _wrapped(self, x: Tensor, type_: Type) -> Tensor:
        dtype = self.dtype(type_)
        if dtype == torch.bool and x.dtype != torch.bool:
            return (x & 1).to(torch.bool)
        return x.to(dtype)

    # arith, math and tensor.

    def op_arith_constant(self, a: Attributes, op: Operation) -> Tensor:
        type_, value = op.result_types[0], a["value"]
        shape = getattr(type_, "shape", ())
        return self.tensor(value, type_).expand(shape)

    def op_arith_cmpf(self, a: Attributes, op: Operation, x: Tensor, y: Tensor) -> Tensor:
        p = a["predicate"]
        if p in ("true", "false"):
            return torch.full_like(x, p == "true", dtype=torch.bool)
        if p in ("ord", "uno"):
            unordered = x.isnan() | y.isnan()
            return unordered if p == "uno" else ~unordered
        found = _COMPARE[p[1:]](x, y)
        # Comparisons are ordered but for `ne`.
        if p == "one":
            return found & ~(x.isnan() | y.isnan())
        return found | x.isnan() | y.isnan() if p[0] == "u" and p != "une" else found

    def op_arith_cmpi(self, a: Attributes, op: Operation, x: Tensor, y: Tensor) -> Tensor:
        read = {"u": _ordered, "s": signed}.get(a["predicate"][0], _same)
        return _COMPARE[a["predicate"][-2:]](read(x), read(y))

    def op_arith_select(self, a: Attributes, op: Operation, c: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return torch.where(c, x, y)

    def op_arith_fptosi(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:
        return self._wrapped(x.to(torch.int64), op.result_types[0])

    op_arith_fptoui = op_arith_fptosi

    def op_arith_extf(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:
        return x.to(self.dtype(op.result_types[0]))

    op_arith_truncf = op_arith_extf

    def op_arith_bitcast(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:  # What is computed in another precision has the bits of f32.
        source, target = op.operand_types[0].element, op.result_types[0].element
        if source == "f32":
            return x.to(torch.float32).view(self.dtype(target))
        return x.view(torch.float32).to(self.precision) if target == "f32" else x.view(self.dtype(target))

    def op_math_fma(self, a: Attributes, op: Operation, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        return exact_fma(torch.where, x.double(), y.double(), z.double()).to(x.dtype)

    def op_math_fpowi(self, a: Attributes, op: Operation, x: Tensor, y: Tensor) -> Tensor:
        return x.pow(y)

    def op_math_ipowi(self, a: Attributes, op: Operation, x: Tensor, y: Tensor) -> Tensor:
        # Of a negative exponent, the inverse rounded towards zero.
        inverse = torch.where(x == 1, 1, torch.where(x == -1, torch.where(y % 2 == 0, 1, -1), 0))
        return torch.where(y >= 0, x.pow(y.clamp(min=0)), inverse).to(x.dtype)

    def op_math_clampf(self, a: Attributes, op: Operation, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return x.clamp(low, high)

    def op_reshape(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:
        return x.reshape(op.result_types[0].shape)

    op_tensor_collapse_shape = op_tensor_expand_shape = op_tensor_cast = op_reshape

    def op_tensor_extract_slice(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:
        return x[_slices(a)].reshape(op.result_types[0].shape)

    def op_tensor_insert_slice(self, a: Attributes, op: Operation, x: Tensor, into: Tensor) -> Tensor:
        out = into.clone(memory_format=torch.contiguous_format)
        out[_slices(a)] = x.reshape(out[_slices(a)].shape)
        return out

    def op_tensor_concat(self, a: Attributes, op: Operation, *x: Tensor) -> Tensor:
        return torch.cat(x, a["dim"])

    def op_tensor_empty(self, a: Attributes, op: Operation) -> Tensor:
        return torch.zeros(op.result_types[0].shape, dtype=self.dtype(op.result_types[0]), device=self.device)

    def op_tensor_splat(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:
        return x.expand(op.result_types[0].shape)

    # prec_train: structure.

    def op_prec_train_matmul(self, a: Attributes, op: Operation, x: Tensor, y: Tensor, *bias: Tensor) -> Tensor:
        out = (x.mT if a.get("transpose_a") else x) @ (y.mT if a.get("transpose_b") else y)
        return out.add_(bias[0]) if bias else out

    def op_prec_train_reduce(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:
        kind, dims, dtype = a["kind"], list(a["dims"]), x.dtype
        if kind not in ("sum", "max", "min"):
            raise NotImplementedError(f"{op.place}: no semantics for prec_train.reduce {kind} in PyTorch")
        if not dims:
            return x
        if kind == "sum":
            return self._wrapped(x.sum(dims, dtype=torch.int64 if dtype == torch.bool else dtype), op.result_types[0])
        reduce = torch.amax if kind == "max" else torch.amin
        out = reduce(signed(x), dims)
        if dtype.is_floating_point and out.isnan().any():  # They skip NaN.
            out = reduce(torch.where(x.isnan(), -torch.inf if kind == "max" else torch.inf, x), dims)
        return self._wrapped(out, op.result_types[0])

    def op_prec_train_broadcast(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:
        shape = op.result_types[0].shape
        return x.reshape([shape[d] if d in a["dims"] else 1 for d in range(len(shape))]).expand(shape)

    def op_prec_train_transpose(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:
        return x.permute(list(a["permutation"]))

    def op_prec_train_iota(self, a: Attributes, op: Operation) -> Tensor:
        type_, dim = op.result_types[0], a["dim"]
        numbers = torch.arange(type_.shape[dim], dtype=self.dtype(type_), device=self.device)
        return numbers.reshape([-1 if d == dim else 1 for d in range(len(type_.shape))]).expand(type_.shape)

    def op_prec_train_gather(self, a: Attributes, op: Operation, table: Tensor, ids: Tensor) -> Tensor:
        rows = table.index_select(0, in_range(op, ids, len(table)).reshape(-1))
        return rows.reshape(*ids.shape, *table.shape[1:])

    op_prec_train_embedding = op_prec_train_gather

    def op_prec_train_sort_ids(self, a: Attributes, op: Operation, ids: Tensor) -> Tensor:
        values, order = ids.reshape(-1).sort(stable=True)
        return torch.stack([values, order.to(ids.dtype)])

    def op_prec_train_scatter_add(
        self, a: Attributes, op: Operation, init: Tensor, ids: Tensor, updates: Tensor, order: Tensor | None = None
    ) -> Tensor:
        ids = in_range(op, ids, len(init)).reshape(-1)
        return init.index_add(0, ids, updates.reshape(-1, *init.shape[1:]))

    def op_prec_train_embedding_grad(self, a: Attributes, op: Operation, g: Tensor, ids: Tensor) -> Tensor:
        sums = torch.zeros(op.result_types[0].shape, dtype=g.dtype, device=self.device)
        return sums.index_add_(0, in_range(op, ids, len(sums)).reshape(-1), g.reshape(-1, *sums.shape[1:]))

    # prec_train: composites.

    def op_prec_train_rms_norm(self, a: Attributes, op: Operation, x: Tensor, gamma: Tensor) -> tuple[Tensor, Tensor]:
        rstd = x.square().mean(-1).add_(a["eps"]).rsqrt_()
        return x * rstd[..., None] * gamma, rstd

    def op_prec_train_rms_norm_grad(self, a: Attributes, op: Operation, g: Tensor, x: Tensor, gamma: Tensor, rstd: Tensor) -> tuple[Tensor, Tensor]:
        h, n = g * gamma, x * rstd[..., None]
        return (h - n * (h * n).mean(-1, keepdim=True)) * rstd[..., None], _over_rows(g * n)

    def op_prec_train_layer_norm(self, a: Attributes, op: Operation, x: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean = x.mean(-1)
        centered = x - mean[..., None]
        rstd = centered.square().mean(-1).add_(a["eps"]).rsqrt_()
        return centered * rstd[..., None] * gamma + beta, mean, rstd

    def op_prec_train_layer_norm_grad(
        self, a: Attributes, op: Operation, g: Tensor, x: Tensor, gamma: Tensor, mean: Tensor, rstd: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        h, n = g * gamma, (x - mean[..., None]) * rstd[..., None]
        d = (h - h.mean(-1, keepdim=True) - n * (h * n).mean(-1, keepdim=True)) * rstd[..., None]
        return d, _over_rows(g * n), _over_rows(g)

    def op_prec_train_softmax(self, a: Attributes, op: Operation, x: Tensor) -> Tensor:
        return x.softmax(-1)

    def op_prec_train_softmax_grad(self, a: Attributes, op: Operation, g: Tensor, y: Tensor) -> Tensor:
        return y * (g - (g * y).sum(-1, keepdim=True))

    def op_prec_train_cross_entropy(self, a: Attributes, op: Operation, logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        valid = labels != a["ignore_index"]
        ids = in_range(op, torch.where(valid, labels, 0), logits.shape[-1]).to(torch.int64)
        maximum = logits.amax(-1)
        log_sum = (logits - maximum[..., None]).logsumexp(-1)
        picked = logits.gather(-1, ids[..., None])[..., 0]
        return torch.where(valid, log_sum + (maximum - picked), 0).sum() / valid.sum().clamp(min=1), maximum, log_sum

    def op_prec_train_cross_entropy_grad(
        self, a: Attributes, op: Operation, g: Tensor, logits: Tensor, labels: Tensor, maximum: Tensor, log_sum: Tensor
    ) -> Tensor:
        valid = labels != a["ignore_index"]
        ids = in_range(op, torch.where(valid, labels, 0), logits.shape[-1]).to(torch.int64)
        d = (logits - maximum[..., None]).sub_(log_sum[..., None]).exp_()
        d.scatter_add_(-1, ids[..., None], d.new_full((*ids.shape, 1), -1))
        return torch.where(valid[..., None], d.mul_(g / valid.sum().clamp(min=1)), 0)

    def op_prec_train_dropout(self, a: Attributes, op: Operation, x: Tensor, seed: Tensor) -> Tensor:
        if seed < 0:
            return x
        probability = float(np.float32(a["probability"]))
        index = torch.arange(x.numel(), device=self.device).reshape(x.shape)
        kept = bits(index, seed.item(), a["stream"]) >= int(probability * 2**32)
        return torch.where(kept, x * (1 / (1 - probability)), 0)

    def _scores(self, a: Attributes, q: Tensor, k: Tensor, bias: tuple[Tensor, ...]) -> Tensor:
        """Scaled scores [B,G,H/G,S,T] of queries [B,G,H/G,S,D] and keys [B,G,T,D], and the bias; minus infinity is what
        a causal one, or its window, does not see."""
        s = (q @ k[:, :, None].mT).mul_(a["scale"])
        for b in bias:
            # One for all heads is one for all groups, too.
            s.add_(_grouped(b, k) if b.shape[1] > 1 else b[:, :, None])
        if a.get("causal"):
            unseen = torch.ones(s.shape[-2:], dtype=torch.bool, device=self.device).triu_(1)
            if a.get("window") is not None:
                unseen |= torch.ones_like(unseen).tril_(-a["window"])
            s.masked_fill_(unseen, -torch.inf)
        return s

    def op_prec_train_attention(self, a: Attributes, op: Operation, q: Tensor, k: Tensor, v: Tensor, *bias: Tensor) -> tuple[Tensor, Tensor]:
        s = self._scores(a, _grouped(q, k), k, bias)
        lse = s.logsumexp(-1)
        p = s.sub_(lse[..., None]).exp_()
        return (p @ v[:, :, None]).reshape(*q.shape[:3], v.shape[-1]), lse.reshape(q.shape[:3])

    def op_prec_train_attention_grad(
        self, a: Attributes, op: Operation, g: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, *bias: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        delta = (g * out).sum(-1, keepdim=True)
        g, q, delta, lse = (_grouped(x, k) for x in (g, q, delta, lse[..., None]))
        p = self._scores(a, q, k, bias).sub_(lse).exp_()
        ds = (g @ v[:, :, None].mT).sub_(delta).mul_(p).mul_(a["scale"])
        # Queries of the heads that share keys, one after the other.
        def side_by_side(x: Tensor) -> Tensor:
            return x.flatten(2, 3)
        dk, dv = side_by_side(ds).mT @ side_by_side(q), side_by_side(p).mT @ side_by_side(g)
        return (ds @ k[:, :, None]).flatten(1, 2), dk, dv

    # prec_train: optimizer.

    def op_prec_train_global_norm(self, a: Attributes, op: Operation, *g: Tensor) -> Tensor:
        return torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(x) for x in g]))

    def op_prec_train_clip(self, a: Attributes, op: Operation, norm: Tensor, max_norm: Tensor) -> Tensor:
        return torch.clamp(max_norm / (norm + 1e-6), max=1.0)

    def _updated(
        self, op: Operation, guard: Tensor | None, old: tuple[Tensor, ...], new: tuple[Tensor, ...], update: Callable[[], Tensor]
    ) -> tuple[Tensor, ...]:
        """The results of an optimizer: new values, or with a guard old ones where it is false or an element too large
        to be written; then what the parameter should gain, if asked."""
        if guard is not None and not guard:
            new, update = old, lambda: torch.full_like(old[0], -0.0)
        elif guard is not None:
            new = tuple(map(torch.where, writable(new, [t.element for t in op.result_types[:len(old)]]), new, old))
        return (*new, update()) if len(op.result_types) > len(old) else tuple(new)

    def op_prec_train_adamw(
        self,
        a: Attributes,
        op: Operation,
        p: Tensor,
        g: Tensor,
        m: Tensor,
        v: Tensor,
        lr: Tensor,
        beta1: Tensor,
        beta2: Tensor,
        eps: Tensor,
        decay: Tensor,
        step: Tensor,
        scale: Tensor,
        guard: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        old = p, m, v
        # Scalars are Python's, so in f64, as the framework's.
        rate, b1, b2, epsilon, loss, t = (x.item() for x in (lr, beta1, beta2, eps, decay, step))
        g = g * scale
        m = torch.lerp(m, g, 1 - b1)
        v = (v * b2).addcmul_(g, g, value=1 - b2)
        denominator = v.sqrt().div_((1 - b2**t) ** 0.5).add_(epsilon)
        factor = -rate / (1 - b1**t)
        return self._updated(op, guard, old, ((p * (1 - rate * loss)).addcdiv_(m, denominator, value=factor), m, v),
                             lambda: (-rate * loss * p).addcdiv_(m, denominator, value=factor))

    def op_prec_train_sgd(
        self, a: Attributes, op: Operation, p: Tensor, g: Tensor, lr: Tensor, decay: Tensor, step: Tensor, scale: Tensor, guard: Tensor | None = None
    ) -> tuple[Tensor, ...]:
        change = lr * (g * scale + decay * p)
        return self._updated(op, guard, (p,), (p - change,), lambda: -change)

    def op_prec_train_sgd_momentum(
        self,
        a: Attributes,
        op: Operation,
        p: Tensor,
        g: Tensor,
        b: Tensor,
        lr: Tensor,
        momentum: Tensor,
        dampening: Tensor,
        decay: Tensor,
        step: Tensor,
        scale: Tensor,
        guard: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        old = p, b
        g = g * scale + decay * p
        b = g if step == 1 else momentum * b + (1 - dampening) * g
        change = lr * (g + momentum * b if a.get("nesterov") else b)
        return self._updated(op, guard, old, (p - change, b), lambda: -change)

    def op_prec_train_lion(
        self,
        a: Attributes,
        op: Operation,
        p: Tensor,
        g: Tensor,
        m: Tensor,
        lr: Tensor,
        beta1: Tensor,
        beta2: Tensor,
        decay: Tensor,
        step: Tensor,
        scale: Tensor,
        guard: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        g = g * scale
        change = lr * torch.sign(m * beta1 + g * (1 - beta1))
        new = p * (1 - lr * decay) - change, m * beta2 + g * (1 - beta2)
        return self._updated(op, guard, (p, m), new, lambda: -lr * decay * p - change)

    def _adafactor(
        self,
        op: Operation,
        guard: Tensor | None,
        old: tuple[Tensor, ...],
        p: Tensor,
        g: Tensor,
        v: Tensor,
        states: tuple[Tensor, ...],
        lr: Tensor,
        eps1: Tensor,
        eps2: Tensor,
        d: Tensor,
        decay: Tensor,
        step: Tensor,
    ) -> tuple[Tensor, ...]:
        u = g / torch.sqrt(torch.clamp(v, min=(eps1 * eps1).item()))
        rate = torch.minimum(lr, step**-0.5) * torch.maximum(eps2, p.square().mean().sqrt())
        change = u * (rate / torch.clamp(u.square().mean().sqrt() / d, min=1))
        return self._updated(op, guard, old, (p * (1 - lr * decay) - change, *states), lambda: -lr * decay * p - change)

    def op_prec_train_adafactor(
        self,
        a: Attributes,
        op: Operation,
        p: Tensor,
        g: Tensor,
        r: Tensor,
        c: Tensor,
        lr: Tensor,
        beta2_decay: Tensor,
        eps1: Tensor,
        eps2: Tensor,
        d: Tensor,
        decay: Tensor,
        step: Tensor,
        scale: Tensor,
        guard: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        old, g, weight = (p, r, c), g * scale, step**beta2_decay
        square = g.square()
        r = r + weight * (square.mean(-1, keepdim=True) - r)
        c = c + weight * (square.mean(-2, keepdim=True) - c)
        v = r * c / torch.maximum(r.mean(-2, keepdim=True), eps1)
        return self._adafactor(op, guard, old, p, g, v, (r, c), lr, eps1, eps2, d, decay, step)

    def op_prec_train_adafactor_unfactored(
        self,
        a: Attributes,
        op: Operation,
        p: Tensor,
        g: Tensor,
        v: Tensor,
        lr: Tensor,
        beta2_decay: Tensor,
        eps1: Tensor,
        eps2: Tensor,
        d: Tensor,
        decay: Tensor,
        step: Tensor,
        scale: Tensor,
        guard: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        old, g = (p, v), g * scale
        v = v + step**beta2_decay * (g * g - v)
        return self._adafactor(op, guard, old, p, g, v, (v,), lr, eps1, eps2, d, decay, step)

    def op_prec_train_update(self, a: Attributes, op: Operation, *x: Tensor) -> tuple[Tensor, ...]:
        old, new, update, guard = updates.run(self, op, x)
        # A formula may give one number for all elements.
        new = [n.expand(o.shape) for n, o in zip(new, old)]
        return self._updated(op, guard, tuple(old), tuple(new), lambda: update.expand(old[0].shape))


def _slices(a: Attributes) -> tuple[slice, ...]:
    return tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(a["offsets"], a["sizes"], a["strides"]))


def _over_rows(x: Tensor) -> Tensor:
    return x.reshape(-1, x.shape[-1]).sum(0)


def _grouped(x: Tensor, k: Tensor) -> Tensor:
    """[B,H,...] as [B,G,H/G,...]: the heads that read one head of the keys together."""
    return x.unflatten(1, (k.shape[1], -1))


def in_range(op: Operation, ids: Tensor, count: int) -> Tensor:
    """Whoever feeds a step checks ids; an operation of PyTorch would count negative ones from the end."""
    if ids.numel():
        low, high = (x.item() for x in ids.aminmax())
        if low < 0 or high >= count:
            raise GraphError(f"{op.place}: ids of {op.name} must be 0 to {count - 1}, but got {low if low < 0 else high}")
    return ids
