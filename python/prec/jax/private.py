# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this package reads of JAX beyond its documented interface, each in one place."""
from __future__ import annotations

from typing import Any

from jax._src import source_info_util
from jax.interpreters import partial_eval


def line_of(eqn: Any) -> str:
    """The user's line that an equation is from: "train.py:12 (loss)"; "" where JAX does not know it."""
    frame = source_info_util.user_frame(eqn.source_info.traceback)
    if frame is None:
        return ""
    return f"{frame.file_name.rpartition('/')[2]}:{frame.start_line} ({frame.function_name})"


def used_inputs(jaxpr: Any, wanted: list[bool]) -> list[bool]:
    """Which inputs of a jaxpr the wanted outputs depend on, by JAX's own elimination of dead code."""
    return list(partial_eval.dce_jaxpr(jaxpr, wanted)[1])


def generator_of(eqn: Any) -> Any:
    """The functions of a generator (split, fold_in, random_bits, seed) that an equation on keys draws by."""
    (keys, *_) = [v.aval.dtype for v in (*eqn.invars, *eqn.outvars) if str(v.aval.dtype).startswith("key<")]
    return keys._impl
