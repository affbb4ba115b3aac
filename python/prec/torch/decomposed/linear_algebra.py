# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factorizations and what is solved by them. A step has no loops and no branches, so each is written out for its size.

Triangular matrices are inverted in blocks that double: the inverse of [[A, 0], [B, C]] is [[A', 0], [-C' B A', C']], so
that a matrix of n rows takes 2 log n products, all blocks of a size at once. Cholesky, LU (the row with the largest
element first) and QR (Householder's reflections) take a column after the other. Eigenvalues of symmetric matrices are
found by Jacobi's rotations, n / 2 pairs of rows at once in an order in which every pair comes by once a sweep, and
singular values as eigenvalues of [[0, A], [A', 0]]. The gradients are PyTorch's formulas, which read the factors.
"""
from __future__ import annotations

import math

import torch
from torch import Tensor

from ..decompose import decomposes

# Larger ones would be too many operations.
_MOST_COLUMNS = 128
_MOST_ROTATED = 32
_SWEEPS = 7


def _check(n: int, most: int) -> None:
    if n > most:
        raise NotImplementedError(f"a factorization of a matrix of {n} rows or columns, of which there may be {most} (compute it before the step)")


def _info(a: Tensor) -> Tensor:
    """Of factorizations that are taken to succeed."""
    return torch.zeros(a.shape[:-2], dtype=torch.int32)


def _eye(n: int, like: Tensor) -> Tensor:
    return torch.eye(n, dtype=like.dtype)


def _lower_inverse(a: Tensor, unit: bool) -> Tensor:
    """Of what is on and below the diagonal."""
    n = a.shape[-1]
    rows = 1 << max(n - 1, 0).bit_length()
    a = a.tril(-1 if unit else 0)
    if unit:
        a = a + _eye(n, a)
    if rows != n:
        a = torch.nn.functional.pad(a, (0, rows - n, 0, rows - n)) + torch.diag(torch.tensor([0.0] * n + [1.0] * (rows - n), dtype=a.dtype))
    diagonal = a.diagonal(dim1=-2, dim2=-1)
    batch = a.shape[:-2]
    # Inverses of the blocks on the diagonal: [..., blocks, size, size].
    inverses = (1 / diagonal).unsqueeze(-1).unsqueeze(-1)
    size = 1
    while size < rows:
        count = rows // (2 * size)
        blocks = a.reshape(*batch, count, 2 * size, count, 2 * size)
        # Of each pair the block below the diagonal.
        pairs = torch.stack([blocks[..., i, size:, i, :size] for i in range(count)], -3)
        upper, lower = inverses[..., 0::2, :, :], inverses[..., 1::2, :, :]
        corner = -(lower @ pairs @ upper)
        top = torch.cat([upper, torch.zeros_like(upper)], -1)
        inverses = torch.cat([top, torch.cat([corner, lower], -1)], -2)
        size *= 2
    return inverses.squeeze(-3)[..., :n, :n]


def _triangular_inverse(a: Tensor, upper: bool, unit: bool) -> Tensor:
    return _lower_inverse(a.mT, unit).mT if upper else _lower_inverse(a, unit)


@decomposes("aten.linalg_solve_triangular.default")
def solve_triangular(a: Tensor, b: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    inverse = _triangular_inverse(a, upper, unitriangular)
    return inverse @ b if left else b @ inverse


@decomposes("aten.triangular_solve.default")
def triangular_solve(b: Tensor, a: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> tuple[Tensor, Tensor]:
    inverse = _triangular_inverse(a, upper, unitriangular)
    solution = (inverse.mT if transpose else inverse) @ b
    return solution, a.expand(*solution.shape[:-2], *a.shape[-2:]).clone()


def _cholesky(a: Tensor, upper: bool) -> Tensor:
    n = a.shape[-1]
    _check(n, _MOST_COLUMNS)
    if upper:
        a = a.mT
    columns = []
    for j in range(n):
        pivot = a[..., j:j + 1, j:j + 1].sqrt()
        below = a[..., j:, j:j + 1] / pivot
        column = torch.cat([torch.zeros_like(a[..., :j, :1]), below], -2)
        columns.append(column)
        a = a - column @ column.mT
    lower = torch.cat(columns, -1)
    return lower.mT if upper else lower


@decomposes("aten.linalg_cholesky_ex.default")
def cholesky_ex(a: Tensor, *, upper: bool = False, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    return _cholesky(a, upper), _info(a)


@decomposes("aten.cholesky.default")
def cholesky(a: Tensor, upper: bool = False) -> Tensor:
    return _cholesky(a, upper)


def _cholesky_solve(b: Tensor, factor: Tensor, upper: bool) -> Tensor:
    lower = _lower_inverse(factor.mT if upper else factor, unit=False)
    return lower.mT @ (lower @ b)


@decomposes("aten._cholesky_solve_helper.default")
def cholesky_solve_helper(b: Tensor, a: Tensor, upper: bool) -> Tensor:
    return _cholesky_solve(b, a, upper)


@decomposes("aten.cholesky_solve.default")
def cholesky_solve(b: Tensor, a: Tensor, upper: bool = False) -> Tensor:
    return _cholesky_solve(b, a, upper)


@decomposes("aten.cholesky_inverse.default")
def cholesky_inverse(a: Tensor, upper: bool = False) -> Tensor:
    return _cholesky_solve(_eye(a.shape[-1], a), a, upper)


def _swapped(x: Tensor, place: Tensor, j: int) -> Tensor:
    """Rows j and place[...] of x [..., m, k] exchanged."""
    rows = torch.arange(x.shape[-2])
    place = place.unsqueeze(-1)
    from_row = torch.where(rows == j, place, torch.where(rows == place, j, rows))
    return x.gather(-2, from_row.unsqueeze(-1).expand(*x.shape[:-1], x.shape[-1]))


def _lu(a: Tensor, pivot: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Both factors in one matrix, pivots (from 1) and, of each row of P' A, the row of A."""
    m, n = a.shape[-2:]
    k = min(m, n)
    _check(k, _MOST_COLUMNS)
    rows = torch.arange(m).expand(*a.shape[:-2], m).unsqueeze(-1)
    pivots = []
    for j in range(k):
        if pivot and j < m:
            place = a[..., j:, j].abs().argmax(-1) + j
            a, rows = _swapped(a, place, j), _swapped(rows, place, j)
        else:
            place = torch.full(a.shape[:-2], j)
        pivots.append(place + 1)
        if j + 1 < m:
            top, below = a[..., :j + 1, :], a[..., j + 1:, :]
            factors = below[..., j:j + 1] / a[..., j:j + 1, j:j + 1]
            rest = below[..., j + 1:] - factors @ a[..., j:j + 1, j + 1:]
            a = torch.cat([top, torch.cat([below[..., :j], factors, rest], -1)], -2)
    return a, torch.stack(pivots, -1).to(torch.int32), rows.squeeze(-1)


@decomposes("aten.linalg_lu_factor_ex.default")
def lu_factor_ex(a: Tensor, *, pivot: bool = True, check_errors: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    lu, pivots, _ = _lu(a, pivot)
    return lu, pivots, _info(a)


def _lower_of(lu: Tensor) -> Tensor:
    m, k = lu.shape[-2], min(lu.shape[-2:])
    return lu[..., :, :k].tril(-1) + torch.eye(m, k, dtype=lu.dtype)


def _upper_of(lu: Tensor) -> Tensor:
    return lu[..., :min(lu.shape[-2:]), :].triu()


def _permutation(rows: Tensor, dtype: torch.dtype) -> Tensor:
    """Of P' A the matrix P."""
    return (torch.arange(rows.shape[-1]).unsqueeze(-1) == rows.unsqueeze(-2)).to(dtype)


@decomposes("aten.linalg_lu.default")
def linalg_lu(a: Tensor, *, pivot: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    lu, _, rows = _lu(a, pivot)
    p = _permutation(rows, a.dtype) if pivot else a.new_zeros((0,))
    return p, _lower_of(lu), _upper_of(lu)


def _rows_of_pivots(pivots: Tensor, m: int) -> Tensor:
    rows = torch.arange(m).expand(*pivots.shape[:-1], m).unsqueeze(-1)
    for j in range(pivots.shape[-1]):
        rows = _swapped(rows, pivots[..., j].to(torch.int64) - 1, j)
    return rows.squeeze(-1)


@decomposes("aten.lu_unpack.default")
def lu_unpack(lu: Tensor, pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    none = lu.new_zeros((0,))
    p = _permutation(_rows_of_pivots(pivots, lu.shape[-2]), lu.dtype) if unpack_pivots else none
    return p, *((_lower_of(lu), _upper_of(lu)) if unpack_data else (none, none))


def _solve_lu(lu: Tensor, rows: Tensor, b: Tensor, adjoint: bool = False) -> Tensor:
    p = _permutation(rows, lu.dtype)
    lower, upper = _lower_inverse(lu, unit=True), _triangular_inverse(lu, upper=True, unit=False)
    return p @ (lower.mT @ (upper.mT @ b)) if adjoint else upper @ (lower @ (p.mT @ b))


@decomposes("aten.linalg_lu_solve.default")
def lu_solve(lu: Tensor, pivots: Tensor, b: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    rows = _rows_of_pivots(pivots, lu.shape[-2])
    return _solve_lu(lu, rows, b, adjoint) if left else _solve_lu(lu, rows, b.mT, not adjoint).mT


@decomposes("aten.linalg_inv_ex.default")
def inv_ex(a: Tensor, *, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    lu, _, rows = _lu(a)
    return _solve_lu(lu, rows, _eye(a.shape[-1], a)), _info(a)


@decomposes("aten._linalg_solve_ex.default")
def solve_ex(a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    lu, pivots, rows = _lu(a)
    is_vector = b.dim() == 1 or b.dim() == a.dim() - 1 and b.shape == a.shape[:-1]
    columns = b.unsqueeze(-1) if is_vector else b
    solution = _solve_lu(lu, rows, columns) if left else _solve_lu(lu, rows, columns.mT, adjoint=True).mT
    return solution.squeeze(-1) if is_vector else solution, lu, pivots, _info(a)


def _lu_for_gradients(a: Tensor) -> tuple[Tensor, Tensor]:
    """Of the transpose, where PyTorch takes that, which its formulas of gradients count on."""
    return _lu(a.mT if a.is_contiguous() else a)[:2]


def _sign_of(pivots: Tensor) -> Tensor:
    """Of a permutation: each exchange turns it."""
    turned = (pivots != torch.arange(1, pivots.shape[-1] + 1)).sum(-1)
    return (1 - 2 * (turned % 2)).to(torch.get_default_dtype())


@decomposes("aten._linalg_det.default")
def det(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    lu, pivots = _lu_for_gradients(a)
    return lu.diagonal(dim1=-2, dim2=-1).prod(-1) * _sign_of(pivots), lu, pivots


@decomposes("aten._linalg_slogdet.default")
def slogdet(a: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    lu, pivots = _lu_for_gradients(a)
    diagonal = lu.diagonal(dim1=-2, dim2=-1)
    return diagonal.sign().prod(-1) * _sign_of(pivots), diagonal.abs().log().sum(-1), lu, pivots


def _reflections(a: Tensor) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    """R, and of each reflection 1 - tau v v' its v (zeros above, a one first) and tau, as LAPACK has them."""
    m, n = a.shape[-2:]
    k = min(m, n)
    _check(k, _MOST_COLUMNS)
    vectors, taus = [], []
    for j in range(k):
        first, rest = a[..., j:j + 1, j:j + 1], a[..., j + 1:, j:j + 1]
        if j + 1 == m:
            # Nothing is below it.
            v, tau = torch.ones_like(first), torch.zeros_like(first)
        else:
            below = rest.square().sum(-2, keepdim=True)
            done = below == 0
            size = torch.where(done, 1.0, first.square() + below).sqrt()
            beta = torch.where(first < 0, size, -size)
            tau = torch.where(done, 0.0, (beta - first) / beta)
            v = torch.cat([torch.ones_like(first), rest / torch.where(done, 1.0, first - beta)], -2)
        v = torch.cat([torch.zeros_like(a[..., :j, :1]), v], -2)
        a = a - tau * (v @ (v.mT @ a))
        vectors.append(v)
        taus.append(tau)
    return a, vectors, taus


def _reflected(x: Tensor, vectors: list[Tensor], taus: list[Tensor], adjoint: bool = False) -> Tensor:
    """Q x, or Q' x."""
    steps = list(zip(vectors, taus, strict=True))
    for v, tau in steps if adjoint else reversed(steps):
        x = x - tau * (v @ (v.mT @ x))
    return x


@decomposes("aten.linalg_qr.default")
def qr(a: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    m, k = a.shape[-2], min(a.shape[-2:])
    r, vectors, taus = _reflections(a)
    columns = m if mode == "complete" else k
    r = r[..., :columns, :].triu()
    if mode == "r":
        return a.new_zeros((0,)), r
    return _reflected(torch.eye(m, columns, dtype=a.dtype).expand(*a.shape[:-2], m, columns), vectors, taus), r


@decomposes("aten.geqrf.default")
def geqrf(a: Tensor) -> tuple[Tensor, Tensor]:
    r, vectors, taus = _reflections(a)
    below = torch.cat(vectors, -1).tril(-1)
    if r.shape[-1] > below.shape[-1]:
        below = torch.nn.functional.pad(below, (0, r.shape[-1] - below.shape[-1]))
    return r.triu() + below, torch.cat(taus, -1).squeeze(-2)


def _given(a: Tensor, tau: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    m, k = a.shape[-2], tau.shape[-1]
    lower = a[..., :k].tril(-1) + torch.eye(m, k, dtype=a.dtype)
    return [lower[..., j:j + 1] for j in range(k)], [tau[..., j:j + 1].unsqueeze(-1) for j in range(k)]


@decomposes("aten.linalg_householder_product.default")
def householder_product(a: Tensor, tau: Tensor) -> Tensor:
    m, n = a.shape[-2:]
    return _reflected(torch.eye(m, n, dtype=a.dtype).expand(a.shape), *_given(a, tau))


@decomposes("aten.ormqr.default")
def ormqr(a: Tensor, tau: Tensor, x: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    if left:
        return _reflected(x, *_given(a, tau), adjoint=transpose)
    return _reflected(x.mT, *_given(a, tau), adjoint=not transpose).mT


def _pairs(n: int) -> list[tuple[list[int], list[int]]]:
    """Of an even number of rows, rounds of n / 2 pairs in which every two meet once: one stays, the others go round."""
    ring, rounds = list(range(n)), []
    for _ in range(n - 1):
        rounds.append(([min(ring[i], ring[n - 1 - i]) for i in range(n // 2)], [max(ring[i], ring[n - 1 - i]) for i in range(n // 2)]))
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


def _symmetric(a: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, and eigenvectors as columns."""
    n = a.shape[-1]
    _check(n, _MOST_ROTATED)
    even = n + n % 2
    a = torch.nn.functional.pad(a, (0, even - n, 0, even - n))
    vectors = _eye(even, a).expand(a.shape)
    for first, second in _pairs(even) * _SWEEPS if even > 1 else []:
        p, q = torch.tensor(first), torch.tensor(second)
        app, aqq, apq = a[..., p, p], a[..., q, q], a[..., p, q]
        none = apq == 0
        theta = (aqq - app) / torch.where(none, 1.0, 2 * apq)
        # The smaller of two angles.
        t = torch.where(theta < 0, -1.0, 1.0) / (theta.abs() + (theta.square() + 1).sqrt())
        t = torch.where(none, 0.0, t)
        c = 1 / (t.square() + 1).sqrt()
        s = t * c
        on_p, on_q = (torch.tensor([[float(i == j) for j in range(even)] for i in part], dtype=a.dtype) for part in (first, second))
        # Column p of the rotation is (c at p, -s at q), column q (s at p, c at q).
        rotation = on_p.mT @ (c.unsqueeze(-1) * on_p + s.unsqueeze(-1) * on_q) + on_q.mT @ (c.unsqueeze(-1) * on_q - s.unsqueeze(-1) * on_p)
        a = rotation.mT @ a @ rotation
        vectors = vectors @ rotation
    values, vectors = a.diagonal(dim1=-2, dim2=-1)[..., :n], vectors[..., :n, :n]
    values, order = values.sort(-1)
    return values, vectors.gather(-1, order.unsqueeze(-2).expand(vectors.shape))


@decomposes("aten._linalg_eigh.default")
def eigh(a: Tensor, uplo: str = "L", compute_v: bool = True) -> tuple[Tensor, Tensor]:
    kept = a.tril() if uplo.upper() == "L" else a.triu()
    values, vectors = _symmetric(kept + kept.tril(-1).mT + kept.triu(1).mT)
    return values, vectors if compute_v else a.new_zeros((0,))


@decomposes("aten._linalg_svd.default")
def svd(a: Tensor, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    m, n = a.shape[-2:]
    k = min(m, n)
    if full_matrices and compute_uv and m != n:
        raise NotImplementedError("singular vectors beyond those of singular values (full_matrices=False has none)")
    zeros = [a.new_zeros((*a.shape[:-2], size, size)) for size in (m, n)]
    joined = torch.cat([torch.cat([zeros[0], a], -1), torch.cat([a.mT, zeros[1]], -1)], -2)
    values, vectors = _symmetric(joined)
    # The largest come last; each twice, with both signs.
    s = values.flip(-1)[..., :k].clamp(min=0)
    both = vectors.flip(-1)[..., :k] * math.sqrt(2)
    none = a.new_zeros((0,))
    return (both[..., :m, :], s, both[..., m:, :].mT) if compute_uv else (none, s, none)


@decomposes("aten.linalg_pinv.atol_rtol_tensor")
def pinv(a: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False) -> Tensor:
    if hermitian:
        values, vectors = _symmetric(a.tril() + a.tril(-1).mT)
        left, right = vectors, vectors.mT
    else:
        left, values, right = svd(a)
    sizes = values.abs()
    least = sizes.amax(-1, keepdim=True) * (torch.finfo(torch.float32).eps * max(a.shape[-2:]) if rtol is None else rtol.unsqueeze(-1))
    if atol is not None:
        least = torch.maximum(least, atol.unsqueeze(-1))
    kept = sizes > least
    inverse = torch.where(kept, 1 / torch.where(kept, values, 1.0), 0.0)
    return right.mT @ (inverse.unsqueeze(-1) * left.mT)


@decomposes("aten.linalg_lstsq.default")
def lstsq(a: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    m, n = a.shape[-2:]
    is_vector = b.dim() == a.dim() - 1 and b.shape == a.shape[:-1]
    columns = b.unsqueeze(-1) if is_vector else b
    if m >= n:
        q, r = qr(a)
        solution = _triangular_inverse(r, upper=True, unit=False) @ (q.mT @ columns)
    else:
        # The shortest of all that solve it.
        q, r = qr(a.mT)
        solution = q @ (_lower_inverse(r.mT, unit=False) @ columns)
    none = a.new_zeros((0,))
    residuals = (a @ solution - columns).square().sum(-2) if m > n and driver != "gelsy" else none
    rank = torch.full(a.shape[:-2], min(m, n), dtype=torch.int64)
    return solution.squeeze(-1) if is_vector else solution, residuals, rank, none


# exp(A) is exp(A / 2**k) ** (2**k), of which the inner one is a series of terms.
_HALVINGS, _ORDER = 6, 12


@decomposes("aten.linalg_matrix_exp.default")
def matrix_exp(a: Tensor) -> Tensor:
    n = a.shape[-1]
    _check(n, _MOST_COLUMNS)
    x = a * 2.0 ** -_HALVINGS
    total = term = _eye(n, a).expand(a.shape)
    for k in range(1, _ORDER + 1):
        term = term @ x / k
        total = total + term
    for _ in range(_HALVINGS):
        total = total @ total
    return total
