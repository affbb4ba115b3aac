# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether tiny models of many families train in BF16 and FP8 as PyTorch's own BF16 and FP8 do.

    python benchmarks/family_losses.py family_losses.jsonl [--shard I/N] [--only NAME ...] [--table]

Each family (the tiny models of test/Import/families.py) trains for 100 steps on the CPU target in fp32, bf16,
fp8-hybrid and fp8-block. Each step has the same rows with their tokens in another order, or other pixels.

The oracle is PyTorch: FP32, BF16 by autocast, and FP8 by rounding what each linear layer but the last reads (e4m3
forward, e5m2 gradients, one scale a tensor, from its largest value) and computing the rest in BF16 by autocast, for
three seeds: seed 0 is the model and the batches that prec trains, the others have the entries of each matrix in another
order and other batches. benchmarks/loss_band.py makes a band of them and says what inside means. bf16 is held to the
band of BF16, the recipes of FP8 to that of FP8, each beside PyTorch's FP32 losses.
"""
import argparse
import json
import pathlib
import sys
import tempfile
import warnings

import numpy as np
import torch

from loss_band import band_of, judge, relative_differences

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECIPES = {"bf16": "bf16", "fp8-hybrid": "fp8", "fp8-block": "fp8"}
STEPS, SEEDS, WINDOW = 100, 3, 5
NAMES = """
llama mistral gemma gemma2 gemma3 qwen2 qwen3 opt bloom falcon mpt gptj gpt2 gpt_neox olmo2 phi phi3 stablelm
cohere minicpm3 bert roberta electra deberta-v2 modernbert esm t5 bart marian whisper vit dinov2 swin convnext
resnet clip siglip llava qwen2_vl qwen2_5_vl smolvlm mamba wav2vec2
""".split()


class Rounded(torch.autograd.Function):
    """A product whose operands are rounded to FP8, in both directions."""

    @staticmethod
    def forward(ctx, x, weight):
        x, weight = in_fp8(x, torch.float8_e4m3fn), in_fp8(weight, torch.float8_e4m3fn)
        ctx.save_for_backward(x, weight)
        return x @ weight.mT

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        gradient = in_fp8(gradient, torch.float8_e5m2)
        return gradient @ weight, gradient.flatten(0, -2).mT @ x.flatten(0, -2)


def in_fp8(x, kind):
    largest = x.detach().abs().amax().float()
    scale = torch.where(largest > 0, torch.finfo(kind).max / largest, torch.ones(()))
    return ((x.float() * scale).to(kind).float() / scale).to(torch.bfloat16)


def use_fp8(model):
    """All linear layers but those of the widest or last result."""
    layers = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    for layer in layers[:-1]:
        layer.forward = lambda x, layer=layer: Rounded.apply(x, layer.weight) + (0 if layer.bias is None else layer.bias.to(torch.bfloat16))


def seeded(name, seed):
    from families import FAMILIES
    model, batch = FAMILIES[name].build()
    if seed:
        torch.manual_seed(seed)
        with torch.no_grad():
            for p in model.parameters():
                if p.dim() > 1:
                    p.copy_(p.flatten()[torch.randperm(p.numel())].view_as(p))
    return model, batch


def batches_of(batch, seed):
    from followed_losses import shuffled
    return [shuffled(batch, step + seed * STEPS) for step in range(STEPS)]


def of_torch(name, precision, seed):
    """PyTorch's losses."""
    import followed_losses
    from families import adamw
    model, batch = seeded(name, seed)
    if precision == "fp8":
        use_fp8(model)
    with torch.autocast("cpu", torch.bfloat16, enabled=precision != "fp32"):
        return list(followed_losses.train(model, adamw(model), batches_of(batch, seed)))


def of_prec(step, recipe, batch, build, folder):
    import subprocess

    import followed_losses

    import prec
    out = f"{folder}/{recipe}.so"
    subprocess.run([build / "bin/prec-compile", f"{folder}/graph.mlir", f"--recipe={recipe}", "--target=cpu", "--jobs=1", "-o", out], check=True,
                   capture_output=True)
    module = prec.Module(out)
    module.load(f"{folder}/weights.safetensors")
    wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
    return [module.step(followed_losses.arrays(b, wanted))["loss"] for b in batches_of(batch, 0)]


def family(name, build):
    """The line of a family."""
    from families import adamw

    import prec
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    line = {"name": name, "steps": STEPS, "seeds": SEEDS, "torch": torch.__version__, "recipes": {}}
    losses = {precision: [of_torch(name, precision, seed) for seed in range(SEEDS)] for precision in ("fp32", "bf16", "fp8")}
    right = np.array(losses["fp32"][0])
    line["fp32"] = {"first": right[0], "last": right[-1]}
    with tempfile.TemporaryDirectory() as folder:
        model, batch = seeded(name, 0)
        step = prec.import_torch(model, adamw(model), batch, clip_grad_norm=1.0, verify=False)
        step.write(f"{folder}/graph.mlir")
        step.write_weights(f"{folder}/weights.safetensors")
        line["fp32"]["distance"] = float(relative_differences(of_prec(step, "fp32", batch, build, folder), right).max())
        for recipe, precision in RECIPES.items():
            own = np.array([relative_differences(low, high) for low, high in zip(losses[precision], losses["fp32"])])
            among = [judge(own[s], band_of(np.delete(own, s, 0), WINDOW)) for s in range(SEEDS)]
            tolerated = max(len(j["steps_outside"]) for j in among)
            try:
                got = of_prec(step, recipe, batch, build, folder)
            except Exception as error:
                line["recipes"][recipe] = {"verdict": f"{type(error).__name__}: {getattr(error, 'stderr', None) or error}"[:300]}
                continue
            judged = judge(relative_differences(got, right), band_of(own, WINDOW), tolerated)
            line["recipes"][recipe] = {"verdict": judged["verdict"], "steps_outside": len(judged["steps_outside"]), "tolerated": tolerated,
                                       "mean_difference": float(relative_differences(got, right).mean()),
                                       "torch_mean_difference": float(own.mean()), "largest_difference": judged["largest_difference"],
                                       "last": got[-1]}
    return line


def table(lines):
    print("| family | " + " | ".join(RECIPES) + " |\n|---|" + "---|" * len(RECIPES))
    for line in lines:
        cells = [f"{r['verdict']}, {r['mean_difference']:.1e} ({r['torch_mean_difference']:.1e})" if "mean_difference" in r else r["verdict"]
                 for r in line["recipes"].values()]
        print(f"| {line['name']} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--shard", default="0/1", help="this part of so many")
    parser.add_argument("--only", nargs="*", help="names of families")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--table", action="store_true", help="print the results as a table, and train nothing")
    chosen = parser.parse_args()
    lines = [json.loads(text) for text in chosen.results.read_text().splitlines()] if chosen.results.exists() else []
    if chosen.table:
        table(lines)
        return 0
    for folder in ("python", "test/Import", "test/tools"):
        sys.path.insert(0, str(ROOT / folder))
    index, count = (int(x) for x in chosen.shard.split("/"))
    have = {line["name"] for line in lines}
    for name in chosen.only or NAMES[index::count]:
        if name in have:
            continue
        try:
            line = family(name, chosen.build)
        except Exception as error:
            line = {"name": name, "recipes": {}, "reason": f"{type(error).__name__}: {error}"[:300]}
        with chosen.results.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(name, {r: x.get("verdict") for r, x in line["recipes"].items()}, line.get("reason", ""), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
