# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the quickstart's small Llama with BF16 masters rounded in each way, beside FP32 masters, and counts lost
updates.

    python benchmarks/narrow_masters.py --build build --out narrow [--steps 1000] [--rates 1e-3 1e-6 1e-7] [--target sm_90a]

Every training starts from the same weights and reads the same batches of 1,024 tokens, with a constant learning rate:
  AdamW with betas
0.9 and 0.95 and a weight decay of 0.1, clipping at 1, the recipe bf16. Text are the sources of Python's standard
library. The held-out loss is of 8 batches, before and after. What was trained is kept in OUT and not trained again; the
results of all that OUT holds go to results/narrow_masters.json and results/narrow_masters.png.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

from figures import figure

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "examples"))
import quickstart  # noqa: E402 (found by the line above)

SCHEMES = {"fp32": "master-dtype=fp32", "nearest": "master-dtype=bf16", "stochastic": "master-dtype=bf16 master-rounding=stochastic",
           "precision_aware": "master-dtype=bf16 master-rounding=precision_aware"}
WINDOW = 20


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


def prepare(options):
    """Graph, weights and tokens."""
    out = options.out
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "graph.mlir").exists():
        run(sys.executable, HERE.parent / "tools/prec-import/prec-import", f"{HERE.parent / 'examples/quickstart_model.py'}:llama",
            "-o", out / "graph.mlir", "--weights", out / "weights.safetensors")
    if not (out / "train.bin").exists():
        text = quickstart.standard_library_text()[:4 << 20]
        tokens = np.frombuffer(text, np.uint8).astype("<u2")
        tokens[:len(tokens) * 9 // 10].tofile(out / "train.bin")
        tokens[len(tokens) * 9 // 10:].tofile(out / "heldout.bin")


def train(options, scheme, rate):
    """Metrics of every step."""
    out = options.out
    metrics = out / f"{scheme}-{rate:g}.jsonl"
    if not metrics.exists():
        module = out / f"{scheme}.so"
        run(options.tool("prec-compile"), out / "graph.mlir", f"--assign=recipe=bf16 {SCHEMES[scheme]}", "--count-lost-updates",
            f"--target={options.target}", "-o", module)
        partial = metrics.with_suffix(".partial")
        run(options.tool("prec-run"), module, "--weights", out / "weights.safetensors", "--tokens", out / "train.bin",
            "--eval-tokens", out / "heldout.bin", "--eval-batches", 8, "--steps", options.steps, "--lr", rate, "--metrics", partial,
            *(word for folder in options.cuda_libraries for word in ("--cuda-libraries", folder)), stdout=subprocess.DEVNULL)
        partial.rename(metrics)
    return [json.loads(line) for line in metrics.read_text().splitlines()]


def summarize(lines):
    """Means over windows of steps."""
    steps = [line for line in lines if "loss" in line]
    held = [line["eval_loss"] for line in lines if "eval_loss" in line]
    windows = [steps[first:first + WINDOW] for first in range(0, len(steps), WINDOW)]

    def means(key):
        return [float(f"{np.mean([line[key] for line in window]):.5g}") for window in windows]
    return {"steps": len(steps), "held_out_before": held[0], "held_out_after": held[-1], "loss": means("loss"),
            "lost_updates": means("lost_updates"), "lost_updates_mean": float(np.mean([line["lost_updates"] for line in steps]))}


def plot(results):
    rates = list(results["rates"])
    path = HERE / "results/narrow_masters.png"
    with figure(path, 2, len(rates), dpi=110, figsize=(5 * len(rates), 6.5), squeeze=False, sharex=True) as axes:
        for column, rate in enumerate(rates):
            for scheme, result in results["rates"][rate].items():
                at = np.arange(len(result["loss"])) * WINDOW + WINDOW / 2
                style = {"linestyle": "--"} if scheme == "fp32" else {}
                axes[0, column].plot(at, result["loss"], label=scheme.replace("_", " "), **style)
                axes[1, column].plot(at, result["lost_updates"], **style)
            axes[0, column].set(title=f"learning rate {rate}", ylabel="loss (nats a byte)" if column == 0 else "")
            axes[1, column].set(xlabel="step", ylabel="part of updates lost" if column == 0 else "", ylim=(-0.02, 1.02))
        axes[0, 0].legend(title="masters")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--rates", nargs="+", default=["1e-3", "1e-6", "1e-7"])
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--cuda-libraries", nargs="+", default=[], metavar="FOLDER", help="of prec-run")
    options = parser.parse_args()
    options.tool = quickstart.find_tools(options.build)
    prepare(options)
    results = {"model": "examples/quickstart_model.py:llama", "target": options.target, "tokens_per_step": 1024, "window": WINDOW, "rates": {}}
    for rate in options.rates:
        for scheme in SCHEMES:
            result = summarize(train(options, scheme, float(rate)))
            results["rates"].setdefault(rate, {})[scheme] = result
            print(f"{rate:>6} {scheme:<16} held out {result['held_out_before']:.4f} -> {result['held_out_after']:.4f}  "
                  f"lost {result['lost_updates_mean']:.1%}", flush=True)
    (HERE / "results/narrow_masters.json").write_text(json.dumps(results, indent=1) + "\n")
    plot(results)


if __name__ == "__main__":
    main()
