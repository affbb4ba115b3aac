# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AdamW and clipping after --prec-decompose against PyTorch, step by step from PyTorch's own state: the same bits for
the moments, and for the parameter within four units in the last place of max(|p|, |change of p|).

Hyper parameters are f32 in a step module, so PyTorch is given the same f32 values: its own 1 - 0.999 differs from that
  of the
nearest f32 by 1e-5 of it."""
import numpy as np
import pytest
import torch

from prec.interpreter import Program

N = 4096
TEXT = """
func.func @f(%p: tensor<64x64xf32>, %g: tensor<64x64xf32>, %m: tensor<64x64xf32>, %v: tensor<64x64xf32>, %lr: tensor<f32>, %b1: tensor<f32>,
             %b2: tensor<f32>, %eps: tensor<f32>, %wd: tensor<f32>, %t: tensor<f32>, %s: tensor<f32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0:3 = prec_train.adamw %p, %g, %m, %v, %lr, %b1, %b2, %eps, %wd, %t, %s
    : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
       tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
  return %0#0, %0#1, %0#2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
"""


def as_f32(options):
    return {k: tuple(float(np.float32(x)) for x in v) if isinstance(v, tuple) else float(np.float32(v)) for k, v in options.items()}


def ulps(got, expected, scale):
    return float(np.max(np.abs(got.astype(np.float64) - expected) / np.spacing(scale)))


@pytest.fixture(scope="module")
def adamw(prec_opt):
    return Program.of_text(TEXT, prec_opt=prec_opt, passes=["--prec-decompose"])


@pytest.mark.parametrize("start", [1.0, 0.02, 0.0])
@pytest.mark.parametrize("options", [dict(lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1), dict(lr=0.3, betas=(0.5, 0.999), eps=1e-3),
                                     dict(lr=1e-4, betas=(0.9, 0.999), weight_decay=0.0), dict(lr=0.01, betas=(0.2, 0.9999))])
@pytest.mark.parametrize("how", ["fused", "foreach", "plain"])
def test_update_is_pytorchs(adamw, options, how, start):
    torch.manual_seed(0)
    p = torch.nn.Parameter(start * torch.randn(64, 64))
    optimizer = torch.optim.AdamW([p], fused=how == "fused", foreach=how == "foreach", **as_f32(options))
    group = optimizer.param_groups[0]
    hyper = [np.float32(x) for x in (group["lr"], *group["betas"], group["eps"], group["weight_decay"])]
    m, v = np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32)
    for step in range(1, 41):
        before = p.detach().numpy().copy()
        p.grad = torch.randn(64, 64) * 10.0 ** float(torch.randint(-6, 3, ()))
        ours, m, v = adamw.run(dict(enumerate([before, p.grad.numpy(), m, v, *hyper, np.float32(step), np.float32(1)])), function="f")
        optimizer.step()
        after, state = p.detach().numpy(), optimizer.state[p]
        # A fused multiply-add in NumPy rounds twice, once in 2^29 to another value.
        for moment, name in ((m, "exp_avg"), (v, "exp_avg_sq")):
            assert np.mean(moment == state[name].numpy()) > 0.999, (step, name)
        assert ulps(ours, after, np.maximum(np.abs(before), np.abs(after - before))) <= 4, step
        m, v = state["exp_avg"].numpy().copy(), state["exp_avg_sq"].numpy().copy()


CLIP = """
func.func @f(%a: tensor<64x48xf32>, %b: tensor<96xf32>, %m: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %n = prec_train.global_norm %a, %b : (tensor<64x48xf32>, tensor<96xf32>) -> tensor<f32>
  %c = prec_train.clip %n, %m : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n, %c : tensor<f32>, tensor<f32>
}
"""


@pytest.mark.parametrize("max_norm", [0.5, 1e3])
def test_clip_is_pytorchs(prec_opt, max_norm):
    torch.manual_seed(0)
    parameters = [torch.nn.Parameter(torch.zeros(64, 48)), torch.nn.Parameter(torch.zeros(96))]
    for p in parameters:
        p.grad = torch.randn_like(p)
    before = [p.grad.numpy().copy() for p in parameters]
    norm, factor = Program.of_text(CLIP, prec_opt=prec_opt, passes=["--prec-decompose"]).run(dict(enumerate([*before, max_norm])), function="f")
    expected = torch.nn.utils.clip_grad_norm_(parameters, max_norm).numpy()
    # A sum of n positive terms in any order is within n roundings; these are summed in pairs.
    np.testing.assert_allclose(norm, expected, rtol=32 * 2.0**-24)
    for p, g in zip(parameters, before):
        np.testing.assert_allclose(g * factor, p.grad.numpy(), rtol=40 * 2.0**-24)
    assert (factor == 1) == (max_norm > expected)


def test_a_guard_keeps_the_old_values(prec_opt, adamw):
    text = TEXT.replace("%s: tensor<f32>)", "%s: tensor<f32>, %ok: tensor<i1>)").replace("%t, %s\n", "%t, %s, %ok\n").replace(
        "tensor<f32>, tensor<f32>) ->", "tensor<f32>, tensor<f32>, tensor<i1>) ->")
    guarded = Program.of_text(text, prec_opt=prec_opt, passes=["--prec-decompose"])
    generator = np.random.default_rng(0)
    p, g, m, v = (generator.standard_normal((64, 64), np.float32) for _ in range(4))
    hyper = [np.float32(x) for x in (1e-3, 0.9, 0.95, 1e-8, 0.1, 3, 1)]
    values = [p, g, m, np.abs(v), *hyper]
    for ours, unguarded in zip(
        guarded.run(dict(enumerate([*values, np.bool_(True)])), function="f"), adamw.run(dict(enumerate(values)), function="f")
    ):
        np.testing.assert_array_equal(ours, unguarded)
    values[1] = g * np.float32(np.nan)
    for ours, old in zip(guarded.run(dict(enumerate([*values, np.bool_(False)])), function="f"), (p, m, np.abs(v))):
        np.testing.assert_array_equal(ours, old)
