# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plausible random inputs for a program: small weights, scales about 1, labels with some ignored, work weights and
scales from the function that is called for "init"."""
from __future__ import annotations

import numpy as np

from .graph import Binding
from .program import Program

# States that are means of squares.
_SQUARES = ("exp_avg_sq", "row_var", "col_var", "variance")


def random_inputs(program: Program, seed: int = 0, function: str | None = None) -> dict[str, np.ndarray]:
    """By the names of the function's arguments, arrays of their shapes. Raises ValueError where work weights or scales
    are asked for and no function makes them."""
    f, rng = program.function(function), np.random.default_rng(seed)
    inputs = {a.name: _random(rng, a) for a in f.arguments if a.role not in ("work_weight", "scale_state")}
    if len(inputs) < len(f.arguments):
        name = next(iter(program.called_for("init")), None)
        if name is None:
            raise ValueError(f"work weights and scales of @{f.name} must come from a function that is called for \"init\", but got none")
        init = program.function(name)
        # Slots name the copies of a parameter in both functions; only their positions differ.
        made = dict(zip(map(_copy_key, init.results), program.run({n: inputs[n] for n in init.argument_names}, function=name)))
        inputs |= {a.name: made[_copy_key(a)] for a in f.arguments if a.name not in inputs}
    return inputs


def _copy_key(binding: Binding) -> tuple[str | None, str | None]:
    a = binding.attributes
    return a.get("prec_train.param_of", a.get("prec_train.path")), a.get("prec_train.slot")


def _random(rng: np.random.Generator, argument: Binding) -> np.ndarray:
    role, shape, element = argument.role, argument.type.shape, argument.type.element
    given = argument.default()
    if given is not None and role != "optimizer_state":
        return np.broadcast_to(given, shape)
    if element == "i1":
        return rng.random(shape) < 0.5
    if element[0] == "i":
        ids = rng.integers(0, argument.attributes.get("prec_train.vocabulary", 8), shape)
        if "prec_train.ignore_index" in argument.attributes:
            ids = np.where(rng.random(shape) < 0.2, argument.attributes["prec_train.ignore_index"], ids)
        return ids
    x = rng.standard_normal(shape)
    if role == "optimizer_state":
        return 1e-3 * (x * x if argument.attributes.get("prec_train.slot") in _SQUARES else x)
    if role in ("parameter", "frozen_parameter"):
        return 0.05 * x if len(shape) > 1 else 1 + 0.1 * x
    return x
