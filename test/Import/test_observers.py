# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Observers of PyTorch's quantization-aware training: the scale, its zero and what is rounded by them are those of
PyTorch's own operation."""
import pytest
import torch
import torch.ao.quantization as quantization
from torch import nn

import prec
from prec.torch.decomposed.quantization import followed

SIZES = {"large": 100.0, "ordinary": 1.0, "small": 1e-5, "tiny": 1e-8, "zero": 0.0}


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("of_rows", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.cases(4)
def test_an_observer_is_pytorchs(size, of_rows, symmetric):
    g = torch.Generator().manual_seed(0)
    for number, (low, high) in enumerate([(0, 255), (-128, 127), (-7, 8), (0, 127)] * 6):
        x = torch.randn(4, 3, 5, generator=g) * SIZES[size] + [0.0, 3.0, -3.0][number % 3]
        rows = 4 if of_rows else 1
        seen = [-torch.rand(rows, generator=g), torch.rand(rows, generator=g)]
        seen = seen if number % 2 else [torch.full((rows,), bound) for bound in (torch.inf, -torch.inf)]
        observes, quantizes = torch.tensor([number % 2 == 0 or number % 5 > 0]).long(), torch.tensor([number % 7 > 0]).long()
        state = [*seen, torch.full((rows,), 0.1), torch.ones(rows, dtype=torch.int32)]
        state = state if of_rows else [t[0].clone() for t in seen] + state[2:]
        options = 0.01, low, high, 0, of_rows, symmetric
        found = followed(x, observes, quantizes, *state, *options)
        own = [t.clone() for t in state]
        right = torch.ops.aten._fused_moving_avg_obs_fq_helper(x, observes, quantizes, *own, *options)
        torch.testing.assert_close(found[2:], tuple(own), rtol=1e-5, atol=1e-12)
        # By a scale that is an ulp away, a few are rounded to the other side.
        assert ((found[0] - right[0]).abs() <= 1e-5 * (1 + right[0].abs())).float().mean() > 0.95


def test_an_observer_of_channels_has_seen_a_batch():
    layers = nn.Sequential(nn.Linear(4, 3)).train()
    layers.qconfig = quantization.get_default_qat_qconfig("fbgemm")
    model = nn.Sequential(quantization.prepare_qat(layers), nn.Flatten(0), nn.Linear(6, 1), nn.Flatten(0))
    optimizer, batch = torch.optim.SGD(model.parameters(), lr=0.1), {"input": torch.randn(2, 4)}

    with pytest.raises(prec.ImportFailure, match="an observer of each channel must know .* but has seen no batch.*: run forward once"):
        prec.import_torch(model, optimizer, batch, loss=lambda output: output.sum())
