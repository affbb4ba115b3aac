# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that models make: each a function of weights w [4, 8, 16], numbers x of that shape and whole numbers i below 8
of that shape, all of it in one place for whoever imports, compiles or trains them."""
import itertools

import torch
import torch.nn.functional as F

SHAPE = (4, 8, 16)
WEIGHT = torch.rand(16, generator=torch.Generator().manual_seed(3))
CUTS = torch.tensor([-1.0, 0.0, 1.0])


def written(x, place, value):
    y = x.clone()
    y[place] = value
    return y


def rows(x):
    return x.reshape(32, 16)


def labels(i):
    return i[:, :, 0].reshape(32)


def joined(w, x):
    """Rows of 256 elements, 192 of which are lines of 48, which do not divide all."""
    lines = torch.cat([w.tanh().reshape(8, 4, 16), x.reshape(8, 4, 16), w.exp().reshape(8, 4, 16)], 2)
    m = torch.cat([lines.reshape(8, 192), w.reshape(8, 64)], 1)
    return m @ m.T


def times(w):
    """Logarithms of probabilities by time."""
    return w.reshape(8, 4, 16).log_softmax(-1)


def likeness(w, x):
    return F.normalize(w[0], dim=-1) @ F.normalize(x[0], dim=-1).T * 10


def regular(w):
    """Symmetric matrices with positive eigenvalues, all of them different."""
    return w[:, :4, :4] @ w[:, :4, :4].mT + torch.diag(torch.arange(1.0, 5.0))


def pairs(w):
    return torch.view_as_complex(w.reshape(4, 8, 8, 2))


def spectrum_in_parts(w):
    """Written into zeros, and into what nobody wrote yet."""
    found = torch.fft.rfft(w)
    low, rest = torch.zeros_like(found), torch.empty_strided(found.shape, found.stride(), dtype=found.dtype)
    low[..., :3] = found[..., :3] * 2
    rest[:] = found
    rest[..., :2].zero_()
    return torch.fft.irfft(low + rest + found.new_empty(found.shape).zero_())


def rotated(w):
    """Pairs of numbers turned as complex ones."""
    angles = torch.outer(torch.arange(8.0), 0.5 ** torch.arange(8.0))
    turn = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs(w) * turn).flatten(2)


LOOKUPS = {
    "gather": lambda w, x, i: torch.gather(w, 2, i),
    "gather_short": lambda w, x, i: torch.gather(w, 1, i[:, :3]),
    "take_along_dim": lambda w, x, i: torch.take_along_dim(w, i, dim=2),
    "index_second": lambda w, x, i: w[:, i[0, 0]],
    "index_both": lambda w, x, i: w[torch.arange(4), i[:, 0, 0]],
    "index_last": lambda w, x, i: w[:, i[0, 0, :4], i[1, 0, :4]],
    "index_apart": lambda w, x, i: w[i[:, 0, 0] % 4, :, i[:, 1, 0]],
    "index_negative": lambda w, x, i: w[:, -1 - i[0, 0]],
    "index_select": lambda w, x, i: w.index_select(2, i[0, 0]),
    "scatter_add": lambda w, x, i: torch.zeros(4, 8, 16).scatter_add(2, i, w),
    "scatter": lambda w, x, i: x.scatter(2, torch.arange(15, -1, -1).expand(4, 8, 16), w),
    "scatter_value": lambda w, x, i: w.scatter(2, i, 0.5),
    "scatter_sum": lambda w, x, i: x.scatter_reduce(2, i, w, "sum"),
    "scatter_mean": lambda w, x, i: x.scatter_reduce(2, i, w, "mean", include_self=False),
    "scatter_amax": lambda w, x, i: x.scatter_reduce(2, i, w, "amax"),
    "scatter_prod": lambda w, x, i: x.scatter_reduce(1, i, w, "prod"),
    "index_add": lambda w, x, i: x.index_add(1, i[0, 0, :5], w[:, :5]),
    "index_copy": lambda w, x, i: x.index_copy(1, torch.tensor([2, 0, 5]), w[:, :3]),
    "index_fill": lambda w, x, i: w.index_fill(1, torch.tensor([2, 0]), 0.25),
    "index_put": lambda w, x, i: x.clone().index_put((torch.arange(4), i[:, 0, 0]), w[:, 0]),
    "index_put_sum": lambda w, x, i: x.clone().index_put((i[:, 0, 0] % 4, i[:, 1, 0]), w[:, 0], accumulate=True),
    "set_item": lambda w, x, i: written(x, (slice(None), torch.tensor([3, 1])), w[:, :2]),
    "set_where": lambda w, x, i: written(w, x > 0, 0.0),
    "take": lambda w, x, i: torch.take(w, i),
    "one_hot": lambda w, x, i: F.one_hot(i[:, :, 0], 16).float() * w,
    "embedding": lambda w, x, i: F.embedding(i[:, :, 0], w[0]),
    "masked_scatter": lambda w, x, i: x.masked_scatter(x > 0, w),
    "lines_in_rows": lambda w, x, i: joined(w, x),
    "masked_scatter_rows": lambda w, x, i: x.masked_scatter((x[..., :1] > 0).expand_as(x), w),
    "bucketize": lambda w, x, i: w * torch.bucketize(x, CUTS),
    "searchsorted": lambda w, x, i: w * torch.searchsorted(CUTS, x, right=True),
    "histc": lambda w, x, i: w.sum() * torch.histc(x, 5),
    "repeat_interleave": lambda w, x, i: w.repeat_interleave(2, 1),
    "tile": lambda w, x, i: w.tile(1, 2, 1),
    "chunk": lambda w, x, i: w.chunk(2, -1)[0],
    "diagonal": lambda w, x, i: torch.diagonal(w, dim1=0, dim2=1),
    "diag_embed": lambda w, x, i: torch.diag_embed(w),
    "trace": lambda w, x, i: torch.trace(w[0]),
    "unfold": lambda w, x, i: w.unfold(-1, 4, 2),
    "roll": lambda w, x, i: w.roll(2, -1) * x,
    "flip": lambda w, x, i: w.flip(-1) * x,
    "tril": lambda w, x, i: w.tril(),
    "meshgrid": lambda w, x, i: torch.meshgrid(w[0, 0], x[0, 0], indexing="ij")[0],
    "where": lambda w, x, i: torch.where(x > 0, w, 0.0),
}
ORDER = {
    "cumsum": lambda w, x, i: w.cumsum(-1),
    "cumprod": lambda w, x, i: w.cumprod(-1),
    "logcumsumexp": lambda w, x, i: w.logcumsumexp(-1),
    "cummax": lambda w, x, i: w.cummax(-1)[0],
    "cummin": lambda w, x, i: w.cummin(1)[0],
    "sort": lambda w, x, i: w.sort(-1)[0] * torch.arange(16),
    "argsort": lambda w, x, i: torch.gather(w, -1, x.argsort(-1)),
    "topk": lambda w, x, i: w.topk(3, -1)[0],
    "kthvalue": lambda w, x, i: w.kthvalue(3, -1)[0],
    "median": lambda w, x, i: w.median(-1)[0],
    "argmax": lambda w, x, i: F.one_hot(w.argmax(-1), 16) * w,
    "max": lambda w, x, i: w.max(-1)[0],
    "min": lambda w, x, i: w.min(1)[0],
    "amax": lambda w, x, i: w.amax(-1),
    "aminmax": lambda w, x, i: sum(torch.aminmax(w, dim=-1)),
    "var": lambda w, x, i: w.var(-1),
    "std": lambda w, x, i: w.std((1, 2), unbiased=False),
    "var_mean": lambda w, x, i: sum(torch.var_mean(w, -1)),
    "norm": lambda w, x, i: w.norm(dim=-1),
    "norm_1": lambda w, x, i: w.norm(p=1, dim=-1),
    "norm_inf": lambda w, x, i: torch.linalg.vector_norm(w, float("inf"), dim=-1),
    "norm_3": lambda w, x, i: torch.linalg.vector_norm(w, 3, dim=-1),
    "normalize": lambda w, x, i: F.normalize(w, dim=-1),
    "logsumexp": lambda w, x, i: w.logsumexp(-1),
    "prod": lambda w, x, i: w.prod(-1),
    "any": lambda w, x, i: (w > 0).any(-1).float() * w.sum(-1),
}
LAYERS = {
    "conv1d": lambda w, x, i: F.conv1d(x, w[:, :, :3], padding=1),
    "conv2d": lambda w, x, i: F.conv2d(x[:, :, None].expand(4, 8, 5, 16), w[:, :, :9].reshape(4, 8, 3, 3), stride=2, padding=1),
    "conv_groups": lambda w, x, i: F.conv1d(x, w[:, :2, :3].reshape(8, 1, 3), groups=8),
    "conv_transpose": lambda w, x, i: F.conv_transpose1d(x[:, :4], w[:, :, :3], stride=2),
    "conv3d": lambda w, x, i: F.conv3d(x.reshape(1, 8, 4, 4, 4), w[:, :, :8].reshape(4, 8, 2, 2, 2)),
    "max_pool1d": lambda w, x, i: F.max_pool1d(w, 2),
    "max_pool2d": lambda w, x, i: F.max_pool2d(w[None], 3, stride=2, padding=1),
    "avg_pool2d": lambda w, x, i: F.avg_pool2d(w[None], 2),
    "adaptive_avg_pool2d": lambda w, x, i: F.adaptive_avg_pool2d(w[None], (2, 4)),
    "adaptive_avg_pool1d": lambda w, x, i: F.adaptive_avg_pool1d(w, 1),
    "adaptive_max_pool2d": lambda w, x, i: F.adaptive_max_pool2d(w[None], (3, 5)),
    "nearest": lambda w, x, i: F.interpolate(w, scale_factor=2),
    "nearest_size": lambda w, x, i: F.interpolate(w[None], size=(5, 23)),
    "bilinear_smooth": lambda w, x, i: F.interpolate(w[None], size=(3, 7), mode="bilinear", antialias=True),
    "bicubic_smooth": lambda w, x, i: F.interpolate(w[None], size=(3, 23), mode="bicubic", antialias=True),
    "bilinear": lambda w, x, i: F.interpolate(w[None], scale_factor=2, mode="bilinear"),
    "bicubic": lambda w, x, i: F.interpolate(w[None], size=(5, 23), mode="bicubic", align_corners=True),
    "pad_reflect": lambda w, x, i: F.pad(w, (2, 2), mode="reflect"),
    "pad_replicate": lambda w, x, i: F.pad(w, (2, 2), mode="replicate"),
    "pad_circular": lambda w, x, i: F.pad(w, (2, 2), mode="circular"),
    "im2col": lambda w, x, i: F.unfold(w[None], 3),
    "col2im": lambda w, x, i: F.fold(w.reshape(1, 32, 16), (5, 5), 2),
    "pixel_shuffle": lambda w, x, i: F.pixel_shuffle(w[None], 2),
    "grid_sample": lambda w, x, i: F.grid_sample(w[None], x[None, :, :, :2].tanh(), align_corners=False),
    "grid_sample_3d": lambda w, x, i: F.grid_sample(w.reshape(1, 2, 4, 4, 16), x[None, :, :4, :4, None].expand(1, 4, 4, 4, 3).tanh(),
                                                    align_corners=False, padding_mode="border"),
    "batch_norm": lambda w, x, i: F.batch_norm(w, None, None, training=True),
    "group_norm": lambda w, x, i: F.group_norm(w, 4, w[0, :, 0], w[1, :, 1]),
    "instance_norm": lambda w, x, i: F.instance_norm(w),
    "layer_norm": lambda w, x, i: F.layer_norm(w, (8, 16), x[0], w[1]),
    "local_response_norm": lambda w, x, i: F.local_response_norm(w, 3),
    "attention": lambda w, x, i: F.scaled_dot_product_attention(w[None], x[None], x[None]),
    "einsum": lambda w, x, i: torch.einsum("abc,abd->acd", w, x),
    "baddbmm": lambda w, x, i: torch.baddbmm(torch.zeros(4, 8, 8), w, x.transpose(1, 2)),
    "cdist": lambda w, x, i: torch.cdist(w, x),
    "pdist": lambda w, x, i: F.pdist(w[0]),
    "outer": lambda w, x, i: torch.outer(w[0, 0], x[0, 0]),
    "kron": lambda w, x, i: torch.kron(w[0, 0], x[0, 0]),
    "bilinear_form": lambda w, x, i: F.bilinear(x[0], w[0], w[:, :, None].expand(4, 8, 16, 16)[:, 0]),
}
ELEMENTWISE = {
    "glu": lambda w, x, i: F.glu(w),
    "softplus": lambda w, x, i: F.softplus(w),
    "elu": lambda w, x, i: F.elu(w),
    "selu": lambda w, x, i: F.selu(w),
    "celu": lambda w, x, i: F.celu(w),
    "leaky_relu": lambda w, x, i: F.leaky_relu(w),
    "prelu": lambda w, x, i: F.prelu(x, w[0, 0, :8]),
    "hardtanh": lambda w, x, i: F.hardtanh(w),
    "relu6": lambda w, x, i: F.relu6(w),
    "hardswish": lambda w, x, i: F.hardswish(w),
    "hardsigmoid": lambda w, x, i: F.hardsigmoid(w),
    "mish": lambda w, x, i: F.mish(w),
    "logsigmoid": lambda w, x, i: F.logsigmoid(w),
    "softsign": lambda w, x, i: F.softsign(w),
    "tanhshrink": lambda w, x, i: F.tanhshrink(w),
    "softshrink": lambda w, x, i: F.softshrink(w),
    "hardshrink": lambda w, x, i: F.hardshrink(w),
    "threshold": lambda w, x, i: F.threshold(w, 0.1, 0.2),
    "softmin": lambda w, x, i: F.softmin(w, -1),
    "log_softmax": lambda w, x, i: F.log_softmax(w, -1),
    "erf": lambda w, x, i: torch.erf(w),
    "atan2": lambda w, x, i: torch.atan2(w, x),
    "angles": lambda w, x, i: w.atan() + (w.tanh() * 0.9).asin() + (w.tanh() * 0.9).acos(),
    "hyperbolic": lambda w, x, i: w.sinh() + w.cosh() + w.asinh() + (w.abs() + 1.1).acosh() + (w.tanh() * 0.9).atanh(),
    "tan": lambda w, x, i: torch.tan(w * 0.5),
    "logarithms": lambda w, x, i: (w.abs() + 0.1).log2() + (w.abs() + 0.1).log10() + w.exp2(),
    "lerp": lambda w, x, i: torch.lerp(w, x, 0.3),
    "addcmul": lambda w, x, i: torch.addcmul(w, x, w),
    "xlogy": lambda w, x, i: torch.xlogy(x, w.abs() + 0.1),
    "sinc": lambda w, x, i: torch.sinc(w),
    "logit": lambda w, x, i: torch.logit(w.sigmoid()),
    "log1p": lambda w, x, i: torch.log1p(w.abs()),
    "remainder": lambda w, x, i: torch.remainder(w, 0.7),
    "fmod": lambda w, x, i: torch.fmod(w, 0.7),
    "floor_divide": lambda w, x, i: w * torch.floor_divide(x, 0.3),
    "trunc": lambda w, x, i: w * torch.trunc(w),
    "frac": lambda w, x, i: torch.frac(w),
    "nan_to_num": lambda w, x, i: torch.nan_to_num(w),
    "logaddexp": lambda w, x, i: torch.logaddexp(w, x),
    "hypot": lambda w, x, i: torch.hypot(w, x),
    "copysign": lambda w, x, i: torch.copysign(w, x),
}
SPECIAL = {
    "lgamma": lambda w, x, i: torch.lgamma(w.abs() + 0.2) + torch.lgamma(w.tanh() * 0.3 - 2.5),
    "digamma": lambda w, x, i: torch.digamma(w.abs() + 0.5),
    "polygamma": lambda w, x, i: torch.polygamma(1, w.abs() + 0.5),
    "erfc": lambda w, x, i: torch.erfc(w),
    "erfinv": lambda w, x, i: torch.erfinv(w.tanh() * 0.9),
    "ndtri": lambda w, x, i: torch.special.ndtri(w.sigmoid()),
    "log_ndtr": lambda w, x, i: torch.special.log_ndtr(w),
    "bessel": lambda w, x, i: torch.i0(w) + torch.special.i0e(w) + torch.special.i1(w) + torch.special.i1e(w),
    "frexp": lambda w, x, i: torch.frexp(w)[0],
    "segments": lambda w, x, i: torch.segment_reduce(w, "mean", lengths=torch.tensor([1, 3])),
}
MATRICES = {
    "solve_triangular": lambda w, x, i: torch.linalg.solve_triangular(w[:, :, :8].tril() + 3 * torch.eye(8), x, upper=False),
    "cholesky": lambda w, x, i: torch.linalg.cholesky(regular(w)),
    "inverse": lambda w, x, i: torch.linalg.inv(regular(w)),
    "solve": lambda w, x, i: torch.linalg.solve(regular(w), x[:, :4]),
    "determinant": lambda w, x, i: torch.linalg.slogdet(regular(w))[1],
    "qr": lambda w, x, i: torch.linalg.qr(w[:, :, :4])[1],
    "eigenvalues": lambda w, x, i: torch.linalg.eigvalsh(regular(w)),
    "singular_values": lambda w, x, i: torch.linalg.svdvals(w[:, :3, :4]),
    "matrix_exp": lambda w, x, i: torch.linalg.matrix_exp(w[:, :4, :4]),
}
COMPLEX = {
    "rotary": lambda w, x, i: rotated(w) * x,
    "fourier": lambda w, x, i: torch.fft.fft2(w).real * x,
    "filtered": lambda w, x, i: torch.fft.irfft(torch.fft.rfft(w) * torch.fft.rfft(x), n=16),
    "spectrum": lambda w, x, i: torch.fft.rfft(w, norm="ortho").abs(),
    "written_spectrum": lambda w, x, i: spectrum_in_parts(w),
}
# What public reports say that other compilers compute otherwise: edges of windows, ties, zeros, conjugates.
REPORTED = {
    "avg_pool_ceil": lambda w, x, i: F.avg_pool2d(w[None], 3, stride=2, ceil_mode=True),
    "avg_pool_ceil_padded": lambda w, x, i: F.avg_pool2d(w[None], 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
    "avg_pool1d_ceil": lambda w, x, i: F.avg_pool1d(w, 3, 2, ceil_mode=True),
    "avg_pool_divisor": lambda w, x, i: F.avg_pool2d(w[None], 3, divisor_override=5),
    "max_pool_ceil": lambda w, x, i: F.max_pool2d(w[None], 3, stride=4, padding=1, ceil_mode=True),
    "max_pool_dilated": lambda w, x, i: F.max_pool2d(w[None], 2, dilation=3, padding=1),
    "max_unpool": lambda w, x, i: F.max_unpool2d(*F.max_pool2d(w[None], 2, return_indices=True), 2),
    "lp_pool": lambda w, x, i: F.lp_pool2d(w[None], 2, 2),
    "index_reduce": lambda w, x, i: x.index_reduce(1, torch.tensor([2, 0, 2]), w[:, :3], "mean"),
    "scatter_reduce_ties": lambda w, x, i: x.round().scatter_reduce(2, i, w.round() + w - w.detach(), "amin"),
    "cumprod_zeros": lambda w, x, i: (w * (x > -0.5)).cumprod(-1),
    "prod_zeros": lambda w, x, i: (w * (x > -1)).prod(-1),
    "norm_zeros": lambda w, x, i: (w * (x[:, :, :1] > 0)).norm(dim=-1),
    "amax_ties": lambda w, x, i: (w.detach().round() + w - w.detach()).amax(-1),
    "max_ties": lambda w, x, i: (w.detach().round() + w - w.detach()).max(-1)[0],
    "maximum_ties": lambda w, x, i: torch.maximum(w, torch.where(x > 0, w.detach(), x)),
    "clamp_edges": lambda w, x, i: w.clamp(min=torch.where(x > 0, w.detach(), x)),
    "abs_zeros": lambda w, x, i: (w * (x > 0)).abs().sqrt().clamp(min=0.1),
    "remainder_tensor": lambda w, x, i: torch.remainder(w, x.abs() + 0.5),
    "fmod_tensor": lambda w, x, i: torch.fmod(w, x.abs() + 0.5),
    "linear_rescaled": lambda w, x, i: F.interpolate(w, scale_factor=1.7, recompute_scale_factor=True, mode="linear"),
    "nearest_exact": lambda w, x, i: F.interpolate(w[None], scale_factor=(0.6, 1.3), mode="nearest-exact"),
    "area": lambda w, x, i: F.interpolate(w[None], size=(3, 5), mode="area"),
    "pixel_unshuffle": lambda w, x, i: F.pixel_unshuffle(w[None], 2),
    "channel_shuffle": lambda w, x, i: F.channel_shuffle(w[None], 2),
    "im2col_strided": lambda w, x, i: F.unfold(w[None], (2, 3), dilation=2, padding=1, stride=(2, 1)),
    "conv_same": lambda w, x, i: F.conv1d(x, w[:, :, :4], padding="same", dilation=2),
    "conv_transpose_all": lambda w, x, i: F.conv_transpose1d(x, w[:, :, :3].reshape(8, 4, 3), stride=3, padding=1, output_padding=2, dilation=2,
                                                             groups=2),
    "embedding_padded": lambda w, x, i: F.embedding(i[:, :, 0], w[0], padding_idx=2),
    "embedding_bag": lambda w, x, i: F.embedding_bag(i[:, :, 0], w[0], mode="mean", padding_idx=1),
    "cosine_zeros": lambda w, x, i: F.cosine_similarity(w * (x[:, :, :1] > 0), x, dim=-1),
    "cdist_1": lambda w, x, i: torch.cdist(w, x, p=1.0),
    "smooth_l1_beta": lambda w, x, i: F.smooth_l1_loss(w, x, beta=0.0),
    "logsumexp_infinite": lambda w, x, i: w.masked_fill(x > 1.5, -torch.inf).logsumexp(-1),
    "complex_turned": lambda w, x, i: pairs(w).transpose(1, 2).abs() + pairs(w).transpose(1, 2).angle(),
    "complex_literal": lambda w, x, i: torch.view_as_real(pairs(w) * 2j + (1 - 1j)),
    "complex_conj": lambda w, x, i: torch.view_as_real(pairs(w).conj().resolve_conj() * pairs(x)),
    "complex_product": lambda w, x, i: torch.view_as_real(pairs(w) @ pairs(x).mH),
    "complex_sum": lambda w, x, i: torch.view_as_real(pairs(w).sum(1) / pairs(x).mean(1)),
    "complex_alike": lambda w, x, i: torch.view_as_real(torch.complex(w * 2, x * 2) * torch.polar(w * 3, x * 3)).sum(-1),
    "complex_alike_numbers": lambda w, x, i: torch.view_as_real(torch.complex(w[0, 0, 0] * 2, w[1, 0, 0] * 2) ** 2) * 1.0,
    "mean_of_one": lambda w, x, i: w[0, 0, 0].mean(0) + w[0, 0, 1].mean(-1, keepdim=True) + w[0, 0, 2].sum(0) + w[0, 0, 3].amax(-1),
    "strided_number": lambda w, x, i: torch.as_strided(w, (), (), 3) * w[0, 0],
    "strided_number_set": lambda w, x, i: torch.as_strided_scatter(w, w[0, 0, 1] ** 2, (), (), 3),
    "repeated_never": lambda w, x, i: w.sum() + w.repeat(0, 1, 1).sum() + torch.linalg.matrix_power(w[0, :, :8], 0).sum()
    + torch.fill(x, 0.5).sum(),
    "complex_part": lambda w, x, i: torch.cat([pairs(w)[:, 1:3], pairs(x)[:, :2] * 0.5], 1).imag.exp(),
    "complex_einsum": lambda w, x, i: torch.einsum("abc,abd->acd", pairs(w), pairs(x)).real,
    "einsum_diagonal": lambda w, x, i: torch.einsum("aab->ba", w[:, :4]),
    "einsum_three": lambda w, x, i: torch.einsum("abc,dbc,ae->dbe", w, x, w[:, 0]),
    "einsum_spread": lambda w, x, i: torch.einsum("...c,c...->...", w[0], x[0].T),
}
LOSSES = {
    "ctc": lambda w, x, i: F.ctc_loss(times(w), i[0, :4, :3] + 1, torch.tensor([8, 8, 6, 7]), torch.tensor([3, 2, 1, 3])),
    "ctc_sum": lambda w, x, i: F.ctc_loss(times(w), i[0, :4, :3] + 1, (8, 8, 3, 7), (3, 2, 3, 3), reduction="sum", zero_infinity=True),
    "cross_entropy_each_weight": lambda w, x, i: F.cross_entropy(w.transpose(1, 2), i[:, :, 0], weight=WEIGHT, reduction="none", ignore_index=2),
    "cross_entropy_soft_all": lambda w, x, i: F.cross_entropy(rows(w), rows(x).softmax(-1), weight=WEIGHT, label_smoothing=0.2, reduction="sum"),
    "cross_entropy_one": lambda w, x, i: F.cross_entropy(w[0, 0], i[0, 0, 0]),
    "cross_entropy_older": lambda w, x, i: F.cross_entropy(rows(w), labels(i), size_average=False),
    "clip": lambda w, x, i: F.cross_entropy(likeness(w, x), torch.arange(8)) + F.cross_entropy(likeness(w, x).T, torch.arange(8)),
    "siglip": lambda w, x, i: -F.logsigmoid((2 * torch.eye(8) - 1) * (likeness(w, x) - 3)).sum() / 8,
    "cross_entropy": lambda w, x, i: F.cross_entropy(rows(w), labels(i)),
    "cross_entropy_sum": lambda w, x, i: F.cross_entropy(rows(w), labels(i), reduction="sum"),
    "cross_entropy_none": lambda w, x, i: F.cross_entropy(rows(w), labels(i), reduction="none"),
    "cross_entropy_smooth": lambda w, x, i: F.cross_entropy(rows(w), labels(i), label_smoothing=0.1),
    "cross_entropy_weight": lambda w, x, i: F.cross_entropy(rows(w), labels(i), weight=WEIGHT),
    "cross_entropy_both": lambda w, x, i: F.cross_entropy(rows(w), labels(i), weight=WEIGHT, label_smoothing=0.1, ignore_index=3),
    "cross_entropy_soft": lambda w, x, i: F.cross_entropy(rows(w), rows(x).softmax(-1)),
    "cross_entropy_3d": lambda w, x, i: F.cross_entropy(w.transpose(1, 2), i[:, :, 0]),
    "cross_entropy_3d_smooth": lambda w, x, i: F.cross_entropy(w.transpose(1, 2), i[:, :, 0], label_smoothing=0.1, ignore_index=2, reduction="sum"),
    "nll": lambda w, x, i: F.nll_loss(rows(w).log_softmax(-1), labels(i)),
    "nll_2d": lambda w, x, i: F.nll_loss(w.reshape(4, 8, 4, 4).log_softmax(1), i[:, :4, :4]),
    "mse": lambda w, x, i: F.mse_loss(w, x),
    "l1": lambda w, x, i: F.l1_loss(w, x),
    "smooth_l1": lambda w, x, i: F.smooth_l1_loss(w, x),
    "huber": lambda w, x, i: F.huber_loss(w, x, delta=0.5),
    "bce": lambda w, x, i: F.binary_cross_entropy(w.sigmoid(), x.sigmoid()),
    "bce_logits": lambda w, x, i: F.binary_cross_entropy_with_logits(w, x.sigmoid(), pos_weight=WEIGHT),
    "kl_div": lambda w, x, i: F.kl_div(w.log_softmax(-1), x.softmax(-1), reduction="batchmean"),
    "kl_div_log": lambda w, x, i: F.kl_div(w.log_softmax(-1), x.log_softmax(-1), log_target=True, reduction="sum"),
    "cosine": lambda w, x, i: F.cosine_similarity(w, x, dim=-1),
    "cosine_embedding": lambda w, x, i: F.cosine_embedding_loss(w[0], x[0], torch.ones(8)),
    "hinge_embedding": lambda w, x, i: F.hinge_embedding_loss(w, torch.where(x > 0, 1.0, -1.0)),
    "margin_ranking": lambda w, x, i: F.margin_ranking_loss(w[0], x[0], torch.ones(8, 16)),
    "triplet": lambda w, x, i: F.triplet_margin_loss(w[0], x[0], x[1]),
    "triplet_swap": lambda w, x, i: F.triplet_margin_loss(w[0], w[2], w[1], swap=True, p=3),
    "triplet_distance": lambda w, x, i: F.triplet_margin_with_distance_loss(w[0], x[0], x[1], distance_function=F.pairwise_distance),
    "poisson": lambda w, x, i: F.poisson_nll_loss(w, x.abs(), full=True),
    "gaussian": lambda w, x, i: F.gaussian_nll_loss(w, x, w.square() + 0.1, full=True),
    "multi_margin": lambda w, x, i: F.multi_margin_loss(rows(w), labels(i), p=2, weight=WEIGHT),
    "multilabel_margin": lambda w, x, i: F.multilabel_margin_loss(rows(w)[:, :4], torch.tensor([1, 3, -1, 0]).expand(32, 4)),
    "multilabel_soft_margin": lambda w, x, i: F.multilabel_soft_margin_loss(rows(w), (rows(x) > 0).float()),
    "soft_margin": lambda w, x, i: F.soft_margin_loss(w, torch.where(x > 0, 1.0, -1.0)),
    "z_loss": lambda w, x, i: F.cross_entropy(rows(w), labels(i)) + 1e-3 * rows(w).logsumexp(-1).square().mean(),
}
# What training scripts of other kinds call (test/tools/trainings).
SCRIPTS = {
    # A product with one number of a matrix, which lies where no operand of a product may.
    "product_of_a_number": lambda w, x, i: w.tanh()[0, :, :1] @ w.tanh()[0, :1, 3:4],
    "fake_quantized": lambda w, x, i: torch.fake_quantize_per_tensor_affine(w, 0.1, 3, -8, 7),
    "fake_quantized_channels": lambda w, x, i: torch.fake_quantize_per_channel_affine(
        w, torch.tensor([0.1, 0.2, 0.05, 0.3]), torch.tensor([0, 1, -1, 2], dtype=torch.int32), 0, -8, 7),
    "gradients_of_rows": lambda w, x, i: torch.func.vmap(torch.func.jacrev(lambda v: F.silu(torch.tanh(v @ w[0].mT)).sigmoid()))(x[0]),
}
CALLS = LOOKUPS | ORDER | LAYERS | ELEMENTWISE | SPECIAL | MATRICES | COMPLEX | REPORTED | LOSSES | SCRIPTS


def groups(size):
    """The names of all calls, in parts."""
    return list(itertools.batched(CALLS, size)) if hasattr(itertools, "batched") else \
        [tuple(CALLS)[start:start + size] for start in range(0, len(CALLS), size)]


def batch(seed=1):
    generator = torch.Generator().manual_seed(seed)
    return {"x": torch.randn(SHAPE, generator=generator), "i": torch.randint(0, 8, SHAPE, generator=generator)}


class Calls(torch.nn.Module):
    """The sum of logarithms of mean squares of what some calls return, each with weights of its own: no gradient is
    much
    larger than the others, so a few steps stay finite."""

    def __init__(self, names):
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.of = torch.nn.ParameterDict({f"_{name}": torch.nn.Parameter(torch.randn(SHAPE, generator=generator) * 0.5) for name in names})
        self.names = names

    def forward(self, x, i):
        return sum(CALLS[name](self.of[f"_{name}"] * 1.0, x, i).float().square().mean().log1p() for name in self.names)
