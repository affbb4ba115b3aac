# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other kinds of models than decoders (kinds_models.py) beside compiled PyTorch.

    python benchmarks/kinds.py build KIT                                    import and compile, for sm_90a
    python benchmarks/kinds.py race KIT --out FILE                          on a GPU; KIT holds libprec-rt.so

The baseline is the same class under autocast to bf16, with FP32 weights, a fused AdamW and the norm clipped at 1.0; the
fastest of torch.compile's modes and of the kernels of attention counts. Ours run before and after it. Both repeat one
batch that is on the GPU.
"""
import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import time

import kit
from kit import RECIPES, ROOT

sys.path.insert(0, str(ROOT / "python"))
MODES = ("default", "reduce-overhead")
KERNELS = ("", "cudnn")
WARM_UP, STEPS = 8, 20
CHANNELS_LAST = ("resnet_50", "unet")


def module_of(options, name, recipe):
    return kit.module_of(options.kit, "kinds", name, recipe)


def build(options):
    kit.build(options.kit, "kinds", {name: f"{ROOT}/benchmarks/kinds_models.py:{name}_step" for name in options.models})


def run_torch(name, mode, kernel):
    """Median ms a step, and peak GiB."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    from kinds_models import MODELS
    make, make_batch = MODELS[name]()
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    # Of convolutional nets channels last, PyTorch's fast order.
    order = torch.channels_last if name in CHANNELS_LAST else torch.preserve_format
    batch = {key: value.cuda().to(memory_format=order if value.dim() == 4 else torch.preserve_format) for key, value in make_batch().items()}
    with torch.device("cuda"):
        model = make().train().to(memory_format=order)
    compiled = torch.compile(model, mode=None if mode == "default" else mode)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    times = []
    # As PyTorch chooses, or cuDNN's first.
    backends = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    with sdpa_kernel(backends, set_priority=True) if kernel == "cudnn" else contextlib.nullcontext():
        for _ in range(WARM_UP + STEPS):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            with torch.autocast("cuda", torch.bfloat16):
                loss = compiled(**batch)
            loss = getattr(loss, "loss", loss)
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
    import torch

    import prec
    from kinds_models import MODELS
    torch.manual_seed(0)
    batch = MODELS[name]()[1]()
    module = prec.Module(module_of(options, name, recipe), options.kit / "libprec-rt.so")
    module.init_random(seed=0)
    given = {binding.name: batch[binding.name] for binding in module.bindings if binding.role == "batch"}
    losses, times = [module.step(given, lr=1e-4)["loss"]], []
    for _ in range(WARM_UP + STEPS):
        begin = time.perf_counter()
        losses.append(module.step()["loss"])
        times.append((time.perf_counter() - begin) * 1e3)
    module.close()
    print(json.dumps({"times": times[WARM_UP:], "losses": [losses[0], losses[-1]]}))


def measure(options, what, name, *words):
    done = subprocess.run([sys.executable, __file__, what, str(options.kit), "--models", name, *words], text=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def race(options):
    rows = []
    for name in options.models:
        ours = {recipe: [measure(options, "prec", name, "--recipe", recipe)] for recipe in RECIPES}
        theirs = {}
        for mode in options.modes:
            for kernel in options.kernels:
                if found := measure(options, "torch", name, "--mode", mode, "--kernel", kernel):
                    theirs[f"{mode} {kernel}".strip()] = {key: round(value, 2) for key, value in found.items()}
        best = min(theirs, key=lambda key: theirs[key]["ms"]) if theirs else None
        for recipe in RECIPES:
            runs = [run for run in [*ours[recipe], measure(options, "prec", name, "--recipe", recipe)] if run]
            row = {"model": name, "prec": recipe, "torch": theirs, "best": best}
            if runs:
                row |= {"ms": round(statistics.median([ms for run in runs for ms in run["times"]]), 2), "losses": runs[0]["losses"]}
            if runs and best:
                row["ratio"] = round(theirs[best]["ms"] / row["ms"], 3)
            rows.append(row)
            print(json.dumps(row), flush=True)
        if options.out:
            options.out.write_text(json.dumps(rows, indent=1) + "\n")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "race", "torch", "prec"))
    parser.add_argument("kit", type=pathlib.Path)
    parser.add_argument("--models", type=lambda text: text.split(","), help="all by default")
    parser.add_argument("--recipe", default="bf16", help="of one run of ours")
    parser.add_argument("--mode", default="default", help="of one run of PyTorch")
    parser.add_argument("--kernel", default="", help="of its attention: cudnn, or as PyTorch chooses")
    parser.add_argument("--modes", type=lambda text: text.split(","), default=MODES, help="of a race")
    parser.add_argument("--kernels", type=lambda text: text.split(","), default=KERNELS, help="of a race")
    parser.add_argument("--out", type=pathlib.Path, help="JSON file")
    options = parser.parse_args()
    if not options.models:
        from kinds_models import MODELS
        options.models = list(MODELS)
    if options.what == "torch":
        return run_torch(options.models[0], options.mode, options.kernel)
    if options.what == "prec":
        return run_prec(options, options.models[0], options.recipe)
    {"build": build, "race": race}[options.what](options)


if __name__ == "__main__":
    main()
