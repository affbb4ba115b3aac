"""The table from ATen (and our composite) ops to their lowerings, one file an op family."""
from __future__ import annotations

from ..errors import ImportFailure

_TABLE = {}

# Where a lowering for an op that nobody knows yet belongs: the first family with a word in the op's name.
_FAMILIES = (
    ("composite.py", ("attention", "norm", "softmax", "cross_entropy", "nll_loss", "rope", "rotary", "dropout")),
    ("index.py", ("index", "gather", "scatter", "embedding", "arange", "one_hot", "tril", "triu", "topk", "take")),
    ("contraction.py", ("mm", "matmul", "einsum", "dot", "conv", "linear", "mv")),
    ("reduction.py", ("sum", "mean", "prod", "max", "min", "any", "all", "var", "std", "logsumexp")),
    ("shape.py", ("view", "reshape", "slice", "split", "chunk", "cat", "stack", "permute", "transpose", "flip", "roll", "repeat",
                  "pad", "select", "diagonal", "unfold", "narrow", "strided", "tile")),
)


def lower(*names: str):
    """Registers a lowering for ops such as "aten.mm.default". It is called as f(builder, node, *args, **kwargs) with graph
    values in place of nodes, and returns a Value, or a tuple of them for an op with several results."""
    def register(function):
        for name in names:
            assert name not in _TABLE, name
            _TABLE[name] = function
        return function
    return register


def find(target) -> object | None:
    return _TABLE.get(str(target)) if target is not None else None


def family(target) -> str:
    name = str(target).split(".")[1] if "." in str(target) else str(target)
    for file, words in _FAMILIES:
        if any(word in name for word in words):
            return file
    return "elementwise.py"


def value_type(tensor):
    """Shape and erased dtype of a traced tensor."""
    return tuple(tensor.shape), erase(tensor.dtype)


def erase(dtype) -> str:
    if dtype.is_complex:
        raise ImportFailure(f"every tensor must be real but got one of {dtype}")
    if dtype.is_floating_point:
        return "f32"
    return "i1" if str(dtype) == "torch.bool" else "i32"
