# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Held-out losses of the quickstart's small Llama in every recipe over many seeds, each beside fp32 from the same
weights.

    python benchmarks/recipe_losses.py train KIT --out losses.json        on a machine with a GPU, or without one for modules of the CPU
    python benchmarks/recipe_losses.py summarize losses.json --plot losses.png                                   anywhere, needs SciPy

KIT holds prec-run, RECIPE-TARGET.so for each recipe and target, weights.safetensors, train.bin and heldout.bin. Seed 0
trains from those weights; seed s from the same values, shuffled within each parameter, so that a seed's weights have
the distribution of any initialization. Every training reads the same batches under a cosine rate with 20 steps of
warmup; its loss is the mean over 32 held-out batches after the last step.

One training says little: rounding alone moves its last loss by some tenths of a percent in either direction. A recipe's
  excess is the mean over
seeds of loss / loss of fp32 of that seed and target, less 1, with Student's 95 % confidence interval.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys

from cuda_libraries import cuda_library_options
from figures import figure

REFERENCE = "fp32"


def shuffle_weights(source, seed, target):
    import numpy as np
    from safetensors.numpy import load_file, save_file
    random = np.random.default_rng(seed)
    weights = load_file(source)
    save_file({name: random.permuted(values.ravel()).reshape(values.shape) if seed else values for name, values in sorted(weights.items())},
              target)


def train_one(options, libraries, module, seed):
    work = options.out.with_suffix(".work")
    metrics = work / f"{module.stem}-{seed}.jsonl"
    subprocess.run([options.kit / "prec-run", module, "--weights", work / f"{seed}.safetensors", "--tokens", options.kit / "train.bin",
                    "--eval-tokens", options.kit / "heldout.bin", "--eval-batches", "32", "--steps", str(options.steps), "--lr-schedule",
                    "cosine", "--warmup", "20", "--metrics", metrics, *libraries], check=True, stdout=subprocess.DEVNULL)
    return [json.loads(line) for line in metrics.read_text().splitlines() if "eval_loss" in line][-1]["eval_loss"]


def train(options):
    libraries = cuda_library_options()
    options.out.with_suffix(".work").mkdir(parents=True, exist_ok=True)
    for seed in range(options.seeds):
        shuffle_weights(options.kit / "weights.safetensors", seed, options.out.with_suffix(".work") / f"{seed}.safetensors")
    modules = sorted(options.kit.glob("*-*.so"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {module: [pool.submit(train_one, options, libraries, module, seed) for seed in range(options.seeds)] for module in modules}
    report = {"model": "quickstart_model.py:llama", "steps": options.steps, "losses": {}}
    for module, losses in futures.items():
        recipe, _, target = module.stem.rpartition("-")
        report["losses"].setdefault(target, {})[recipe] = [loss.result() for loss in losses]
    options.out.write_text(json.dumps(report, indent=1) + "\n")


def summarize(options):
    from scipy.stats import ttest_1samp
    report = json.loads(options.report.read_text())
    report["excess"] = {}
    for target, recipes in report["losses"].items():
        for recipe in sorted(set(recipes) - {REFERENCE}):
            ratios = [loss / reference - 1 for loss, reference in zip(recipes[recipe], recipes[REFERENCE], strict=True)]
            interval = ttest_1samp(ratios, 0).confidence_interval(0.95)
            mean = sum(ratios) / len(ratios)
            report["excess"].setdefault(target, {})[recipe] = {"seeds": len(ratios), "mean": mean, "low": interval.low, "high": interval.high}
            print(f"{target:<8} {recipe:<24} {mean:+.2%} ({interval.low:+.2%} to {interval.high:+.2%})")
    options.report.write_text(json.dumps(report, indent=1) + "\n")
    if options.plot:
        plot(report, options.plot)


def plot(report, path):
    rows = [
        (f"{recipe}, {target}, {entry['seeds']} seeds", entry) for target, recipes in report["excess"].items() for recipe, entry in recipes.items()
    ]
    rows.sort(key=lambda row: -row[1]["mean"])
    with figure(path, figsize=(8, 0.35 * len(rows) + 1.2)) as axes:
        for i, (_, entry) in enumerate(rows):
            axes.plot([100 * entry["low"], 100 * entry["high"]], [i, i], color="C0")
            axes.plot(100 * entry["mean"], i, "o", color="C0")
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.axvline(0, color="black", linewidth=0.5)
        axes.set(xlabel="held-out loss over fp32, %, mean and 95 % interval",
                 title=f"{report['model']}, {report['steps']} steps")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    training = commands.add_parser("train")
    training.add_argument("kit", type=pathlib.Path)
    training.add_argument("--steps", type=int, default=500)
    training.add_argument("--seeds", type=int, default=16)
    training.add_argument("--jobs", type=int, default=4, help="trainings at a time")
    training.add_argument("--out", type=pathlib.Path, required=True)
    training.set_defaults(run=train)
    summary = commands.add_parser("summarize")
    summary.add_argument("report", type=pathlib.Path)
    summary.add_argument("--plot", type=pathlib.Path)
    summary.set_defaults(run=summarize)
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
