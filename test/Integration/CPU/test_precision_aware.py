# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masters whose updates keep their norm: bit for bit what a NumPy search computes that adds in the order of the CPU's
kernels, and what
lands is as long as what was meant where plain rounding loses it."""
import json

import ml_dtypes
import numpy as np
import pytest
from adamw_update import f32_update
from conftest import ROOT
from first_step import OPTIONS, inputs, moments
from test_against_pytorch import batches, llama

F32 = np.float32
RATES = [1e-3, 1e-3, 1e-5, 1e-7, 1e-9]
ITERATIONS, TOLERANCE = 12, 0.02


def rounded(values):
    return values.astype(ml_dtypes.bfloat16).astype(F32)


def row_sums(x):
    """Over the last dimension in f32: 16 partial sums (as many as fit), a tree over them, then the elements that fill
    no vector."""
    extent = x.shape[-1]
    lanes = min(16, 1 << (extent.bit_length() - 1))
    whole = extent // lanes * lanes
    sums = np.zeros((*x.shape[:-1], lanes), F32)
    for column in range(0, whole, lanes):
        sums = sums + x[..., column:column + lanes]
    while sums.shape[-1] > 1:
        half = sums.shape[-1] // 2
        sums = sums[..., :half] + sums[..., half:]
    total = sums[..., 0]
    for column in range(whole, extent):
        total = total + x[..., column]
    return total


def norm(x):
    total = row_sums(x * x)
    return np.sqrt(row_sums(total) if total.ndim else total)


def search(parameter, update, iterations, tolerance):
    """The new parameter, what was meant and what landed, from the definition of prec.precision_aware_update."""
    roundoff, half_smallest = 2.0 ** -8, 2.0 ** -134
    meant = norm(update)
    high = ((meant + (norm(parameter) * F32(roundoff) + F32(half_smallest * np.sqrt(parameter.size))))
            / (meant * F32(1 - roundoff)))
    low, alpha, best, error = F32(0.5), F32(1), F32(1), F32(np.inf)
    for _ in range(iterations):
        landed = norm(rounded(parameter + alpha * update) - parameter)
        distance = np.abs(landed - meant)
        if error > meant * F32(tolerance) and distance < error:
            best, error = alpha, distance
        low, high = (alpha, high) if landed < meant else (low, alpha)
        alpha = np.sqrt(low * high)
    return rounded(parameter + best * update), meant, best


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    text = json.loads((ROOT / "recipes/bf16.json").read_text())
    path = tmp_path_factory.mktemp("recipes") / "precision_aware.json"
    path.write_text(json.dumps({**text, "dtypes": {**text["dtypes"], "master_dtype": "bf16"}, "master_rounding": {
        "mode": "precision_aware", "iterations": ITERATIONS, "tolerance": TOLERANCE}}))
    return path


def parameters(module):
    return {name: value.astype(F32) for name, value in module.weights().items()}


def updates(module):
    """Of each step and parameter: master and update before, master after, and how the search ended."""
    for step, (rate, batch) in enumerate(zip(RATES, batches()), 1):
        before = parameters(module)
        module.step(inputs(batch), lr=rate)
        after, first, second = parameters(module), moments(module, "exp_avg"), moments(module, "exp_avg_sq")
        for name, old in before.items():
            update = f32_update(old, first[name], second[name], step, **OPTIONS | {"lr": rate})
            yield step, rate, name, old, update, after[name]


def test_is_numpys_bit_for_bit(recipe, open_step):
    _, module = open_step(llama, recipe)
    alphas = []
    for step, _, name, old, update, new in updates(module):
        expected, _, alpha = search(old, update, ITERATIONS, TOLERANCE)
        np.testing.assert_array_equal(new, expected, err_msg=f"{step} {name}")
        alphas.append(alpha)
    assert min(alphas) <= 1 and max(alphas) > 10, "searches must have gone both ways"


def length(x):
    return np.sqrt(np.square(x.astype(np.float64)).sum())


def test_what_lands_is_as_long_as_what_was_meant(recipe, open_step):
    """With plain rounding almost nothing lands at these rates; never is more lost than with it. Squares of norms are as
    near as a single element that moves or does not: of the factors on both sides of that step the search takes the
    nearer one. At 1e-9 one element may be too much, and none moves."""
    _, module = open_step(llama, recipe)
    for _, rate, name, old, update, new in updates(module):
        meant, landed, plain = length(update), length(new - old), length(rounded(old + update) - old)
        assert abs(landed - meant) <= abs(plain - meant) + 1e-5 * meant
        assert landed < 2 * meant or landed == plain
        if old.ndim == 2 and rate >= 1e-7:
            element = np.abs(new - old).max()
            assert abs(landed ** 2 - meant ** 2) <= 2.1 * TOLERANCE * meant ** 2 + 2 * element ** 2, (rate, name)
            assert landed > 0.8 * meant
        if rate <= 1e-7:
            assert plain < 0.9 * meant


def test_runs_are_bitwise_equal(recipe, open_step):
    states = []
    for _ in range(2):
        _, module = open_step(llama, recipe)
        for _, batch in zip(range(3), batches()):
            module.step(inputs(batch), lr=1e-6)
        states.append({b.name: module.get(b).tobytes() for b in module.bindings if b.role in ("parameter", "optimizer_state")})
    assert states[0] == states[1]
