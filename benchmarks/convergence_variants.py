# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which part of a recipe costs loss: short trainings of its variants beside each other, one a GPU, on equal batches.

    python benchmarks/convergence_variants.py FOLDER --prec-run kit/prec-run --train bf16=bf16.so:0 --train fp8=fp8.so:0 ... \\
      --forward bf16=bf16.so --forward fp8=current.so --out variants.json

FOLDER is one of convergence.py with token ids of a part of text (part-*.bin), held-out.bin, weights-SEED.safetensors.
All trainings read the same windows in the same order, with the same rates: they rise over --warmup steps and fall to
zero in the last fifth. Each module of --forward then evaluates the weights that each training ended with. So what FP8
costs where a loss is evaluated is told apart from what it cost while training: weights trained in FP8 and evaluated in
BF16 show the latter alone. Forwards should scale by current amaxes, as weights alone say nothing of earlier ones.

The report has the curve of every training, its last held-out loss by its own module and by each forward. Printed is
each over the reference of its seed (`--reference`, bf16): the mean of the losses of the last 300 steps, and both
held-out losses.

Exit code 1 if a training failed, 2 if the input is unusable.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from convergence import BLOCK, DECAY_SHARE, RATE, curve_of, draw_windows, named_training, read_metrics, windows_of, write_segment
from cuda_libraries import cuda_library_options
from loss_band import MODELS, write_json

LAST = 300  # steps whose mean loss is compared


def run(options, device, log, *words):
    """Output goes to the end of a log; whether it ended well."""
    more = [] if options.cpu else [*cuda_library_options(), "--device", device]
    with (options.folder / f"{log}.log").open("a") as out:
        return subprocess.run(list(map(str, [options.prec_run, *words, *more])), stdout=out, stderr=out, check=False).returncode == 0


def train(options, device, training, order):
    """A training and its evaluations, as they are reported; None if it failed."""
    name, steps, folder = training["name"], options.steps, options.folder
    checkpoint, metrics, held_out = folder / f"variant-{name}", folder / f"variant-{name}.jsonl", folder / "held-out.bin"
    metrics.unlink(missing_ok=True)
    if not run(options, device, name, training["module"], "--weights", folder / f"weights-{training['seed']}.safetensors", "--tokens", order,
               "--eval-tokens", held_out, "--eval-every", options.eval_every, "--eval-batches", options.eval_batches, "--lr", options.lr,
               "--warmup", options.warmup, "--lr-schedule", "wsd", "--decay", max(1, steps // DECAY_SHARE), "--steps", steps,
               "--metrics", metrics, "--save", checkpoint):
        return None
    rows, length = MODELS[options.model][6:]
    entries = read_metrics(metrics)
    losses = [entries["steps"][step]["loss"] for step in sorted(entries["steps"])]
    found = curve_of(entries, rows * length) | {"seed": training["seed"], "last": round(statistics.fmean(losses[-LAST:]), 5), "by": {}}
    weights = checkpoint / f"model-step{steps}.safetensors"
    for forward, module in options.forward:
        evaluated = folder / f"variant-{name}-by-{forward}.jsonl"
        evaluated.unlink(missing_ok=True)
        if run(options, device, name, module, "--weights", weights, "--eval-tokens", held_out, "--eval-batches", options.last_batches, "--steps", 0,
               "--metrics", evaluated):
            found["by"][forward] = round(json.loads(evaluated.read_text().splitlines()[-1])["eval_loss"], 5)
    return found


def summarize(trainings, reference):
    """A line for each training: its losses over those of the reference that began with the same weights."""
    for name, training in trainings.items():
        other = next((t for key, t in trainings.items() if key.partition("-")[0] == reference and t["seed"] == training["seed"]), None)
        line = f"{name}: {training['ms']} ms a step"
        pairs = [("last steps", "last", None), *((f"held out by {forward}", "by", forward) for forward in training["by"])]
        for what, key, forward in pairs:
            ours, theirs = ((t[key] if forward is None else t[key].get(forward)) if t else None for t in (training, other))
            line += f", {what} {ours:.4f}" + (f" ({ours / theirs - 1:+.2%})" if theirs and other is not training else "")
        print(line)


def compare(options):
    rows, length = MODELS[options.model][6:]
    parts = sorted(options.folder.glob("part-*.bin"))
    if not parts:
        raise ValueError(f"{options.folder} must have token ids as part-*.bin, but has none")
    windows = windows_of(parts, length)
    drawn, _ = draw_windows(np.zeros(len(windows), np.int32), options.steps * rows, 0)
    order = options.folder / "variants.bin"
    write_segment(order, windows, drawn, 0, rows * length)
    trainings = {}
    for begin in range(0, len(options.train), options.gpus):
        together = options.train[begin:begin + options.gpus]
        with ThreadPoolExecutor(len(together)) as pool:
            for training, found in zip(together, pool.map(lambda pair: train(options, pair[0], pair[1], order), enumerate(together))):
                if found:
                    trainings[training["name"]] = found
    write_json(options.out, {"steps": options.steps, "lr": options.lr, "step_tokens": rows * length, "block": BLOCK, "trainings": trainings})
    summarize(trainings, options.reference)
    for training in options.train:
        if training["name"] not in trainings:
            print(f"{training['name']} failed: see {options.folder / training['name']}.log", file=sys.stderr)
    return 0 if len(trainings) == len(options.train) else 1


def named_module(text):
    name, separator, module = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"a forward must be NAME=MODULE, but got {text}")
    return name, pathlib.Path(module)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--train", type=named_training, action="append", required=True, metavar="NAME=MODULE:SEED")
    parser.add_argument("--forward", type=named_module, action="append", default=[], metavar="NAME=MODULE")
    parser.add_argument("--prec-run", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--reference", default="bf16", help="name, up to a hyphen, of what others are compared with")
    parser.add_argument("--model", choices=MODELS, default="124m")
    parser.add_argument("--steps", type=int, default=1600)
    parser.add_argument("--gpus", type=int, default=4, help="how many train at once")
    parser.add_argument("--lr", type=float, default=RATE)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--eval-every", type=int, default=400)
    parser.add_argument("--eval-batches", type=int, default=40)
    parser.add_argument("--last-batches", type=int, default=90)
    parser.add_argument("--cpu", action="store_true", help="modules are for the CPU")
    return parser.parse_args()


def main():
    try:
        return compare(parse())
    except (OSError, ValueError) as error:
        print(f"convergence_variants.py: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
