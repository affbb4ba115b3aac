# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as one operation (../attention.py)."""
from __future__ import annotations

from typing import Any

from ...builder import Builder
from ...ir import Value
from ..registry import Call, lower


def _heads(b: Builder, x: Value) -> Value:
    """[batch, length, heads, size] as the operation has it, and back."""
    return b.transpose(x, [0, 2, 1, 3])


def _attrs(call: Call) -> dict[str, Any]:
    p = call.params
    return {"scale": float(p["scale"]), "causal": bool(p["causal"])} | ({} if p["window"] is None else {"window": int(p["window"])})


@lower("prec_attention")
def _attention(call: Call, q: Value, k: Value, v: Value) -> tuple[Value, ...]:
    b = call.b
    q, k, v = (_heads(b, x) for x in (q, k, v))
    op = b.op("prec_train.attention", [q, k, v], [(q.shape, "f32"), (q.shape[:-1], "f32")], **_attrs(call))
    return _heads(b, op.results[0]), op.results[1]


@lower("prec_attention_grad")
def _attention_grad(call: Call, g: Value, q: Value, k: Value, v: Value, out: Value, lse: Value) -> tuple[Value, ...]:
    b = call.b
    g, q, k, v, out = (_heads(b, x) for x in (g, q, k, v, out))
    op = b.op("prec_train.attention_grad", [g, q, k, v, out, lse], [(x.shape, "f32") for x in (q, k, v)], **_attrs(call))
    return tuple(_heads(b, x) for x in op.results)
