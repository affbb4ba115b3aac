# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expansions of math functions against float64, in units of the last place."""

import math

import harness
import numpy as np
import pytest
from harness import Case, tensor

erf = np.vectorize(math.erf, otypes=[np.float64])


def spread(low, high):
    """Magnitudes of all scales in [low, high], both signs."""
    return lambda rng, n: (np.exp(rng.uniform(math.log(low), math.log(high), n)) * rng.choice([-1, 1], n)).astype(np.float32)


def uniform(low, high):
    return lambda rng, n: rng.uniform(low, high, n).astype(np.float32)


def positive(low, high):
    return lambda rng, n: np.abs(spread(low, high)(rng, n))


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38, 88.72, 88.73,
                    -87.3, -87.4, -103.9, -104.1, 0.5, -0.5, 2.0, 0.625, 9.0, -9.1, 16777216.0, 127.99, 128.0, -149.0,
                    -150.1, 0.9277344, 3.9, 4.1, 1e9], np.float32)

FUNCTIONS = {
    "exp": (np.exp, 1, [uniform(-104, 89), spread(1e-6, 80), uniform(-1, 1)]),
    "exp2": (np.exp2, 2, [uniform(-150, 128), uniform(-1, 1)]),
    "expm1": (np.expm1, 2, [uniform(-20, 88), spread(1e-8, 1), uniform(-1, 1)]),
    "log": (np.log, 1, [positive(1e-45, 3e38), uniform(0.5, 2.0)]),
    "log2": (np.log2, 3, [positive(1e-45, 3e38), uniform(0.5, 2.0)]),
    "log1p": (np.log1p, 3, [spread(1e-8, 0.99), positive(1e-3, 1e30)]),
    "tanh": (np.tanh, 2, [uniform(-10, 10), spread(1e-8, 1)]),
    "erf": (erf, 2, [uniform(-5, 5), spread(1e-8, 1)]),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1.5, [positive(1e-45, 3e38)]),
    "sqrt": (np.sqrt, 0.5, [positive(1e-45, 3e38)]),
    "sin": (np.sin, 2, [uniform(-10, 10), uniform(-1e5, 1e5), spread(1e-8, 1e9)]),
    "cos": (np.cos, 2, [uniform(-10, 10), uniform(-1e5, 1e5), spread(1e-8, 1e9)]),
}


def ulps(got, want):
    """Distance in units of the last place of f32 of the wanted value."""
    with np.errstate(over="ignore", invalid="ignore"):
        limit = np.abs(want) >= 2.0 ** 128 * (1 - 2.0 ** -25)
        rounded = want.astype(np.float32)
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        exponent = np.maximum(np.floor(np.log2(np.maximum(np.abs(want), 2.0 ** -149))), -126)
        distance = np.abs(got.astype(np.float64) - want) / 2.0 ** (exponent - 23)
    return np.where(same, np.minimum(np.nan_to_num(distance, nan=0, posinf=0), 0.5),
                    np.where(limit, np.inf, np.nan_to_num(distance, nan=np.inf)))


def run(op, tmp_path, *arrays):
    t = tensor([arrays[0].size], "f32")
    names = ", ".join(f"%{i}" for i in range(len(arrays)))
    case = Case(op, "elementwise", [t] * len(arrays), [t], f"%y = math.{op} {names} : {t}", "%y", None, None)
    harness.build(case, "cpu", tmp_path)
    return harness.run_cpu(case, tmp_path, list(arrays))[0]


@pytest.mark.parametrize("op", FUNCTIONS)
def test_unary(op, tmp_path):
    reference, bound, ranges = FUNCTIONS[op]
    rng = np.random.default_rng(3)
    x = np.concatenate([SPECIAL] + [make(rng, 200_000) for make in ranges])
    if op in ("sin", "cos"):
        x = x[(np.abs(x) <= 2.0 ** 30) | ~np.isfinite(x)]
    got = run(op, tmp_path, x)
    with np.errstate(all="ignore"):
        want = reference(x.astype(np.float64))
    error = ulps(got, want)
    worst = int(np.argmax(error))
    print(f"{op}: {error[worst]:.3f} ulp at {x[worst]!r}")
    assert error[worst] <= bound, f"{op}({x[worst]!r}) = {got[worst]!r}, not {want[worst]!r}: {error[worst]:.2f} ulp"


def test_pow(tmp_path):
    rng = np.random.default_rng(4)
    n = 300_000
    bases = [positive(1e-30, 1e30)(rng, n), uniform(0.8, 1.2)(rng, n), uniform(-3, 3)(rng, n), uniform(-3, 3)(rng, n)]
    powers = [uniform(-3, 3)(rng, n), uniform(-500, 500)(rng, n), rng.integers(-20, 20, n).astype(np.float32),
              uniform(-3, 3)(rng, n)]
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1e-45, 3e38],
                       np.float32)
    a, b = np.meshgrid(special, special)
    x, y = np.concatenate([*bases, a.ravel()]), np.concatenate([*powers, b.ravel()])
    got = run("powf", tmp_path, x, y)
    with np.errstate(all="ignore"):
        want = np.power(x.astype(np.float64), y.astype(np.float64))
    error = ulps(got, want)
    worst = int(np.argmax(error))
    assert error[worst] <= 1, f"pow({x[worst]!r}, {y[worst]!r}) = {got[worst]!r}, not {want[worst]!r}"


def test_atan2(tmp_path):
    rng = np.random.default_rng(5)
    n = 300_000
    y = [spread(1e-20, 1e20)(rng, n), uniform(-1, 1)(rng, n), spread(1e-8, 3)(rng, n), spread(1e37, 3.4e38)(rng, n)]
    x = [spread(1e-20, 1e20)(rng, n), uniform(-1, 1)(rng, n), np.ones(n, np.float32), spread(1e37, 3.4e38)(rng, n)]
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.41421357, -2.4142137, 1e-45, -3.4e38], np.float32)
    a, b = np.meshgrid(special, special)
    y, x = np.concatenate([*y, a.ravel()]), np.concatenate([*x, b.ravel()])
    got = run("atan2", tmp_path, y, x)
    want = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    error = ulps(got, want)
    worst = int(np.argmax(error))
    assert error[worst] <= 3, f"atan2({y[worst]!r}, {x[worst]!r}) = {got[worst]!r}, not {want[worst]!r}"
    zeros = want == 0
    assert (np.signbit(got[zeros]) == np.signbit(want[zeros])).all()


def test_f64_scalars(tmp_path):
    """1 - beta^step and its root, as an optimizer's bias correction: f64 inside, rounded once."""
    betas = np.array([0.0, 0.1, 0.5, 0.70710677, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.9999999, 1.0], np.float32)
    steps = np.unique(np.concatenate([np.arange(1, 2000), np.logspace(3, 7, 1000).astype(int)])).astype(np.float32)
    x, y = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(betas, steps))
    t, wide = tensor(x.shape, "f32"), tensor(x.shape, "f64")
    body = f"""
        %2 = arith.extf %0 : {t} to {wide}
        %3 = arith.extf %1 : {t} to {wide}
        %4 = math.powf %2, %3 : {wide}
        %5 = arith.constant dense<1.0> : {wide}
        %6 = arith.subf %5, %4 : {wide}
        %7 = math.sqrt %6 : {wide}
        %8 = arith.truncf %6 : {wide} to {t}
        %9 = arith.truncf %7 : {wide} to {t}"""
    case = Case("decay", "elementwise", [t, t], [t, t], body, "%8, %9", None, None)
    harness.build(case, "cpu", tmp_path)
    with np.errstate(divide="ignore"):
        want = -np.expm1(y.astype(np.longdouble) * np.log(x.astype(np.longdouble)))
    for got, exact in zip(harness.run_cpu(case, tmp_path, [x, y]), (want, np.sqrt(want))):
        error = np.abs(got - exact) / np.spacing(np.maximum(exact.astype(np.float32), np.float32(1e-30)))
        assert error.max() <= 0.501
