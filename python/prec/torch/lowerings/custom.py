# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the user's own (custom.py): one operation of the graph each."""
from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from ...builder import Builder
from ...ir import Kind, Value
from .. import custom, kernels
from ..registry import lower_all, value_type


def _is_called(target: object) -> bool:
    return custom.is_custom(target) and custom.problem_of(target) is None  # type: ignore[arg-type]


def _dtype_of(given: Any) -> torch.dtype | None:
    if not isinstance(given, Node):
        return None
    return given.meta["val"].dtype


def _edge(op: torch._ops.OpOverload, dtype: torch.dtype) -> str:
    if dtype not in custom.EDGE:
        raise NotImplementedError(f"its tensors must be float32, bfloat16, float16 or whole numbers but one of {op} is {dtype}")
    return custom.EDGE[dtype]


@lower_all(_is_called)
def _custom(b: Builder, node: Node, *args: Any, **kwargs: Any) -> Any:
    op: Any = node.target
    traced = custom.Call(node.args, node.kwargs, _dtype_of)
    values: list[Value] = custom.Call(args, kwargs, lambda given: torch.float32 if isinstance(given, Value) else None).tensors
    if not values:
        raise NotImplementedError("it must have a tensor among its arguments")
    found = node.meta["val"]
    given = [found] if isinstance(found, torch.Tensor) else list(found)
    gradients = [i for i, n in enumerate(traced.tensors) if n.meta.get("carries_gradient") and values[i].dtype == "f32"]
    if not custom.is_linear(op, traced.settings, [v.shape for v in values], gradients):
        gradients = []
    attrs: dict[str, Any] = {"function": custom.name_of(op), "settings": traced.settings,
                             "reads": [_edge(op, dtype) for dtype in traced.dtypes], "makes": [_edge(op, t.dtype) for t in given],
                             "gradients": tuple(gradients)}
    launched = kernels.launched(b.graph, node, len(values), len(given))
    if launched:
        attrs["kernels"] = launched
    made = b.op(Kind.CUSTOM, values, [value_type(t) for t in given], **attrs)
    return made.result if isinstance(found, torch.Tensor) else type(found)(made.results) if isinstance(found, list) else tuple(made.results)

