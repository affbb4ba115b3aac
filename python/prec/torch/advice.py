# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What to write in the model in place of an operation that has no lowering."""
from __future__ import annotations

from . import custom

_OUTSIDE = "compute it before the step, and give the result as an input or a buffer"
_NO_SHAPE = "its result's shape depends on data: use torch.where or a mask of fixed shape"

# By the first words of the operation's name; the first that fit.
_ADVICE = (
    (("_local_scalar_dense",), "keep the value a tensor: no .item(), float(), int() or bool() of a computed one, and no `if` on it"),
    (("bincount",), "say how many there are (minlength)"),
    (("nonzero", "masked_select", "_unique", "unique", "repeat_interleave"), _NO_SHAPE),
    (("logspace",), "write base ** (start + torch.arange(steps) * (end - start) / (steps - 1))"),
    (
        ("rand", "bernoulli", "normal", "multinomial", "dropout", "native_dropout", "uniform", "exponential", "rrelu", "poisson",
         "fractional_max_pool"),
        "draw by torch.rand, randn, bernoulli, exponential_ or another that docs/Operations.md lists, or give the numbers as an input",
    ),
    (("_ctc_loss", "ctc_loss"), "give torch.nn.functional.ctc_loss log-probabilities of at most 1024 frames"),
    (("igamma", "special_"), "write it as a series where it is needed, or " + _OUTSIDE),
    (
        ("_sparse_coo_tensor_with_dims_and_tensors",),
        "a sparse gradient has no fixed size: make the embedding without sparse=True, which in SGD and Adagrad is the same step (a sparse "
        "matrix of one's own as indices and values, by gather and scatter_add)",
    ),
    (("_embedding_bag", "embedding_bag", "_sparse_coo", "_sparse"), "use torch.nn.Embedding (not sparse) and sum or mean over its result"),
    (("linalg", "_linalg"), _OUTSIDE),
    (("fake_quantize", "_fake_quantize", "quantize", "dequantize"), "write ((x / scale).round().clamp(low, high) * scale - x).detach() + x"),
    (("_pack_padded_sequence", "_pad_packed_sequence"), "run the layer over padded sequences, and mask what it gives"),
)
_ELSE = "write it with operations that have one, or compute it before the step and give the result as an input"


def instead_of(target: object, depends_on_values: bool = False) -> str:
    """`target`: an operation, such as torch.ops.aten.cumsum.default. depends_on_values: whether it is the shape of its
    result that nobody knows."""
    if str(target).startswith("triton_kernel_wrapper"):
        return "call the kernel in an operation (torch.library.triton_op) with a backward, and register it by prec.torch.register_triton"
    if custom.is_custom(target) and (problem := custom.problem_of(target)) is not None:  # type: ignore[arg-type]
        return problem
    schema = getattr(target, "_schema", None)
    if schema is not None and schema.is_mutable:
        return "it overwrites a tensor that is neither computed by forward nor a buffer: register it as a buffer"
    namespace, _, name = str(target).partition(".")
    if namespace not in ("aten", "prims"):
        return "write what it computes with PyTorch's own operations"
    if depends_on_values and name.startswith("index"):
        return _NO_SHAPE
    return next((advice for words, advice in _ADVICE if name.startswith(words)), _ELSE)
