# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers between real ones: where a table of rotations may be, and what must be real. What is computed of them
is in calls.py."""
import numpy as np
import pytest
import torch

import prec

ANGLES = torch.outer(torch.arange(8.0), 0.1 ** torch.arange(4.0))
TURN = torch.polar(torch.ones_like(ANGLES), ANGLES)


class Rotary(torch.nn.Module):
    """Rotary embeddings as Meta's Llama writes them."""

    def __init__(self, kind):
        super().__init__()
        torch.manual_seed(0)
        self.kind, self.rows, self.layer = kind, torch.nn.Embedding(32, 16), torch.nn.Linear(16, 16)
        if kind in ("buffer", "changed"):
            self.register_buffer("freqs_cis", TURN.clone(), persistent=False)
        elif kind == "parameter":
            self.freqs_cis = torch.nn.Parameter(TURN.clone())
        else:
            self.freqs_cis = TURN.clone()

    def forward(self, ids, turn=None):
        x = self.layer(self.rows(ids)).view(*ids.shape, 2, 8)
        turn = TURN.to(torch.complex64) if self.kind == "made" else self.freqs_cis if turn is None else turn
        y = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2)) * turn.view(1, 8, 1, 4)
        if self.kind == "changed":
            self.freqs_cis = self.freqs_cis * 0.5
        return (torch.view_as_real(y).flatten(3).type_as(x) * torch.arange(1, 9)).pow(3).mean()


IDS = torch.arange(16).view(2, 8)


def imported(model, **more):
    return prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"ids": IDS, **more})


@pytest.mark.parametrize("kind", ["buffer", "attribute", "made"])
def test_a_table_of_rotations(kind):
    step = imported(Rotary(kind))
    assert step.verified == "verified"
    if kind == "buffer":
        (table,) = [a for a in step.graph.arguments if a.path == "freqs_cis"]
        assert table.value.shape == (8, 4, 2)
        np.testing.assert_array_equal(table.attrs["initial"], torch.view_as_real(TURN).numpy())


def test_a_complex_parameter_is_refused():
    with pytest.raises(prec.ImportFailure, match="parameters must be float32, .* but freqs_cis is torch.complex64"):
        imported(Rotary("parameter"))


def test_a_complex_input_is_refused():
    with pytest.raises(prec.ImportFailure, match="every tensor must be real but got one of torch.complex64"):
        imported(Rotary("attribute"), turn=TURN.clone())


def test_a_complex_buffer_that_changes_is_refused():
    with pytest.raises(prec.ImportFailure, match="what a step changes must be real but it gives a complex tensor"):
        imported(Rotary("changed"))


class Calls(torch.nn.Module):
    def __init__(self, function, size):
        super().__init__()
        self.w, self.function = torch.nn.Parameter(torch.eye(size)), function

    def forward(self, x):
        return self.function(self.w * x)


@pytest.mark.parametrize("function,size,message", [
    (lambda w: torch.linalg.cholesky(w).sum(), 130, "a matrix of 130 rows or columns, of which there may be 128"),
    (lambda w: torch.linalg.eigvalsh(w).sum(), 34, "a matrix of 34 rows or columns, of which there may be 32"),
    (lambda w: torch.linalg.svd(w[:, :3])[0].sum(), 4, "singular vectors beyond those of singular values"),
    (lambda w: torch.nn.functional.ctc_loss(w.log_softmax(-1).expand(1025, 4, 4), torch.ones(4, 2, dtype=torch.int64), (9,) * 4, (2,) * 4),
     4, "ctc_loss over 1025 steps, of which there may be 1024"),
    (lambda w: torch.linalg.eigvals(w).real.sum(), 4, "aten.linalg_eig.default in "),
])
def test_what_is_too_large_is_refused(function, size, message):
    model = Calls(function, size)
    with pytest.raises(prec.ImportFailure, match=message):
        prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"x": torch.ones(())})


class Modes(torch.nn.Module):
    """A layer of a Fourier neural operator: low modes of two corners, written into zeros that follow from no tensor."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.low, self.high = (torch.nn.Parameter(torch.rand(2, 2, 3, 3, 2)) for _ in range(2))

    def forward(self, x):
        spectrum = torch.fft.rfft2(x)
        out = torch.zeros(len(x), 2, 8, 5, dtype=torch.cfloat)
        for corner, weight in ((slice(None, 3), self.low), (slice(-3, None), self.high)):
            out[:, :, corner, :3] = torch.einsum("bixy,ioxy->boxy", spectrum[:, :, corner, :3], torch.view_as_complex(weight))
        return torch.fft.irfft2(out, s=(8, 8)).pow(3).mean()


def test_zeros_that_are_written_into():
    model = Modes()
    assert prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"x": torch.randn(2, 2, 8, 8)}).verified == "verified"
