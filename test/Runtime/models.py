# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two training steps by hand: a perceptron (gemms, bf16 work weights if asked) and a bigram language model (tokens)."""
from __future__ import annotations

import numpy as np
from step_module import StepModule

BATCH, INPUT, HIDDEN, OUTPUT = 32, 24, 40, 8


def perceptron(work: str = "f32", flaw: str = "") -> StepModule:
    """y = relu(x W1^T) W2^T, mean squared error, SGD with momentum. `work` is the dtype that the gemms read; `flaw`
    plants an error for tests of comparison."""
    m = StepModule()
    x = m.bind("x", "batch", "f32", [BATCH, INPUT])
    y = m.bind("y", "batch", "f32", [BATCH, OUTPUT])
    lr = m.bind("lr", "hyper", "f32", [], default=0.05)
    m.bind("step", "hyper", "f32", [])
    loss = m.bind("loss", "loss", "f32", [])
    weights = {name: m.bind(name, "parameter", "f32", shape)
               for name, shape in (("fc1.weight", [HIDDEN, INPUT]), ("fc2.weight", [OUTPUT, HIDDEN]))}
    momenta = {name: m.bind(name + ".exp_avg", "optimizer_state", "f32", m.manifest["buffers"][w]["shape"],
                            parameter=name, slot="exp_avg") for name, w in weights.items()}
    load, store = ("", "") if work == "f32" else ("widen", "narrow")
    copies = weights if work == "f32" else {
        name: m.bind(name, "work_weight", work, m.manifest["buffers"][w]["shape"], parameter=name)
        for name, w in weights.items()}
    count = {name: int(np.prod(m.manifest["buffers"][w]["shape"])) for name, w in weights.items()}
    if work != "f32":
        for name, w in weights.items():
            m.kernel("init", f"cast {name}", [w], [copies[name]], count[name], "b1[i] = narrow(b0[i]);", phase="init")
    xc = m.temporary(work, [BATCH, INPUT])
    h = m.temporary(work, [BATCH, HIDDEN])
    r = m.temporary(work, [BATCH, HIDDEN])
    p = m.temporary(work, [BATCH, OUTPUT])
    dp = m.temporary(work, [BATCH, OUTPUT])
    for entry in ("step", "eval"):
        m.kernel(entry, "cast x", [x], [xc], BATCH * INPUT, f"b1[i] = {store}(b0[i]);")
        m.gemm(entry, "fc1", xc, copies["fc1.weight"], h, BATCH, HIDDEN, INPUT, transpose_b=True,
               **({"alpha": 1.02} if flaw == "scale" else {}))
        floor = "0.01f" if flaw == "kernel" else "0"
        m.kernel(entry, "relu", [h], [r], BATCH * HIDDEN, f"float v = {load}(b0[i]); b1[i] = {store}(v > {floor} ? v : {floor});")
        m.gemm(entry, "fc2", r, copies["fc2.weight"], p, BATCH, OUTPUT, HIDDEN, transpose_b=True)
        m.kernel(entry, "mse", [p, y], [loss], 1,
                 f"float s = 0; for (int j = 0; j < {BATCH * OUTPUT}; ++j) {{ float e = {load}(b0[j]) - b1[j]; s += e * e; }}"
                 f" *b2 = s / {BATCH * OUTPUT};", accumulation=BATCH * OUTPUT)
    factor = 2.0 / (BATCH * OUTPUT)
    m.kernel("step", "mse grad", [p, y], [dp], BATCH * OUTPUT, f"b2[i] = {store}(({load}(b0[i]) - b1[i]) * {factor!r}f);")
    dr, dh = m.temporary(work, [BATCH, HIDDEN]), m.temporary(work, [BATCH, HIDDEN])
    g1, g2 = m.temporary("f32", [HIDDEN, INPUT]), m.temporary("f32", [OUTPUT, HIDDEN])
    m.gemm("step", "fc2 wgrad", dp, r, g2, OUTPUT, HIDDEN, BATCH, transpose_a=True)
    m.gemm("step", "fc2 dgrad", dp, copies["fc2.weight"], dr, BATCH, HIDDEN, OUTPUT)
    m.kernel("step", "relu grad", [dr, h], [dh], BATCH * HIDDEN, f"b2[i] = {load}(b1[i]) > 0 ? b0[i] : 0;")
    m.gemm("step", "fc1 wgrad", dh, xc, g1, HIDDEN, INPUT, BATCH, transpose_a=True)
    for name, g in (("fc1.weight", g1), ("fc2.weight", g2)):
        writes = [weights[name], momenta[name]] + ([copies[name]] if work != "f32" else [])
        body = "b1[i] = 0.9f * b1[i] + b2[i]; b0[i] -= *b3 * b1[i];" + (" b4[i] = narrow(b0[i]);" if work != "f32" else "")
        m.kernel("step", f"sgd {name}", [weights[name], momenta[name], g, lr], writes, count[name], body, phase="optimizer")
    return m


def perceptron_reference(weights: dict, momenta: dict, x, y, lr: float = 0.05) -> float:
    """One step of the f32 perceptron in NumPy; updates both dictionaries, returns the loss."""
    w1, w2 = weights["fc1.weight"], weights["fc2.weight"]
    h = x @ w1.T
    r = np.maximum(h, 0)
    p = r @ w2.T
    dp = (p - y) * np.float32(2.0 / (BATCH * OUTPUT))
    grads = {"fc2.weight": dp.T @ r, "fc1.weight": ((dp @ w2) * (h > 0)).T @ x}
    for name, g in grads.items():
        momenta[name] = np.float32(0.9) * momenta[name] + g
        weights[name] = weights[name] - np.float32(lr) * momenta[name]
    return float(np.mean((p - y) ** 2))


def bigram(vocabulary: int = 64, batch: int = 2, length: int = 16, shift: int | None = 1) -> StepModule:
    """logits = W[token], cross entropy with `targets`, SGD; targets equal to -100 are ignored."""
    m = StepModule()
    m.manifest["padding"] = True
    V, N = vocabulary, batch * length
    ids = m.bind("input_ids", "batch", "i32", [batch, length], vocabulary=V)
    targets = m.bind("targets", "batch", "i32", [batch, length], vocabulary=V, ignore_index=-100, **({} if shift is None else {"shift": shift}))
    lr = m.bind("lr", "hyper", "f32", [], default=1.0)
    step = m.bind("step", "hyper", "f32", [])
    seen = m.bind("seen_step", "metric", "f32", [])
    loss = m.bind("loss", "loss", "f32", [])
    w = m.bind("table.weight", "parameter", "f32", [V, V], aliases=["head.weight"])
    m.bind("norm.weight", "parameter", "f32", [V])
    m.bind("head.bias", "parameter", "f32", [V])
    moment = m.bind("table.weight.exp_avg", "optimizer_state", "f32", [V, V], parameter="table.weight", slot="exp_avg")
    constant = m.constant(np.arange(4, dtype=np.float32), "f32")
    m.bind("inv_freq", "buffer", "f32", [4], initial=constant)
    grad = m.temporary("f32", [V, V])
    rows = m.temporary("f32", [N])
    row_loss = (f"float *w = b0 + (int64_t)b1[i] * {V}; float top = w[0], sum = 0; "
                f"for (int j = 1; j < {V}; ++j) top = fmaxf(top, w[j]); "
                f"for (int j = 0; j < {V}; ++j) sum += expf(w[j] - top); "
                "b3[i] = b2[i] == -100 ? 0 : top + logf(sum) - w[b2[i]];")
    mean = f"float s = 0; for (int j = 0; j < {N}; ++j) s += b0[j]; *b1 = s / {N};"
    for entry in ("step", "eval"):
        m.kernel(entry, "row loss", [w, ids, targets], [rows], N, row_loss, accumulation=V)
        m.kernel(entry, "mean", [rows], [loss], 1, mean, accumulation=N)
    m.kernel("step", "seen", [step], [seen], 1, "*b1 = *b0;")
    m.kernel("step", "grad", [w, ids, targets], [grad], 1, f"""
        memset(b3, 0, sizeof(float) * {V * V});
        for (int n = 0; n < {N}; ++n) {{
          if (b2[n] == -100) continue;
          float *w = b0 + (int64_t)b1[n] * {V}, *g = b3 + (int64_t)b1[n] * {V}, top = w[0], sum = 0;
          for (int j = 1; j < {V}; ++j) top = fmaxf(top, w[j]);
          for (int j = 0; j < {V}; ++j) sum += expf(w[j] - top);
          for (int j = 0; j < {V}; ++j) g[j] += (expf(w[j] - top) / sum - (j == b2[n])) / {N};
        }}""", accumulation=N)
    m.kernel("step", "momentum", [w, moment, grad, lr], [w, moment], V * V,
             "b1[i] = 0.9f * b1[i] + b2[i]; b0[i] -= *b3 * b1[i];", phase="optimizer")
    return m
