# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of several ranks, each in a thread of its own: they run the same operations in the same order, and meet
where they exchange something."""
from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .numpy_ops import Array, Attributes, Numpy, in_range
from .program import Program, Results
from .text import Operation


class Meeting:
    """Where ranks leave what the others take."""

    def __init__(self, ranks: int) -> None:
        self.given: list[Any] = [None] * ranks
        self.barrier = threading.Barrier(ranks)

    def gather(self, rank: int, x: Any) -> list[Any]:
        """What each rank gives, in their order."""
        self.given[rank] = x
        self.barrier.wait()
        found = list(self.given)
        self.barrier.wait()
        return found


class Rank(Numpy):
    """One of them."""

    is_rank = True

    def __init__(self, meeting: Meeting, rank: int, **options: Any) -> None:
        super().__init__(**options)
        self.meeting, self.rank = meeting, rank

    def op_prec_train_exchange(self, a: Attributes, op: Operation, x: Array) -> Array:
        if a["kind"] == "own_slice":
            return x[self.rank]
        given = self.meeting.gather(self.rank, x)
        return np.stack(given if a["kind"] == "all_gather" else [part[self.rank] for part in given])

    op_prec_sched_exchange = op_prec_train_exchange

    def op_prec_train_all_reduce(self, a: Attributes, op: Operation, x: Array) -> Array:
        given = [self.wide(part) for part in self.meeting.gather(self.rank, x)]
        total = given[0]
        for part in given[1:]:
            total = total + part
        return self.to(total, op.result_types[0])

    # Rows of a table, or columns of logits, of which each rank has a slice.

    def own(self, op: Operation, ids: Array, rows: int) -> tuple[Array, Array]:
        """Indices into this rank's slice, and which are of it; others are 0."""
        ids = in_range(op, ids, rows * op.attributes["ranks"]) - self.rank * rows
        is_own = (ids >= 0) & (ids < rows)
        return np.where(is_own, ids, 0), is_own

    def op_prec_train_embedding(self, a: Attributes, op: Operation, table: Array, ids: Array) -> Array:
        if "axis" not in a:
            return super().op_prec_train_embedding(a, op, table, ids)
        ids, is_own = self.own(op, ids, len(table))
        return np.where(is_own[..., None], table[ids], np.zeros((), table.dtype))

    def op_prec_train_embedding_grad(self, a: Attributes, op: Operation, g: Array, ids: Array) -> Array:
        if "axis" in a:
            ids, is_own = self.own(op, ids, op.result_types[0].shape[0])
            g = np.where(is_own[..., None], self.wide(g), 0)
        return super().op_prec_train_embedding_grad(a, op, g, ids)

    def op_prec_train_cross_entropy(self, a: Attributes, op: Operation, logits: Array, labels: Array) -> tuple[Array, Array, Array]:
        if "axis" not in a:
            return super().op_prec_train_cross_entropy(a, op, logits, labels)
        return super().op_prec_train_cross_entropy(a, op, np.concatenate(self.meeting.gather(self.rank, logits), -1), labels)

    def op_prec_train_cross_entropy_grad(
        self, a: Attributes, op: Operation, g: Array, logits: Array, labels: Array, maximum: Array, log_sum: Array
    ) -> Array:
        if "axis" not in a:
            return super().op_prec_train_cross_entropy_grad(a, op, g, logits, labels, maximum, log_sum)
        columns = logits.shape[-1]
        gathered = np.concatenate(self.meeting.gather(self.rank, logits), -1)
        d = super().op_prec_train_cross_entropy_grad(a, op, g, gathered, labels, maximum, log_sum)
        return d[..., self.rank * columns:(self.rank + 1) * columns]

    def op_prec_sched_await(self, a: Attributes, op: Operation, *xs: Array) -> tuple[Array, ...]:
        return ()


def run(program: Program, inputs: Sequence[Mapping[Any, Any]], *, function: str | None = None, wanted: Iterable[Any] | None = None,
        **options: Any) -> list[Results | dict[Any, Any]]:
    """What Program.run gives of each rank, of which `inputs` has one mapping each. `options` are those of Numpy. Raises
    what the first rank that failed did."""
    meeting = Meeting(len(inputs))
    wanted = None if wanted is None else list(wanted)

    def one(rank: int) -> Any:
        try:
            return program.run(inputs[rank], wanted, backend=Rank(meeting, rank, **options), function=function)
        except BaseException:
            # The others would wait for it.
            meeting.barrier.abort()
            raise

    with ThreadPoolExecutor(len(inputs)) as pool:
        runs = [pool.submit(one, rank) for rank in range(len(inputs))]
    errors = [error for error in (each.exception() for each in runs) if error is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, threading.BrokenBarrierError)):
        raise error
    return [each.result() for each in runs]
