# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of one update reaches a parameter in E4M3, FP16 and BF16, rounded to nearest, at random and by the norm, over
learning rates.

    python benchmarks/update_precision.py --build build [--size 1024]

The first experiment of the note on precision-aware updates: a parameter and an update of SIZE x SIZE standard normal
  numbers each (drawn
independently; the note draws both from one key, so that each update is its parameter), and parameter + rate * update in
the format. Of the difference that lands and rate * update, which was meant:

- magnitude error: how far the norm is from the one that was meant, relative to that;
- parameter error: the mean magnitude of what is wrong with an element, relative to the mean magnitude of what was
  meant;
- cosine of the angle between both, and the part of the elements that moved at all.

BF16 is what a compiled step of prec_train.adamw makes of BF16 masters on the CPU: betas of zero and an epsilon of 1e8,
  with a learning rate
1e8 times as large, leave of its update the gradient times the rate. Other formats cannot be masters; they are rounded
by ml_dtypes, and the precision-aware update is the search in NumPy that is also BF16's oracle: how far the compiled
one's norm is from its own is in the results. Writes results/update_precision.json and results/update_precision.png.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

from figures import figure

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import prec  # noqa: E402

FORMATS = {"e4m3": ml_dtypes.float8_e4m3fn, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
RATES = [10.0 ** (-exponent / 2) for exponent in range(19)]
ITERATIONS, TOLERANCE = 16, 0.01

MAGNIFIED = 1e8

STEP = """
func.func @step(%p: {t} {{prec_train.role = #prec_train.role<parameter>, prec_train.path = "parameter"}},
                %m: {t} {{prec_train.role = #prec_train.role<optimizer_state>,
                    prec_train.path = "m", prec_train.param_of = "parameter", prec_train.slot = "exp_avg"}},
                %v: {t} {{prec_train.role = #prec_train.role<optimizer_state>,
                    prec_train.path = "v", prec_train.param_of = "parameter", prec_train.slot = "exp_avg_sq"}},
                %g: {t} {{prec_train.role = #prec_train.role<batch>, prec_train.path = "gradient"}},
                %lr: tensor<f32> {{prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"}},
                %zero: tensor<f32> {{prec_train.role = #prec_train.role<hyper>, prec_train.path = "zero", prec_train.default = 0.0 : f64}},
                %one: tensor<f32> {{prec_train.role = #prec_train.role<hyper>, prec_train.path = "one", prec_train.default = 1.0 : f64}},
                %eps: tensor<f32> {{prec_train.role = #prec_train.role<hyper>, prec_train.path = "eps", prec_train.default = {eps} : f64}},
                %step: tensor<f32> {{prec_train.role = #prec_train.role<hyper>, prec_train.path = "step"}})
    -> (tensor<f32> {{prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"}},
        {t} {{prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}},
        {t} {{prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}},
        {t} {{prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 2 : i64}}) attributes {{prec.entry = "step"}} {{
  %loss = prec_train.reduce sum %g dims [0, 1] : ({t}) -> tensor<f32>
  %n:3 = prec_train.adamw %p, %g, %m, %v, %lr, %zero, %zero, %eps, %zero, %step, %one {{prec_train.phase = #prec_train.phase<optimizer>}}
    : ({t}, {t}, {t}, {t}, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> ({t}, {t}, {t})
  return %loss, %n#0, %n#1, %n#2 : tensor<f32>, {t}, {t}, {t}
}}
"""


def compile_step(options, folder, rounding):
    graph = folder / f"{rounding}.mlir"
    graph.write_text(STEP.format(t=f"tensor<{options.size}x{options.size}xf32>", eps=f"{MAGNIFIED:.1f}"))
    subprocess.run([options.build / "bin/prec-compile", graph, f"--assign=recipe=bf16 master-dtype=bf16 master-rounding={rounding}",
                    "-o", graph.with_suffix(".so")], check=True, stderr=subprocess.DEVNULL)
    return prec.Module(graph.with_suffix(".so"))


def compiled_update(module, parameter, direction, rate):
    module.set("parameter", parameter)
    module.step({"gradient": -direction}, lr=rate * MAGNIFIED)
    return module.get("parameter").view(ml_dtypes.bfloat16)


def stochastic(values, dtype, generator):
    nearest = values.astype(dtype)
    below = nearest.astype(np.float64) <= values
    # E4M3 has no infinity.
    most = float(ml_dtypes.finfo(dtype).max)
    other = np.nextafter(nearest, np.where(below, most, -most).astype(dtype))
    distance = values - nearest.astype(np.float64)
    chance = np.abs(distance) / np.abs(other.astype(np.float64) - nearest.astype(np.float64))
    return np.where(generator.random(values.shape) < chance, other, nearest)


def norm(values):
    return np.sqrt(np.square(values, dtype=np.float64).sum())


def search(parameter, update, dtype):
    """The definition of prec.precision_aware_update in FP64, but for the sum that is rounded, which is FP32."""
    info = ml_dtypes.finfo(dtype)
    roundoff, half_smallest = float(info.eps) / 2, float(info.smallest_subnormal) / 2
    wide = parameter.astype(np.float32)
    meant = norm(update)
    low, alpha, best, error = 0.5, 1.0, 1.0, np.inf
    high = (meant + roundoff * norm(wide) + half_smallest * np.sqrt(update.size)) / ((1 - roundoff) * meant)

    def move(alpha):
        return (wide + np.float32(alpha) * update).astype(dtype)
    for _ in range(ITERATIONS):
        landed = norm(move(alpha).astype(np.float32) - wide)
        if error > TOLERANCE * meant and abs(landed - meant) < error:
            best, error = alpha, abs(landed - meant)
        low, high = (alpha, high) if landed < meant else (low, alpha)
        alpha = np.sqrt(low * high)
    return move(best), best


def moved(parameter, new):
    return new.astype(np.float64) - parameter.astype(np.float64)


def measure(parameter, update, new):
    landed, meant = moved(parameter, new), update.astype(np.float64)
    cosine = (landed * meant).sum() / (norm(landed) * norm(meant)) if landed.any() else 0.0
    figures = {"magnitude_error": abs(norm(landed) / norm(meant) - 1),
               "parameter_error": np.abs(landed - meant).mean() / np.abs(meant).mean(), "cosine": cosine,
               "moved": np.count_nonzero(landed) / landed.size}
    return {name: float(f"{value:.4g}") for name, value in figures.items()}


def experiment(options, folder, format_):
    dtype = FORMATS[format_]
    generator = np.random.default_rng(0)
    shape = (options.size, options.size)
    parameter = generator.standard_normal(shape, np.float32).astype(dtype)
    direction = generator.standard_normal(shape, np.float32)
    compiled = {name: compile_step(options, folder, name) for name in ("nearest", "stochastic", "precision_aware")} if format_ == "bf16" else {}
    rows = []
    for rate in RATES:
        update = np.float32(rate) * direction
        total = parameter.astype(np.float32) + update
        found, alpha = search(parameter, update, dtype)
        news = {"nearest": total.astype(dtype), "stochastic": stochastic(total.astype(np.float64), dtype, generator),
                "precision_aware": found}
        row = {"rate": float(f"{rate:.4g}"), "alpha": float(f"{alpha:.6g}")}
        if compiled:
            news |= {name: compiled_update(module, parameter, direction, rate) for name, module in compiled.items()}
            landed = [norm(moved(parameter, new)) for new in (news["precision_aware"], found)]
            row["norm_differs_from_numpy"] = float(f"{abs(landed[0] - landed[1]) / norm(update):.3g}")
        rows.append(row | {name: measure(parameter, update, new) for name, new in news.items()})
        print(format_, json.dumps(rows[-1]), flush=True)
    return rows


def plot(results):
    keys = {"magnitude_error": "magnitude error", "parameter_error": "parameter error", "cosine": "cosine"}
    path = HERE / "results/update_precision.png"
    with figure(path, len(keys), len(results), dpi=110, figsize=(4 * len(results), 9), sharex=True) as axes:
        for column, (format_, rows) in enumerate(results.items()):
            rates = [row["rate"] for row in rows]
            for line, (key, label) in enumerate(keys.items()):
                for name in ("nearest", "stochastic", "precision_aware"):
                    values = [row[name][key] for row in rows]
                    axes[line, column].plot(rates, values if key == "cosine" else np.maximum(values, 1e-6), label=name.replace("_", " "))
                axes[line, column].set(xscale="log", yscale="linear" if key == "cosine" else "log", ylabel=label if column == 0 else "")
            axes[0, column].set(title=format_)
            axes[-1, column].set(xlabel="learning rate")
        axes[0, 0].invert_xaxis()
        axes[0, 0].legend()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    parser.add_argument("--size", type=int, default=1024)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = {format_: experiment(options, pathlib.Path(folder), format_) for format_ in FORMATS}
    text = {"size": options.size, "iterations": ITERATIONS, "tolerance": TOLERANCE, "formats": results}
    (HERE / "results/update_precision.json").write_text(json.dumps(text, indent=1) + "\n")
    plot(results)


if __name__ == "__main__":
    main()
