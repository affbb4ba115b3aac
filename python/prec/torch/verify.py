# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three guards compare an imported graph with the framework: structural (structure.py, always on), of dependences
(dependence.py) and
numeric (numeric.py). Here is how the last two are run, and what they do not tell."""
from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import torch

from ..errors import ImportFailure
from ..ir import Graph
from . import dependence, numeric, smaller
from .batch import Batch
from .graph_side import DoesNotRun, Unverified

if TYPE_CHECKING:
    from .importer import Step

_MEMORY_PER_ELEMENT = 8 * 7  # Parameter, gradient and two moments of both sides, and one tensor more, in float64.


def verify(step: Step, graph: Graph, is_empty: Callable[[torch.Tensor], bool], make: Callable[[Batch], Step]) -> None:
    """make(model_batch): a Step like this one with another batch, of the model as it is then. Raises ImportFailure for
    a difference."""
    def check(small: Step, small_graph: Graph) -> None:
        _check_memory(step.model)
        try:
            _framework(lambda: numeric.check(small, small_graph, is_empty), "its losses")
        except DoesNotRun:
            # Labels that do not count are none of those that forward makes something else of.
            own = small.like_example(small.batch)
            _framework(lambda: numeric.check(own, small_graph, is_empty), "its losses")

    _framework(lambda: dependence.check(step, graph), "its inputs and gradients")
    try:
        if not smaller.is_large(step.model):
            with contextlib.suppress(smaller.TooLong):
                return smaller.on_smaller(step, graph, make, check)
        with _one_of_each(step, graph) as (base, base_graph):
            with contextlib.suppress(smaller.TooLong):
                return smaller.on_smaller(base, base_graph, make, check)
            smaller.on_smaller(base, base_graph, make, check, most_rows=2)
    except smaller.NotSmaller as reason:
        raise Unverified(str(reason)) from None


def _check_memory(model: torch.nn.Module) -> None:
    needed, free = _MEMORY_PER_ELEMENT * sum(p.numel() for p in model.parameters()), _free_memory()
    if free is not None and needed > 0.8 * free:
        raise Unverified(f"two steps in float64 need {needed / 2**30:.1f} GiB of memory and {free / 2**30:.1f} are free")


def _framework(compare: Callable[[], None], what: str) -> None:
    """The framework's own path may not run here: a kernel for GPUs alone, say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compare()
    except (ImportFailure, Unverified):
        raise
    except Exception as error:
        first = (str(error).strip().splitlines() or ["no message"])[0]
        place = getattr(error, "raised_in", "")
        raise DoesNotRun(
            f"PyTorch's own step must run to compare {what} but {f'{place} ' if place else ''}raised {type(error).__name__}: {first}"
        ) from error


@contextlib.contextmanager
def _one_of_each(step: Step, graph: Graph) -> Iterator[tuple[Step, Graph]]:
    """The model with one block of each kind, imported again."""
    whole = smaller.Blocks(step.model, graph)
    with smaller.without(step.model, step.optimizer, whole.repeated()):
        base = step.again(step.batch)
        try:
            base_graph, _ = base.build()
        except ImportFailure as error:
            raise Unverified(f"a model of one block of each kind cannot be imported ({str(error).splitlines()[0]})") from error
        if smaller.Blocks(step.model, base_graph).kinds() != whole.kinds():
            raise Unverified("in a model of one block of each kind the blocks do something else")
        yield base, base_graph


def _free_memory() -> int | None:
    try:
        with open("/proc/meminfo") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None
