# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands `sdpa_forward` and `sdpa_backward` against float64 attention, within bounds derived from format and
length."""
import ml_dtypes
import numpy as np
import pytest
from step_module import StepModule

FORMATS = {"f32": (np.float32, 2.0**-24), "bf16": (ml_dtypes.bfloat16, 2.0**-8), "f16": (np.float16, 2.0**-11)}
SHAPES = {"plain": (2, 3, 3, 40, 40, 16), "grouped": (2, 4, 2, 150, 150, 8), "cross": (1, 4, 1, 70, 200, 32),
          "one row": (1, 1, 1, 1, 9, 4)}
LAUNCH = {"symbol": "f", "grid": [1, 1, 1], "block": [384, 1, 1], "shared": 0}


def exact(q, k, v, do, scale, causal, window=None, bias=0.0):
    """float64 attention and its gradients; k, v per group of heads."""
    group = q.shape[1] // k.shape[1]
    kh, vh = np.repeat(k, group, 1), np.repeat(v, group, 1)
    s = scale * q @ kh.swapaxes(2, 3) + bias
    if causal:
        seen = np.tri(*s.shape[2:], dtype=bool)
        s = np.where(seen & ~np.tri(*s.shape[2:], -window, dtype=bool) if window else seen, s, -np.inf)
    lse = np.log(np.exp(s - s.max(-1, keepdims=True)).sum(-1)) + s.max(-1)
    p = np.exp(s - lse[..., None])
    o = p @ vh
    dp = do @ vh.swapaxes(2, 3)
    ds = scale * p * (dp - (do * o).sum(-1, keepdims=True))

    def by_group(x):
        return x.reshape(x.shape[0], k.shape[1], group, *x.shape[2:]).sum(2)

    return {"o": o, "lse": lse, "dq": ds @ kh, "dk": by_group(ds.swapaxes(2, 3) @ q), "dv": by_group(p.swapaxes(2, 3) @ do),
            "p": p, "ds": ds, "dp": dp, "kh": kh, "vh": vh, "by_group": by_group}


def bounds(x, q, do, scale, u, bias=None):
    """First order in u, the roundoff of the inputs' format (f32: of f32), and e, the error of f32 sums. Below 2^-14 f16
    rounds to multiples of 2^-24."""
    least = 2.0**-25 if u == 2.0**-11 else 0.0
    D, T, S = q.shape[-1], x["kh"].shape[2], q.shape[2]
    e = 2.0**-24
    qk = scale * np.abs(q) @ np.abs(x["kh"]).swapaxes(2, 3)
    if bias is not None:
        # One more addition, where anything is seen.
        qk = qk + np.where(x["p"] > 0, np.abs(bias), 0)
    # A score errs by D additions; exp doubles that into p relatively, plus 4 ulp of exp and T additions of the row's
    # sum.
    p_error = x["p"] * (2 * (D + 2) * e * qk.max(-1, keepdims=True) + (8 + T) * e)
    dp_magnitude = np.abs(do) @ np.abs(x["vh"]).swapaxes(2, 3)
    delta_error = (np.abs(do) * np.abs(x["o"])).sum(-1, keepdims=True) * (u + (D + 1) * e)  # o was rounded
    ds_error = (scale * (p_error * np.abs(x["dp"] - (do * x["o"]).sum(-1, keepdims=True))
                         + x["p"] * (D * e * dp_magnitude + delta_error)) + 4 * e * np.abs(x["ds"]))
    p_total, ds_total = (error + np.where(x["p"] > 0, u * np.abs(exact) + least, 0)
                         for error, exact in ((p_error, x["p"]), (ds_error, x["ds"])))
    group = x["by_group"]
    result = {
        "o": p_total @ np.abs(x["vh"]) + T * e * (x["p"] @ np.abs(x["vh"])) + u * np.abs(x["o"]),
        "lse": (D + 2) * e * qk.max(-1) + (T + 8) * e + 2 * e * np.abs(x["lse"]),
        "dq": ds_total @ np.abs(x["kh"]) + T * e * (np.abs(x["ds"]) @ np.abs(x["kh"])) + u * np.abs(x["dq"]),
        "dk": group(ds_total.swapaxes(2, 3) @ np.abs(q)) + u * np.abs(x["dk"]),
        "dv": group(p_total.swapaxes(2, 3) @ np.abs(do)) + u * np.abs(x["dv"])}
    heads = q.shape[1] // x["dk"].shape[1]
    result["dk"] += heads * S * e * group(np.abs(x["ds"]).swapaxes(2, 3) @ np.abs(q))
    result["dv"] += heads * S * e * group(x["p"].swapaxes(2, 3) @ np.abs(do))
    return {name: 1.05 * bound + (1e-30 if name == "lse" else least + 1e-30) for name, bound in result.items()}


def view(shape, order, columns=0, offset=0):
    """The strides of [B,H,S,D] in memory of that order of dimensions, whose rows have that many columns if not all of
    theirs."""
    strides, step = [0] * 4, 1
    for dim in reversed(order):
        strides[dim] = step
        step *= shape[dim]
        if columns and dim == order[-2]:
            step = columns
    return {"shape": list(shape), "strides": strides, "offset": offset}


def run_by_views(tmp_path, open_module, dtype, shape, causal, scale, order, joined):
    """As `run`, with tensors in another order of dimensions, or with queries, keys and values as columns of one
    matrix."""
    B, H, G, S, T, D = shape
    random = np.random.default_rng(5)
    inputs = {name: random.standard_normal((B, heads, rows, D)).astype(np.float32).astype(FORMATS[dtype][0])
              for name, heads, rows in (("q", H, S), ("k", G, T), ("v", G, T), ("do", H, S))}
    shapes = {**{name: x.shape for name, x in inputs.items()}, "o": (B, H, S, D), "dq": (B, H, S, D), "dk": (B, G, T, D), "dv": (B, G, T, D)}
    module, views, index = StepModule(), {name: view(s, order) for name, s in shapes.items()}, {}
    stored = {name: x.transpose(order) for name, x in inputs.items()}
    if joined:
        starts = {"q": 0, "k": H * D, "v": (H + G) * D}
        views |= {name: view(shapes[name], order, (H + 2 * G) * D, start) for name, start in starts.items()}
        stored["qkv"] = np.concatenate([stored.pop(name).reshape(B * S, -1) for name in starts], 1)
    for name, x in stored.items():
        index[name] = module.bind(name, "buffer", dtype, list(x.shape))
    index |= dict.fromkeys("qkv", index["qkv"]) if joined else {}
    for name in ("o", "dq", "dk", "dv"):
        index[name] = module.bind(name, "buffer", dtype, [int(np.prod(shapes[name]))])
    index["lse"] = module.bind("lse", "buffer", "f32", [B, H, S])
    i = index
    common = {"scale": scale, "causal": causal, **{n: i[n] for n in ("q", "k", "v", "o", "lse")}}
    forward = {n: views[n] for n in ("q", "k", "v", "o")}
    module.command("step", "sdpa_forward", "forward", [i["q"], i["k"], i["v"]], [i["o"], i["lse"]], views=forward, **common)
    module.command("step", "sdpa_backward", "backward", [i[n] for n in ("do", "o", "q", "k", "v", "lse")],
                   [i["dq"], i["dk"], i["dv"]], deterministic=True, views=views, **{n: i[n] for n in ("do", "dq", "dk", "dv")}, **common)
    opened = open_module(module.build(tmp_path / "step.so"))
    for name, x in stored.items():
        opened.set(name, x)
    for name in ("o", "dq", "dk", "dv"):
        opened.set(name, np.zeros(int(np.prod(shapes[name])), FORMATS[dtype][0]))
    opened.set("lse", np.zeros((B, H, S), np.float32))
    opened.step()
    results = {"lse": opened.get("lse")}
    for name in ("o", "dq", "dk", "dv"):
        there = [shapes[name][dim] for dim in order]
        results[name] = opened.get(name).reshape(there).transpose(np.argsort(order))
    return results


def run(tmp_path, open_module, dtype, shape, causal, scale, mask=None, bias=None, **backward):
    """`mask`: more fields of both commands. `bias`: of an array of ml_dtypes or NumPy."""
    B, H, G, S, T, D = shape
    module = StepModule()
    random = np.random.default_rng(5)
    inputs = {name: random.standard_normal((B, heads, rows, D)).astype(np.float32).astype(FORMATS[dtype][0])
              for name, heads, rows in (("q", H, S), ("k", G, T), ("v", G, T), ("do", H, S))}
    index = {name: module.bind(name, "buffer", dtype, list(x.shape)) for name, x in inputs.items()}
    outputs = {"o": (B, H, S, D), "dq": (B, H, S, D), "dk": (B, G, T, D), "dv": (B, G, T, D)}
    index |= {name: module.bind(name, "buffer", dtype, list(s)) for name, s in outputs.items()}
    index["lse"] = module.bind("lse", "buffer", "f32", [B, H, S])
    i = index
    common = {"scale": scale, "causal": causal, **(mask or {}), **{n: i[n] for n in ("q", "k", "v", "o", "lse")}}
    added = []
    if bias is not None:
        inputs["bias"] = bias
        added = [module.bind("bias", "buffer", "f32" if bias.dtype == np.float32 else "bf16", list(bias.shape))]
        common["bias"] = added[0]
    module.command("step", "sdpa_forward", "forward", [i["q"], i["k"], i["v"], *added], [i["o"], i["lse"]], **common)
    module.command("step", "sdpa_backward", "backward", [i[n] for n in ("do", "o", "q", "k", "v", "lse")] + added,
                   [i["dq"], i["dk"], i["dv"]], deterministic=True, **{n: i[n] for n in ("do", "dq", "dk", "dv")}, **common, **backward)
    opened = open_module(module.build(tmp_path / "step.so"))
    for name, x in inputs.items():
        opened.set(name, x)
    for name, s in outputs.items():
        opened.set(name, np.zeros(s, FORMATS[dtype][0]))
    opened.set("lse", np.zeros((B, H, S), np.float32))
    opened.step()
    results = {name: opened.get(name) for name in [*outputs, "lse"]}
    opened.step()
    for name, x in results.items():
        assert opened.get(name).tobytes() == x.tobytes(), "must be the same in every run"
    return inputs, {name: x.astype(np.float64) for name, x in results.items()}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", FORMATS)
def test_attention(tmp_path, open_module, dtype, shape, causal):
    scale = 0.3
    inputs, results = run(tmp_path, open_module, dtype, SHAPES[shape], causal, scale)
    q, k, v, do = (inputs[n].astype(np.float64) for n in ("q", "k", "v", "do"))
    x = exact(q, k, v, do, scale, causal)
    for name, bound in bounds(x, q, do, scale, FORMATS[dtype][1]).items():
        error = np.abs(results[name] - x[name])
        assert np.all(error <= bound), (name, float(np.max(error / bound)))


# Of all batches, heads and queries one bias, or one of each; what else hides.
MASKS = {
    "keys": ((True, False, False), {}, False), "keys, causal": ((True, False, False), {}, True), "heads": ((False, True, False), {}, False),
    "queries": ((False, False, True), {}, True), "all": ((True, True, True), {}, False), "one": ((False, False, False), {"window": 7}, True),
    "all, window": ((True, True, True), {"window": 70}, True), "window": (None, {"window": 3}, True), "narrow window": (None, {"window": 1}, True),
    "wide window": (None, {"window": 1000}, True),
}


@pytest.mark.parametrize("bias_dtype", ["f32", "bf16"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("shape", ["plain", "grouped", "cross"])
@pytest.mark.parametrize("dtype", FORMATS)
def test_masks(tmp_path, open_module, dtype, shape, mask, bias_dtype):
    (B, H, _, S, T, _), (full, fields, causal) = SHAPES[shape], MASKS[mask]
    bias = None
    if full is not None:
        random = np.random.default_rng(6)
        bias = random.standard_normal((*(n if whole else 1 for n, whole in zip((B, H, S), full)), T))
        # A third of the keys is hidden, but not the first, nor what a window shows beside.
        bias = np.where((np.arange(T) % 3 == 1), -(2.0**126), bias).astype(FORMATS[bias_dtype][0])
    elif bias_dtype == "bf16":
        pytest.skip("has no bias")
    inputs, results = run(tmp_path, open_module, dtype, SHAPES[shape], causal, 0.3, fields, bias)
    q, k, v, do = (inputs[n].astype(np.float64) for n in ("q", "k", "v", "do"))
    added = 0.0 if bias is None else bias.astype(np.float64)
    x = exact(q, k, v, do, 0.3, causal, fields.get("window"), added)
    for name, bound in bounds(x, q, do, 0.3, FORMATS[dtype][1], added).items():
        error = np.abs(results[name] - x[name])
        assert np.all(error <= bound), (name, float(np.max(error / bound)))


@pytest.mark.parametrize("order, joined", [((0, 2, 1, 3), False), ((2, 0, 1, 3), False), ((0, 2, 1, 3), True)], ids=["bshd", "sbhd", "columns"])
@pytest.mark.parametrize("shape", ["plain", "grouped"])
@pytest.mark.parametrize("dtype", FORMATS)
def test_views(tmp_path, open_module, dtype, shape, order, joined):
    """Where elements are in memory changes no bit of them."""
    _, expected = run(tmp_path, open_module, dtype, SHAPES[shape], True, 0.3)
    views = tmp_path / "views"
    views.mkdir()
    results = run_by_views(views, open_module, dtype, SHAPES[shape], True, 0.3, order, joined)
    for name, x in expected.items():
        assert np.array_equal(results[name].astype(np.float64), x), name


@pytest.mark.parametrize("flaw", ["mask", "scale", "group", "delta"])
def test_bounds_catch_mutants(flaw):
    """The bound of bf16 tells a mask off by one, a wrong scale, swapped heads of a group and a dropped term."""
    random = np.random.default_rng(5)
    q, do = random.standard_normal((2, 1, 4, 40, 16))
    k, v = random.standard_normal((2, 1, 2, 40, 16))
    x = exact(q, k, v, do, 0.3, True)
    wrong = {"mask": lambda: exact(q, k, v, do, 0.3, False), "scale": lambda: exact(q, k, v, do, 0.303, True),
             "group": lambda: exact(q, k[:, ::-1], v, do, 0.3, True),
             "delta": lambda: {"dq": 0.3 * x["p"] * x["dp"] @ x["kh"]}}[flaw]()
    limit = bounds(x, q, do, 0.3, 2.0**-8)
    assert any(np.any(np.abs(wrong[n] - x[n]) > limit[n]) for n in ("o", "dq", "dk", "dv") if n in wrong)


@pytest.mark.parametrize("kernels, message", [
    ([LAUNCH], "entry_points.step[1].kernels: must have 2 elements, but got 1"),
    ([LAUNCH, {**LAUNCH, "grid": [0, 1, 1]}], "entry_points.step[1].kernels[1].grid[0]: must lie in [1, "),
    ([LAUNCH, {"symbol": "f"}], "entry_points.step[1].kernels[1]: must have the key 'grid', but got none"),
])
def test_kernels(tmp_path, open_module, kernels, message):
    """A module's own gradients of attention are two kernels, each with its launch."""
    with pytest.raises(Exception) as error:
        run(tmp_path, open_module, "bf16", SHAPES["plain"], True, 0.3, kernels=kernels)
    assert message in str(error.value)
