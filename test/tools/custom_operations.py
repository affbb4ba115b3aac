# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of torch.library as users write them, and a model that calls them. What each computes is written once by
PyTorch's own operations (`reference`), for tests to compare with."""
import torch
from torch import Tensor, nn


@torch.library.custom_op("prec_test::swish", mutates_args=())
def swish(x: Tensor, slope: float) -> Tensor:
    return x * torch.sigmoid(slope * x)


@swish.register_fake
def _(x: Tensor, slope: float) -> Tensor:
    return torch.empty_like(x)


# Its backward is an operation of its own.
@torch.library.custom_op("prec_test::swish_backward", mutates_args=())
def swish_backward(gradient: Tensor, x: Tensor, slope: float) -> Tensor:
    y = torch.sigmoid(slope * x)
    return gradient * (y + slope * x * y * (1 - y))


@swish_backward.register_fake
def _(gradient: Tensor, x: Tensor, slope: float) -> Tensor:
    return torch.empty_like(x)


def _save(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.slope = inputs[1]


swish.register_autograd(lambda ctx, g: (swish_backward(g, *ctx.saved_tensors, ctx.slope), None), setup_context=_save)


# Two results, a list of tensors, whole numbers; implemented for float32 alone, as kernels are, by NumPy. Its backward
# is of PyTorch's operations.
@torch.library.custom_op("prec_test::weighted_rows", mutates_args=())
def weighted_rows(xs: list[Tensor], rows: Tensor, *, bias: float = 0.5) -> tuple[Tensor, Tensor]:
    if any(x.dtype != torch.float32 for x in xs) or rows.dtype != torch.int64:
        raise TypeError("weighted_rows must get float32 and int64")
    total = sum(x.numpy() for x in xs) + bias
    return torch.from_numpy(total[rows.numpy()].copy()), torch.from_numpy(total.max(-1))


@weighted_rows.register_fake
def _(xs: list[Tensor], rows: Tensor, *, bias: float = 0.5) -> tuple[Tensor, Tensor]:
    return xs[0].new_empty((rows.shape[0], xs[0].shape[1])), xs[0].new_empty(xs[0].shape[:1])


def _save_rows(ctx, inputs, keyword_only_inputs, output):
    xs, rows = inputs
    ctx.save_for_backward(rows, sum(xs))
    ctx.count = len(xs)


def _rows_backward(ctx, g, of_most):
    rows, total = ctx.saved_tensors
    one = torch.zeros_like(total).index_add(0, rows, g)
    hot = nn.functional.one_hot(total.argmax(-1), total.shape[1]).to(total.dtype)
    one = one + hot * of_most[:, None]
    return [one] * ctx.count, None


weighted_rows.register_autograd(_rows_backward, setup_context=_save_rows)


# A backward that is not linear in its gradient.
@torch.library.custom_op("prec_test::signed", mutates_args=())
def signed(x: Tensor) -> Tensor:
    return x.clone()


@signed.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


@torch.library.custom_op("prec_test::signed_backward", mutates_args=())
def signed_backward(gradient: Tensor) -> Tensor:
    return gradient.clamp(-1e-3, 1e-3)


@signed_backward.register_fake
def _(gradient: Tensor) -> Tensor:
    return torch.empty_like(gradient)


signed.register_autograd(lambda ctx, g: signed_backward(g), setup_context=lambda ctx, inputs, output: None)


class Model(nn.Module):
    """With the operations, or with what they compute by PyTorch's own."""

    def __init__(self, reference: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.a, self.c = nn.Linear(16, 32), nn.Linear(32, 4)
        self.p, self.q = nn.Parameter(torch.randn(8, 32)), nn.Parameter(torch.randn(8, 32))
        self.reference = reference

    def forward(self, x: Tensor, rows: Tensor, y: Tensor) -> Tensor:
        if self.reference:
            u = self.a(x)
            h, w = u * torch.sigmoid(1.5 * u), self.q * torch.sigmoid(0.25 * self.q)
            total = self.p + w + 0.5
            taken, most = total[rows], total.amax(-1)
        else:
            h, w = swish(self.a(x), 1.5), swish(self.q, 0.25)
            taken, most = weighted_rows([self.p, w], rows)
        return nn.functional.cross_entropy(self.c(taken + h + most.mean()), y)


def batch(seed: int = 0) -> dict[str, Tensor]:
    draw = torch.Generator().manual_seed(seed)
    x, rows, y = torch.randn(6, 16, generator=draw), torch.randint(0, 8, (6,), generator=draw), torch.randint(0, 4, (6,), generator=draw)
    return {"x": x, "rows": rows, "y": y}
