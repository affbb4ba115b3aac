# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ranks give each other."""
from __future__ import annotations

from ..numpy_ops import Array, Attributes, Numpy
from ..ranks import Rank
from ..text import Operation


def op_prec_train_exchange(backend: Numpy, a: Attributes, op: Operation, x: Array) -> Array:
    if not isinstance(backend, Rank):
        raise NotImplementedError(f"{op.place}: an exchange needs the other ranks: prec.interpreter.ranks.run runs all of them")
    return backend.exchange(a["kind"], x)


op_prec_sched_exchange = op_prec_train_exchange
