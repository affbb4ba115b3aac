# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SGD, Lion and Adafactor after --prec-decompose against PyTorch and lion_pytorch, step by step from their own state;
`update` and the guard of each."""
import numpy as np
import pytest
import torch
from optimizers import OPTIMIZERS, step_from
from test_adamw import ulps

from prec.interpreter import Program

OPS = {"sgd": "sgd", "sgd, decayed": "sgd", "sgd, momentum": "sgd_momentum", "sgd, dampened": "sgd_momentum", "sgd, nesterov": "sgd_momentum",
       "lion": "lion", "lion, decoupled": "lion", "adafactor": "adafactor", "adafactor, clipped": "adafactor"}
HYPER = {"sgd": ("lr", "weight_decay"), "sgd_momentum": ("lr", "momentum", "dampening", "weight_decay"),
         "lion": ("lr", "beta1", "beta2", "weight_decay"), "adafactor": ("lr", "beta2_decay", "eps1", "eps2", "d", "weight_decay"),
         "adafactor_unfactored": ("lr", "beta2_decay", "eps1", "eps2", "d", "weight_decay")}
STATES = {"sgd": (), "sgd_momentum": ("momentum_buffer",), "lion": ("exp_avg",), "adafactor": ("row_var", "col_var"),
          "adafactor_unfactored": ("variance",)}


def shape_of(slot, shape):
    return {"row_var": (*shape[:-1], 1), "col_var": (*shape[:-2], 1, *shape[-1:])}.get(slot, shape)


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def text(op, shape, attrs="", guard=False):
    states = [tensor(shape_of(slot, shape)) for slot in STATES[op]]
    types = [tensor(shape)] * 2 + states + [tensor(())] * (len(HYPER[op]) + 2) + [tensor((), "i1")] * guard
    names = [f"%{i}" for i in range(len(types))]
    results = [tensor(shape), *states, tensor(shape)]
    count = len(results)
    return f"""
func.func @f({", ".join(f"%a{i}: {t}" for i, t in enumerate(types))}) -> ({", ".join(results)}) {{
  %0:{count} = prec_train.{op} {", ".join(f"%a{i}" for i in range(len(names)))}{attrs} : ({", ".join(types)}) -> ({", ".join(results)})
  return {", ".join(f"%0#{i}" for i in range(count))} : {", ".join(results)}
}}
"""


def hyper_of(optimizer, op):
    group = dict(optimizer.param_groups[0])
    if "betas" in group:
        group["beta1"], group["beta2"] = group["betas"]
    if "eps" in group:
        eps1, group["eps2"] = group["eps"]
        group["eps1"] = 2.0 ** -23 if eps1 is None else eps1
    if getattr(optimizer, "decoupled_wd", False):
        group["weight_decay"] /= optimizer._init_lr
    return [np.float32(group[name]) for name in HYPER[op]]


@pytest.mark.parametrize("shape", [(48, 80), (96,), (3, 16, 24)])
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_update_is_the_originals(kind, shape, prec_opt):
    torch.manual_seed(0)
    op = OPS[kind] + ("_unfactored" if kind.startswith("adafactor") and len(shape) == 1 else "")
    attrs = " {nesterov}" if "nesterov" in kind else ""
    module = Program.of_text(text(op, shape, attrs), prec_opt=prec_opt, passes=["--prec-decompose"])
    make = OPTIMIZERS[kind]
    hyper = hyper_of(make([torch.nn.Parameter(torch.zeros(shape))]), op)
    exact = not op.startswith("adafactor")
    p = torch.randn(shape).numpy()
    states = {slot: np.zeros(shape_of(slot, shape), np.float32) for slot in STATES[op]}
    for step in range(1, 21):
        g = (torch.randn(shape) * 10.0 ** float(torch.randint(-4, 2, ()))).numpy()
        inputs = [p, g, *states.values(), *hyper, np.float32(step), np.float32(1)]
        ours, *new, update = module.run(dict(enumerate(inputs)), function="f")
        after, expected = step_from(make, {"p": p}, {"p": g}, {"p": states}, step)
        after, expected = after["p"], expected["p"]
        scale = np.maximum(np.abs(p), np.abs(after - p))
        if exact:
            # A fused multiply-add in NumPy rounds twice, once in 2^29 to another value.
            assert np.mean(ours == after) > 0.999 and ulps(ours, after, scale) <= 2, step
        else:
            assert np.all(np.abs(ours - after.astype(np.float64)) <= 2 * np.spacing(scale) + 2e-6 * np.abs(after - p)), step
        for slot, value in zip(STATES[op], new):
            assert value.shape == expected[slot].shape
            if exact:
                assert np.mean(value == expected[slot]) > 0.999, (step, slot)
            else:
                np.testing.assert_allclose(value, expected[slot], rtol=1e-6)
        # It is rounded once more where it is added.
        assert np.all(np.abs(ours - (p.astype(np.float64) + update)) <= np.spacing(scale) * 2 + np.spacing(np.abs(update)) * 2)
        p, states = after, {slot: expected[slot] for slot in STATES[op]}


@pytest.mark.parametrize("op", STATES)
def test_a_guard_keeps_the_old_values(op, prec_opt):
    shape = (12,) if op == "adafactor_unfactored" else (8, 12)
    generator = np.random.default_rng(0)
    values = [np.abs(generator.standard_normal(shape_of(slot, shape), np.float32)) for slot in ("p", "g", *STATES[op])]
    scalars = [np.float32(0.5)] * len(HYPER[op]) + [np.float32(3), np.float32(1)]
    plain = Program.of_text(text(op, shape), prec_opt=prec_opt, passes=["--prec-decompose"])
    guarded = Program.of_text(text(op, shape, guard=True), prec_opt=prec_opt, passes=["--prec-decompose"])
    taken = guarded.run(dict(enumerate([*values, *scalars, np.bool_(True)])), function="f")
    for ours, unguarded in zip(taken, plain.run(dict(enumerate([*values, *scalars])), function="f")):
        np.testing.assert_array_equal(ours, unguarded)
    assert not np.array_equal(taken[0], values[0])
    values[1] = values[1] * np.float32(np.nan)
    *kept, update = guarded.run(dict(enumerate([*values, *scalars, np.bool_(False)])), function="f")
    for ours, old in zip(kept, [values[0], *values[2:]]):
        np.testing.assert_array_equal(ours, old)
    assert np.all((update == 0) & np.signbit(update))


@pytest.mark.parametrize("op", [op for op in STATES if not op.startswith("adafactor")])
def test_a_guard_keeps_single_elements(op, prec_opt):
    """An element that would not be finite, or a moment of it, keeps all its values; its neighbors are updated."""
    generator = np.random.default_rng(0)
    p, g, *states = [np.abs(generator.standard_normal((6,), np.float32)) for _ in ("p", "g", *STATES[op])]
    scalars = dict.fromkeys(HYPER[op], np.float32(0.5)) | {"lr": np.float32(1e6)}
    values = [p, g, *states, *scalars.values(), np.float32(3), np.float32(1)]
    plain = Program.of_text(text(op, (6,)), prec_opt=prec_opt, passes=["--prec-decompose"])
    guarded = Program.of_text(text(op, (6,), guard=True), prec_opt=prec_opt, passes=["--prec-decompose"])
    usual = guarded.run(dict(enumerate([*values, np.bool_(True)])), function="f")
    p[2] = -3e38  # Its decay alone overflows.
    g[4] = 3e38   # So does what becomes of its gradient, if it is squared or added to another.
    with np.errstate(over="ignore", invalid="ignore"):
        bare = plain.run(dict(enumerate(values)), function="f")
        *kept, update = guarded.run(dict(enumerate([*values, np.bool_(True)])), function="f")
    olds, bare = [p, *states], bare[:-1]
    assert not np.isfinite(bare[0][2]) and all(np.isfinite(value).all() for value in kept)
    for i in range(6):
        good = all(np.isfinite(value[i]) for value in bare)
        for ours, old, unguarded in zip(kept, olds, bare):
            assert ours[i] == (unguarded if good else old)[i]
    for ours, old, before in zip(kept, olds, usual):
        for i in (0, 1, 3, 5):
            assert ours[i] == before[i] != old[i]
    assert not np.isfinite(update[2])  # Who counts lost updates sees it.
