# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of Hugging Face GPT-2 (124M) over real text in every recipe, beside PyTorch's bf16 from the same weights on
the same batches.

    python benchmarks/gpt2_losses.py train KIT --tokens KIT/gpt2.bin --out losses.json      on a machine with a GPU
    python benchmarks/gpt2_losses.py plot losses.json --plot losses.png                     anywhere

KIT holds prec-run and gpt2_50257-NAME-sm_90a.so for each NAME. PyTorch runs as its users do: eager, autocast to bf16,
  fused AdamW with FP32
weights; step i reads tokens i * B * S to (i + 1) * B * S. A recipe's gap is the mean over the last 50 steps of its loss
over PyTorch's, less 1.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

from cuda_libraries import cuda_library_options
from figures import figure, label_losses

RATE = 3e-4
MODULE = "gpt2_50257-{}-sm_90a.so"


def train_in_torch(options, weights):
    import numpy as np
    import torch
    from safetensors.torch import save_model

    from torch_gpt2 import BATCH, SEQUENCE, build, train_step
    model, optimizer = build(RATE)
    save_model(model, str(weights))
    tokens = torch.from_numpy(np.fromfile(options.tokens, "<u2").astype(np.int64)).cuda()
    losses = []
    for step in range(options.steps):
        start = step * BATCH * SEQUENCE % (tokens.numel() - BATCH * SEQUENCE - 1)
        losses.append(train_step(model, optimizer, tokens[start:start + BATCH * SEQUENCE].view(BATCH, SEQUENCE)))
    return [loss.item() for loss in losses]


def train_in_prec(options, name, weights):
    metrics = weights.with_name(f"{name}.jsonl")
    subprocess.run([options.kit / "prec-run", options.kit / MODULE.format(name), "--weights", weights, "--tokens", options.tokens, "--steps",
                    str(options.steps), "--lr", str(RATE), "--metrics", metrics, *cuda_library_options()],
                   check=True, stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    steps = [line for line in lines if "loss" in line]
    return {"losses": [line["loss"] for line in steps], "ms": round(statistics.median(line["seconds"] for line in steps[3:]) * 1e3, 2)}


def train(options):
    import torch
    work = options.out.with_suffix(".work")
    work.mkdir(parents=True, exist_ok=True)
    weights = work / "weights.safetensors"
    reference = train_in_torch(options, weights)
    torch.cuda.empty_cache()
    report = {"model": "GPT-2 124M, 16x1024", "steps": options.steps, "lr": RATE, "gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
              "torch bf16": {"losses": reference}}
    prefix, suffix = MODULE.split("{}")
    for path in sorted(options.kit.glob(MODULE.format("*"))):
        name = path.name[len(prefix):-len(suffix)]
        report[name] = train_in_prec(options, name, weights)
        tail = [ours / theirs for ours, theirs in zip(report[name]["losses"][-50:], reference[-50:])]
        report[name]["gap"] = round(statistics.mean(tail) - 1, 6)
        print(f"{name:<24} last loss {report[name]['losses'][-1]:.4f}, PyTorch bf16 {reference[-1]:.4f}, gap {report[name]['gap']:+.3%}, "
              f"{report[name]['ms']} ms", flush=True)
    options.out.write_text(json.dumps(report, indent=1) + "\n")


def plot(options):
    report = json.loads(options.report.read_text())
    curves = {name: entry for name, entry in report.items() if isinstance(entry, dict)}
    reference = curves["torch bf16"]["losses"]
    with figure(options.plot, 2, figsize=(8, 7), sharex=True, height_ratios=(3, 2)) as (above, below):
        for name, entry in curves.items():
            label = name if "gap" not in entry else f"{name} ({entry['gap']:+.2%}, {entry['ms']:.0f} ms)"
            line, = above.plot(entry["losses"], label=label, linewidth=2 if name == "torch bf16" else 1)
            if "gap" in entry:
                below.plot([100 * (ours / theirs - 1) for ours, theirs in zip(entry["losses"], reference)], color=line.get_color(), linewidth=0.8)
        label_losses(above, below, f"{report['model']}, {report['gpu']}")
        above.set_ylabel("loss")
        below.set_ylabel("over PyTorch bf16, %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    training = commands.add_parser("train")
    training.add_argument("kit", type=pathlib.Path)
    training.add_argument("--tokens", type=pathlib.Path, required=True)
    training.add_argument("--steps", type=int, default=300)
    training.add_argument("--out", type=pathlib.Path, required=True)
    training.set_defaults(run=train)
    drawing = commands.add_parser("plot")
    drawing.add_argument("report", type=pathlib.Path)
    drawing.add_argument("--plot", type=pathlib.Path, required=True)
    drawing.set_defaults(run=plot)
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
