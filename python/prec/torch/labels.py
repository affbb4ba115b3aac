"""What the graph says about batch arguments: the vocabulary that ids index, the label that the loss ignores, and how many
tokens ahead of the inputs the labels are."""
from __future__ import annotations

from ..ir import MOVES, Graph, Kind, Value


def describe_batch(graph: Graph) -> None:
    arguments = {a.value: a for a in graph.arguments if a.role == "batch" and a.value.dtype == "i32"}

    def sources(value: Value):
        if value in arguments:
            yield arguments[value]
        elif value.op is not None and value.op.name in MOVES:
            for operand in value.op.operands:
                yield from sources(operand)

    indexing = []
    for op in graph.ops:
        if op.name in (Kind.EMBEDDING, Kind.GATHER):
            for a in sources(op.operands[1]):
                indexing.append(a)
                a.attrs["vocabulary"] = min(op.operands[0].shape[0], a.attrs.get("vocabulary", op.operands[0].shape[0]))
        elif op.name == Kind.CROSS_ENTROPY:
            for a in sources(op.operands[1]):
                a.attrs["vocabulary"] = op.operands[0].shape[-1]
                a.attrs["ignore_index"] = op.attrs["ignore_index"]
                # A model that shifts inside takes labels beside its inputs; another wants the next token at each place.
                a.attrs["shift"] = 0 if _shifted(op.operands[1]) else 1
    # What the loss ignores is no row of a table.
    for a in indexing:
        a.attrs.pop("ignore_index", None)


def _shifted(value: Value) -> bool:
    op = value.op
    while op is not None and op.name in MOVES:
        if op.name == Kind.EXTRACT_SLICE and op.attrs["offsets"][-1] == 1:
            return True
        op = op.operands[0].op
    return False
