# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What to write in the model in place of an operation that has no lowering."""
from __future__ import annotations

_ONE_HOT = "multiply by torch.nn.functional.one_hot of the index and sum, or use torch.where with a mask of fixed shape"
_SHIFTED = "add products of shifted slices (torch.nn.functional.pad, x[:, i:i + n] @ weight[i]) or give what it computes as an input"
_OUTSIDE = "compute it before the step, and give the result as an input or a buffer"
_NO_SHAPE = "its result's shape depends on data: use torch.where or a mask of fixed shape"

# By the first words of the operation's name; the first that fit.
_ADVICE = (
    (("_local_scalar_dense",), "keep the value a tensor: no .item(), float(), int() or bool() of a computed one, and no `if` on it"),
    (("nonzero", "masked_select", "_unique", "unique", "bincount", "histc"), _NO_SHAPE),
    (("linspace", "logspace"), "write start + torch.arange(steps) * (end - start) / (steps - 1)"),
    (("searchsorted", "bucketize"), "count the boundaries below: (x[..., None] > boundaries).sum(-1), with >= for right=True"),
    (
        ("index.", "index_put", "_unsafe_index"),
        "of rows of a table write torch.nn.functional.embedding(ids, table), of chosen places torch.cat of "
        "slices; else multiply by torch.nn.functional.one_hot of the index and sum",
    ),
    (("prod", "cumprod"), "multiply the slices one by one (x.unbind(dim)), or write x.log().sum(dim).exp() of positive numbers"),
    (("as_strided",), "write views by slices, view, transpose and expand"),
    (("xlogy", "kl_div"), "write torch.where(x > 0, x, 1.0).log() in place of the logarithm of what may be zero: (p * (p.log() - q)).sum()"),
    (("_weight_norm",), "write weight * (g / weight.square().sum(1, keepdim=True).sqrt()) in forward"),
    (("dot", "vdot", "linalg_vecdot"), "write (x * y).sum(-1)"),
    (
        ("rand", "bernoulli", "normal", "multinomial", "dropout", "native_dropout", "uniform", "exponential", "rrelu"),
        "draw random numbers by torch.nn.functional.dropout, which has streams of its own (of nn.LSTM and nn.GRU: "
        "layers of one each, with nn.Dropout in between)",
    ),
    (
        ("nll_loss",),
        "use torch.nn.functional.cross_entropy of logits [n, classes] and labels [n] with its defaults but for ignore_index, or sum "
        "-logits.log_softmax(-1) times one_hot labels",
    ),
    (("_ctc_loss", "ctc_loss"), "choose a loss that torch.nn.functional.cross_entropy computes"),
    (("convolution", "_convolution", "slow_conv", "im2col", "col2im", "unfold"), _SHIFTED),
    (
        ("native_batch_norm", "_native_batch_norm", "_batch_norm", "cudnn_batch_norm", "batch_norm"),
        "use torch.nn.LayerNorm or RMSNorm, or subtract means and divide by roots with operations of their own",
    ),
    (("native_group_norm", "group_norm"), "use torch.nn.functional.layer_norm over x.unflatten(1, (groups, -1)).flatten(2)"),
    (("gather", "scatter", "index", "take", "put", "diagonal_scatter"), _ONE_HOT),
    (("_embedding_bag", "embedding_bag", "_sparse_coo", "_sparse"), "use torch.nn.Embedding (not sparse) and sum or mean over its result"),
    (
        ("cumsum", "logcumsumexp", "cummax", "cummin", "_cummax", "_cummin"),
        "multiply by a triangle of ones (x.mT @ torch.ones(n, n).triu(); of whole numbers mask and sum)",
    ),
    (("sort", "topk", "kthvalue", "median", "argsort", "mode"), "no operation sorts: compare with a threshold, or give what it computes as an input"),
    (("argmax", "argmin", "max.dim", "min.dim"), "compare with x.amax(dim, keepdim=True), or x.amin"),
    (("_foreach",), "call the operation of one tensor in a loop"),
    (("nan_to_num",), "write torch.where(x == x, x, 0.0), and clamp what may be infinite"),
    (("diag",), "multiply by torch.eye(n) and sum over the last dimension; to put one together, x[..., None] * torch.eye(n)"),
    (("flip",), "take the parts in reverse: torch.cat(x.split(1, dim)[::-1], dim)"),
    (("roll",), "put the parts together: torch.cat([x[:, -n:], x[:, :-n]], 1)"),
    (("softplus",), "write torch.log1p(torch.exp(-x.abs())) + x.relu()"),
    (("log_sigmoid",), "write -torch.log1p(torch.exp(-x.abs())) - (-x).relu()"),
    (("elu",), "write x.relu() + alpha * torch.expm1(-(-x).relu())"),
    (("leaky_relu", "_prelu"), "write x.relu() - slope * (-x).relu()"),
    (
        ("hardtanh", "hardswish", "hardsigmoid", "mish", "glu", "hardshrink", "softshrink"),
        "write its formula with clamp, sigmoid, tanh and torch.where",
    ),
    (("mse_loss", "smooth_l1_loss", "huber_loss"), "write (x - y).square().mean()"),
    (("binary_cross_entropy", "soft_margin_loss"), "write x.relu() - x * y + torch.log1p(torch.exp(-x.abs())), with logits x and labels y"),
    (("var", "std"), "write (x - x.mean(dim, keepdim=True)).square().mean(dim), and .sqrt()"),
    (("linalg_vector_norm", "norm"), "write x.square().sum(dim).sqrt()"),
    (("_cdist", "cdist", "_pdist"), "write (x[:, :, None] - y[:, None]).square().sum(-1).sqrt()"),
    (("logsumexp",), "write (x - x.amax(dim, keepdim=True)).exp().sum(dim, keepdim=True).log() + x.amax(dim, keepdim=True)"),
    (
        ("max_pool", "avg_pool", "_adaptive", "adaptive", "upsample", "grid_sampler", "reflection_pad", "replication_pad"),
        "put slices together by torch.stack and reduce them, or multiply by a matrix of weights",
    ),
    (("_fft", "fft", "view_as_complex", "view_as_real", "complex", "polar"), "write real and imaginary parts as tensors of their own"),
    (("linalg", "_linalg", "cholesky", "_cholesky", "triangular_solve", "geqrf", "ormqr", "inverse", "det", "trace", "lu"), _OUTSIDE),
    (("fake_quantize", "_fake_quantize", "quantize", "dequantize"), "write ((x / scale).round().clamp(low, high) * scale - x).detach() + x"),
    (("_grouped_mm",), "compute every expert of all tokens, and weigh the results (a mask of the chosen ones, or a dense model)"),
    (("_pack_padded_sequence", "_pad_packed_sequence"), "run the layer over padded sequences, and mask what it gives"),
)
_ELSE = "write it with operations that have one, or compute it before the step and give the result as an input"


def instead_of(target: object, depends_on_values: bool = False) -> str:
    """`target`: an operation, such as torch.ops.aten.cumsum.default. depends_on_values: whether it is the shape of its
    result that nobody knows."""
    schema = getattr(target, "_schema", None)
    if schema is not None and schema.is_mutable:
        return "it overwrites a tensor that is neither computed by forward nor a buffer: register it as a buffer"
    namespace, _, name = str(target).partition(".")
    if namespace not in ("aten", "prims"):
        return "write what it computes with PyTorch's own operations"
    if depends_on_values and name.startswith("index"):
        return _NO_SHAPE
    return next((advice for words, advice in _ADVICE if name.startswith(words)), _ELSE)
