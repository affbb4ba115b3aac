# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that nobody tuned prec for (untuned_models.py): what their steps move beside an ideal fusion, and their speed.

    python benchmarks/untuned.py build KIT                                  import and compile, for sm_90a
    python benchmarks/untuned.py traffic KIT --out FILE                     bytes, anywhere
    python benchmarks/untuned.py race KIT --tokens TOKENS --out FILE        language models beside compiled PyTorch, on a GPU

`race` expects prec-run in KIT. The baseline is torch.compile of the same class under autocast to bf16, with FP32
weights, a fused AdamW and the norm clipped at 1.0; ours run before and after it. Both read the same tokens, of the
whole vocabulary of the tokens' file.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

import kit
from cuda_libraries import cuda_library_options
from kit import RECIPES, ROOT

sys.path.insert(0, str(ROOT / "python"))
OTHERS = ("bert", "modernbert", "t5", "vit", "mlp", "mlp_gelu")  # no language models that are raced
NAMES = ("qwen2", "qwen3", "qwen3_3000", "olmo2", "olmo2_8", "cohere", "stablelm", "phi", "gemma", "neox", "llama_2560", "llama_1000",
         "llama_biased", "mistral", "starcoder2", "opt", *OTHERS)
WARM_UP, STEPS = 5, 20


def module_of(options, name, recipe):
    return kit.module_of(options.kit, "untuned", name, recipe)


def build(options):
    kit.build(options.kit, "untuned", {name: f"{ROOT}/benchmarks/untuned_models.py:{name}" for name in options.models})


def read_traffic(tool, module):
    first = subprocess.run([tool, module, "--traffic"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    commands, kernels, moved, ideal = re.fullmatch(
        r"(\d+) commands, (\d+) kernels; .* move ([\d.]+) GB where an ideal fusion moves ([\d.]+) GB", first).groups()
    return {"commands": int(commands), "kernels": int(kernels), "gb": float(moved), "ideal_gb": float(ideal)}


def traffic(options):
    rows = []
    print("| | recipe | commands | kernels | GB | an ideal fusion | ratio |\n|---|---|---|---|---|---|---|")
    for name in options.models:
        for recipe in RECIPES:
            row = read_traffic(ROOT / "build/runtime/prec-run", module_of(options, name, recipe))
            rows.append({"model": name, "recipe": recipe} | row)
            print(f"| {name} | {recipe} | {row['commands']} | {row['kernels']} | {row['gb']:.2f} | {row['ideal_gb']:.2f} | "
                  f"{row['gb'] / row['ideal_gb']:.3f} |")
    return rows


def run_torch(name, tokens):
    """Median ms a step, and peak GiB."""
    import numpy as np
    import torch

    from untuned_models import LANGUAGE_MODELS
    make, shape = LANGUAGE_MODELS[name]
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    with torch.device("cuda"):
        model = make()
    compiled = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    text = torch.from_numpy(np.fromfile(tokens, "<u2").astype(np.int64)).cuda()
    count, times = shape[0] * shape[1], []
    for step in range(WARM_UP + STEPS):
        start = step * count % (text.numel() - count)
        batch = text[start:start + count].view(shape)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        with torch.autocast("cuda", torch.bfloat16):
            loss = compiled(input_ids=batch, labels=batch, use_cache=False).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    print(json.dumps({"ms": statistics.median(times[WARM_UP:]), "gib": torch.cuda.max_memory_allocated() / 2**30}))


def run_prec(options, name, recipe):
    """Milliseconds of the steps behind the warm-up."""
    metrics = options.kit / f"untuned-{name}-{recipe}.jsonl"
    subprocess.run([options.kit / "prec-run", module_of(options, name, recipe), "--init", "random", "--tokens", options.tokens,
                    "--steps", str(WARM_UP + STEPS), "--metrics", metrics, *cuda_library_options()], check=True, stdout=subprocess.DEVNULL)
    return [json.loads(line)["seconds"] * 1e3 for line in metrics.read_text().splitlines()[WARM_UP:]]


def race(options):
    rows = []
    for name in options.models:
        times = {recipe: run_prec(options, name, recipe) for recipe in RECIPES}
        done = subprocess.run([sys.executable, __file__, "torch", str(options.kit), "--models", name, "--tokens", options.tokens], check=True,
                              text=True, stdout=subprocess.PIPE)
        theirs = json.loads(done.stdout.splitlines()[-1])
        for recipe in RECIPES:
            ms = statistics.median(times[recipe] + run_prec(options, name, recipe))
            rows.append({"model": name, "prec": recipe, "ms": round(ms, 2), "torch_ms": round(theirs["ms"], 2),
                         "torch_gib": round(theirs["gib"], 2), "ratio": round(theirs["ms"] / ms, 3)})
            print(json.dumps(rows[-1]), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "traffic", "race", "torch"))
    parser.add_argument("kit", type=pathlib.Path)
    parser.add_argument("--models", type=lambda text: text.split(","), help="all by default; of a race the language models")
    parser.add_argument("--tokens", help="file of uint16 ids, below the vocabulary of every model")
    parser.add_argument("--out", type=pathlib.Path, help="JSON file")
    options = parser.parse_args()
    if options.what in ("race", "torch") and not options.tokens:
        parser.error(f"{options.what} must have --tokens")
    options.models = options.models or [name for name in NAMES if options.what != "race" or name not in OTHERS]
    if options.what == "torch":
        return run_torch(options.models[0], options.tokens)
    rows = {"build": build, "traffic": traffic, "race": race}[options.what](options)
    if options.out and rows:
        options.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
