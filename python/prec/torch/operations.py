# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The closed set of operations: of each of PyTorch's core operations, of every backward and of all that is known here
beside them, what becomes of it.

    python -m prec.torch.operations > python/prec/torch/operations.json

writes the list that docs/generated/TorchOperations.md is made from. An operation of the set that is neither lowered nor
decomposed must be in refused.py with its reason.
"""
from __future__ import annotations

import json
import sys
from typing import NamedTuple

import torch

from . import complex_pairs, draws, lowering  # noqa: F401 (lowerings register themselves)
from .decompositions import decompositions
from .refused import REFUSED
from .registry import lowered

# Lowerings by index, by sorting and step by step along a dimension: kernels that serve all and are tuned for none.
_GENERIC = ("lookup", "order")


class Entry(NamedTuple):
    how: str
    why: str = ""


def members() -> dict[str, torch._ops.OpOverload]:
    """PyTorch's core operations and every backward that is an operation of its own, on values."""
    found = {}
    for name in dir(torch.ops.aten):
        packet = getattr(torch.ops.aten, name)
        if not isinstance(packet, torch._ops.OpOverloadPacket):
            continue
        for overload in packet.overloads():
            op = getattr(packet, overload)
            backward = "_backward" in name and not op._schema.is_mutable and not overload.endswith(("out", "grad_input"))
            if torch.Tag.core in op.tags or backward and not _is_composite(op):
                found[str(op)] = op
    return found


def _is_composite(op: torch._ops.OpOverload) -> bool:
    """Whether a trace never holds it, but what it calls."""
    return op._can_decompose()


def closed_set() -> dict[str, Entry]:
    """What becomes of each member, and of all else that is lowered, decomposed or refused. A member of which nothing is
    known is "unknown"."""
    known = {str(op) for op in decompositions() if not op._schema.is_mutable or str(op) in members()}
    found = {}
    for name in sorted({*members(), *lowered(), *known, *complex_pairs.FORMULAS, *draws.known(), *REFUSED}):
        if not name.startswith(("aten.", "prims.")):
            continue
        function = lowered().get(name)
        if function is not None:
            family = function.__module__.rpartition(".")[2]
            found[name] = Entry("generic kernel" if family in _GENERIC else "lowered", family)
        elif name in draws.known():
            found[name] = Entry("drawn")
        elif name in REFUSED:
            found[name] = Entry("refused", REFUSED[name])
        elif name in known or name in complex_pairs.FORMULAS:
            found[name] = Entry("decomposed")
        else:
            found[name] = Entry("unknown")
    return found


def main() -> None:
    listed = {name: list(filter(None, entry)) for name, entry in closed_set().items()}
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in listed.items())
    sys.stdout.write(f'{{"torch": "{torch.__version__.split("+")[0]}", "operations": {{\n{lines}\n}}}}\n')


if __name__ == "__main__":
    main()
