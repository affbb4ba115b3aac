# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An exponential moving average of the weights, as torch.optim.swa_utils.AveragedModel keeps one under
get_ema_multi_avg_fn: after each step `average += (1 - decay) * (weight - average)`, and the weight itself after the
first. The averages are buffers `average.NAME` in FP32, their count is `average.n_averaged`; a step that changes nothing
leaves both."""
from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import OPTIMIZER, Graph, Kind, Result

PREFIX = "average."
COUNT = PREFIX + "n_averaged"


def decay_of(average: object) -> float | None:
    if average is None:
        return None
    if isinstance(average, bool) or not isinstance(average, (int, float)) or not 0 <= average < 1:
        raise ImportFailure(f"average must be a decay from 0 to below 1 but got {average!r}")
    return float(average)


def add(graph: Graph, decay: float) -> None:
    """Appends the averages to a step."""
    taken = [a.path for a in graph.arguments if a.path.startswith(PREFIX)]
    if taken:
        raise ImportFailure(f"a model with averages must have no parameter or buffer below '{PREFIX[:-1]}' but has {taken[0]}: give it another name")
    b = Builder(graph).at("average", OPTIMIZER)
    updates = [(r.donor, r.value) for r in graph.results if r.donor is not None and r.donor.role == "parameter"]
    count = graph.argument("buffer", COUNT, (), "i64", initial=np.zeros((), np.int64))
    first = b.compare("eq", count.value, b.constant(0, (), "i64"))
    graph.results.append(Result(b.add(count.value, b.constant(1, (), "i64")), "updated", COUNT, count))
    for parameter, new in updates:
        path, shape = PREFIX + parameter.path, new.shape
        b.at(parameter.path, OPTIMIZER)
        held = graph.argument("buffer", path, shape, "f32", source_dtype="f32", initial=np.zeros(shape, np.float32))
        moved = b.sub(new, held.value)
        # torch.lerp starts from the nearer end.
        average = b.sub(new, b.mul(moved, decay)) if decay <= 0.5 else b.add(held.value, b.mul(moved, 1 - decay))
        # Behind the folding of shapes, so no reshape, which a broadcast to one element would be.
        is_first = b.op(Kind.BROADCAST, [first], [(shape, "i1")], dims=[]).result if shape else first
        graph.results.append(Result(b.select(is_first, new, average), "updated", path, held))
