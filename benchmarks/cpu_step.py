# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The quickstart's models on a CPU: a step module beside PyTorch eager, in turns, on the same cores.

    python benchmarks/cpu_step.py [--build build] [--threads 2] [--out benchmarks/results/cpu_step.json]

Both train from the same weights on the same random batches: forward, backward, clipping at 1 and AdamW. PyTorch's
  optimizer is its fused
one; its bf16 is autocast over FP32 weights, as the recipe bf16 has FP32 masters. Every round is a process of each, so
that no idle thread pool of one takes time from the other; a round's figure is the median of its steps after the first
few, and the result the median of rounds.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from phases import ROOT

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples")]
WARM_STEPS = 5
MODELS = ("llama", "gpt2")
RECIPES = ("fp32", "bf16")


def batches(steps):
    import quickstart_model
    random = np.random.default_rng(0)
    shape = (quickstart_model.BATCH, quickstart_model.SEQUENCE)
    return [random.integers(0, quickstart_model.VOCABULARY, shape) for _ in range(steps)]


def time_torch(options):
    """Milliseconds of each step."""
    import quickstart_model
    import torch
    torch.set_num_threads(options.threads)
    model, _, _, _ = getattr(quickstart_model, options.model)()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    times = []
    for batch in batches(options.steps):
        ids = torch.from_numpy(batch)
        begin = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16, enabled=options.recipe == "bf16"):
            loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        loss.item()
        times.append(1e3 * (time.perf_counter() - begin))
    return times


def time_prec(options):
    import prec
    module = prec.Module(options.module)
    module.load(options.module.with_name(f"{options.model}.safetensors"))
    times = []
    for batch in batches(options.steps):
        begin = time.perf_counter()
        module.step({"input_ids": batch, "labels": batch}, lr=1e-3)
        times.append(1e3 * (time.perf_counter() - begin))
    return times


def prepare(options, folder):
    """Modules of both recipes, and the weights that they start from."""
    for model in MODELS:
        graph = folder / f"{model}.mlir"
        subprocess.run([sys.executable, ROOT / "tools/prec-import/prec-import", ROOT / f"examples/quickstart_model.py:{model}", "-o", graph,
                        "--weights", graph.with_suffix(".safetensors")], check=True)
        for recipe in RECIPES:
            subprocess.run([options.build / "bin/prec-compile", graph, f"--recipe={recipe}", "-o", folder / f"{model}-{recipe}.so"], check=True)


def run_round(options, who, model, recipe, folder):
    done = subprocess.run([sys.executable, __file__, "--round", who, "--model", model, "--recipe", recipe, "--steps", str(options.steps),
                           "--threads", str(options.threads), "--module", folder / f"{model}-{recipe}.so"],
                          check=True, stdout=subprocess.PIPE, text=True)
    return statistics.median(json.loads(done.stdout)[WARM_STEPS:])


def compare(options):
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(options, folder)
        for model in MODELS:
            for recipe in RECIPES:
                rounds = [[run_round(options, who, model, recipe, folder) for who in ("prec", "torch")] for _ in range(options.rounds)]
                ours, theirs = (statistics.median(column) for column in zip(*rounds))
                ratio = statistics.median(theirs / ours for ours, theirs in rounds)
                rows.append({"model": model, "recipe": recipe, "prec_ms": round(ours, 1), "torch_ms": round(theirs, 1), "ratio": round(ratio, 2)})
                print("{model} {recipe}: prec {prec_ms} ms, PyTorch {torch_ms} ms, {ratio} times as fast".format(**rows[-1]), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=25, help=f"of a round, the first {WARM_STEPS} of which do not count")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--round", choices=("prec", "torch"), help=argparse.SUPPRESS)
    parser.add_argument("--model", choices=MODELS, help=argparse.SUPPRESS)
    parser.add_argument("--recipe", choices=RECIPES, help=argparse.SUPPRESS)
    parser.add_argument("--module", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.round:
        print(json.dumps(time_prec(options) if options.round == "prec" else time_torch(options)))
        return
    rows = compare(options)
    if options.out:
        options.out.write_text(
            json.dumps({"threads": options.threads, "steps": options.steps, "rounds": options.rounds, "runs": rows}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
