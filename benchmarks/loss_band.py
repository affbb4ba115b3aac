# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a training's losses differ from PyTorch FP32's by no more than PyTorch's own losses in low precision do.

    python benchmarks/loss_band.py --tokens train.bin --out band                   trains in PyTorch, writes weights and the band
    prec-run step.so --weights band/weights.safetensors --tokens train.bin --steps 100 --lr 1e-4 --metrics bf16.jsonl
    python benchmarks/loss_band.py --tokens train.bin --out band --losses bf16=bf16.jsonl

--precision fp8t takes the band of torch_step.py's per-tensor float8 (current scaling, a GPU is needed) in place of
bf16's: what FP8 adds to a loss is a property of the format, so a training in FP8 is held to what PyTorch's own float8
does.

The first call trains the model in that precision and in FP32 (TF32 off) for every seed, from the same weights on the
same batches. Seed s draws its weights as torch_step.py --seed s does; step i of seed s reads the tokens that
torch_step.py reads in its step i + s * STEPS, so the seeds share no batch unless the text is too short. Seed 0 is what
torch_step.py runs; OUT/weights.safetensors are its weights. What was trained is kept in OUT and not trained again.

The band. With d_s(t) = |low_s(t) - fp32_s(t)| / fp32_s(t), step t of seed s,

    band(t) = max over seeds s, and steps u with |u - t| <= WINDOW, of d_s(u).

A training is inside at step t if |loss(t) - fp32_0(t)| / fp32_0(t) <= band(t). The window is there because differences
of single steps change sign and so pass through zero: without it, one more PyTorch seed would be outside of the envelope
of three in a quarter of its steps. How often it still is with the window is measured: "among themselves" counts the
steps at which each seed is outside of the band that the other seeds alone give. A training that is outside in more
steps than any of the seeds is worse than PyTorch's own; it is reported as OUTSIDE, and every step of every training is
in the report.

Writes OUT/loss_band-PRECISION.json. Exit code 1 if a training is OUTSIDE, 2 if the input is unusable.
"""
import argparse
import json
import os
import pathlib
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from llama import CFG, Lin, Llama

MODELS = CFG | {"tiny": (2, 64, 4, 2, 176, 256, 2, 32)}
PRECISIONS = ("bf16", "fp8t")


class WideLlama(Llama):
    """The same model without a cast: FP32 throughout."""

    def __init__(self, *sizes):
        super().__init__(*sizes)
        for linear in [module for module in self.modules() if isinstance(module, Lin)]:
            linear.__class__ = nn.Linear

    def forward(self, idx, tgt):
        x = F.embedding(idx, self.emb.weight)
        cos, sin = self.rc[:idx.shape[1]], self.rs[:idx.shape[1]]
        for block in self.blocks:
            x = block(x, cos, sin)
        x = F.rms_norm(x, (x.shape[-1],), self.nf, 1e-5)
        logits = F.linear(x, self.emb.weight)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), tgt.view(-1))


def build(model, format_, seed, device):
    """Draws the weights in the order of torch_step.py; all formats get the same."""
    Lin.mode = format_
    torch.manual_seed(seed)
    with torch.device(device):
        made = (WideLlama if format_ == "fp32" else Llama)(*MODELS[model][:6])
    for parameter in made.parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, std=0.02)
    return made


def train(options, format_, seed, tokens):
    """Losses of every step: AdamW and clipping are those of torch_step.py."""
    batch, length = MODELS[options.model][6:]
    model = build(options.model, format_, seed, options.device)
    if seed == 0:
        write(options.out / "weights.safetensors", lambda path: save_weights(model, path))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    losses, begin = [], time.monotonic()
    for step in range(options.steps):
        start = (step + seed * options.steps) * batch * length % (len(tokens) - batch * length - 1)
        window = tokens[start:start + batch * length + 1].to(options.device)
        loss = model(window[:-1].view(batch, length), window[1:].view(batch, length))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.detach())
        if step % 10 == 9 or step + 1 == options.steps:
            memory = f"  {torch.cuda.max_memory_allocated() / 2**30:.0f} GiB" if options.device == "cuda" else ""
            print(f"seed {seed} {format_} step {step + 1}/{options.steps}  loss {losses[-1]:.4f}  "
                  f"{time.monotonic() - begin:.0f} s{memory}", flush=True)
    return [loss.item() for loss in losses]


def save_weights(model, path):
    from safetensors.torch import save_file
    save_file({name: p.detach().float().cpu().contiguous() for name, p in model.named_parameters()}, path)


def write(path, save):
    """Beside the file, then renamed: a reader sees all of it or nothing."""
    partial = path.with_name(path.name + ".partial")
    save(partial)
    os.replace(partial, path)


def write_json(path, value):
    write(path, lambda partial: partial.write_text(json.dumps(value, indent=1) + "\n"))


def trained(options, format_, seed, tokens):
    """Losses of a seed and format: kept ones if they are of the same training, else new ones."""
    path = options.out / f"torch-{options.model}-{format_}-{seed}.json"
    what = {"model": options.model, "format": format_, "seed": seed, "steps": options.steps, "device": device_name(options.device),
            "torch": torch.__version__, "tokens": len(tokens)}
    if path.exists():
        kept = json.loads(path.read_text())
        if kept["what"] == what:
            return kept["losses"]
    losses = train(options, format_, seed, tokens)
    if options.device == "cuda":
        torch.cuda.empty_cache()
    write_json(path, {"what": what, "losses": losses})
    return losses


def device_name(device):
    return torch.cuda.get_device_name() if device == "cuda" else device


def relative_differences(losses, reference):
    return np.abs(np.asarray(losses) / np.asarray(reference) - 1)


def band_of(differences, window):
    """Largest of all seeds' differences within `window` steps: [seeds, steps] -> [steps]."""
    highest = np.max(differences, axis=0)
    return np.array([highest[max(0, t - window):t + window + 1].max() for t in range(len(highest))])


def judge(differences, band, tolerated=0):
    """`tolerated`: how many steps PyTorch's own seeds are outside."""
    outside = np.flatnonzero(differences > band)
    worst = int(np.argmax(differences / band))
    verdict = "inside" if not outside.size else "inside as often as PyTorch" if outside.size <= tolerated else "OUTSIDE"
    return {"verdict": verdict, "steps_outside": (outside + 1).tolist(), "largest_difference": float(differences.max()),
            "worst_step": worst + 1, "worst_difference": float(differences[worst]), "band_there": float(band[worst]),
            "inside": (differences <= band).tolist(), "differences": differences.tolist()}


def read_losses(path, steps):
    """The losses of steps 1 to `steps` of a file of prec-run --metrics (JSON lines), or of a JSON list."""
    text = pathlib.Path(path).read_text()
    if text.lstrip().startswith("["):
        losses = dict(enumerate(json.loads(text), 1))
    else:
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        losses = {line["step"]: line["loss"] for line in lines if "loss" in line}
    missing = [step for step in range(1, steps + 1) if step not in losses]
    if missing:
        raise ValueError(f"{path} must hold the losses of {steps} steps, but lacks {len(missing)}, the first {missing[0]}")
    return [losses[step] for step in range(1, steps + 1)]


def named_file(text):
    name, separator, path = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"losses must be NAME=FILE, but got {text}")
    return name, path


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", required=True, help="token file, uint16")
    parser.add_argument("--u32", action="store_true", help="the token file is uint32")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("loss-band"))
    parser.add_argument("--losses", type=named_file, action="append", default=[], metavar="NAME=FILE",
                        help="a training of the same steps from OUT/weights.safetensors: metrics of prec-run")
    parser.add_argument("--model", choices=MODELS, default="124m")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 0")
    parser.add_argument("--precision", choices=PRECISIONS, default="bf16", help="of PyTorch's own training (bf16)")
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("highest")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    vocabulary, batch, length = MODELS[options.model][5:]
    try:
        ours = {name: read_losses(path, options.steps) for name, path in options.losses}
        tokens = np.fromfile(options.tokens, "<u4" if options.u32 else "<u2").astype(np.int64)
        if len(tokens) < batch * length + 2 or tokens.max() >= vocabulary:
            raise ValueError(f"{options.tokens} must hold more than {batch * length + 1} token ids below {vocabulary}, but holds "
                             f"{len(tokens)}, the largest {tokens.max(initial=0)}")
    except (OSError, ValueError, KeyError) as error:
        print(f"loss_band.py: error: {error}", file=sys.stderr)
        return 2
    tokens = torch.from_numpy(tokens)
    curves = {format_: np.array([trained(options, format_, seed, tokens) for seed in range(options.seeds)])
              for format_ in (options.precision, "fp32")}
    differences = relative_differences(curves[options.precision], curves["fp32"])
    band = band_of(differences, options.window)
    among = [judge(differences[s], band_of(np.delete(differences, s, 0), options.window)) for s in range(options.seeds)] \
        if options.seeds > 1 else []
    among = [len(verdict["steps_outside"]) for verdict in among]
    verdicts = {name: judge(relative_differences(losses, curves["fp32"][0]), band, max(among, default=0))
                for name, losses in ours.items()}
    write_json(
        options.out / f"loss_band-{options.precision}.json",
        {
            "model": options.model,
            "precision": options.precision,
            "steps": options.steps,
            "window": options.window,
            "device": device_name(options.device),
            "torch": torch.__version__,
            "band": band.tolist(),
            "differences": differences.tolist(),
            "losses": {format_: curve.tolist() for format_, curve in curves.items()},
            "among_themselves": among,
            "trainings": verdicts,
        },
    )
    print(f"{options.precision}, band of {options.seeds} seeds: {band.min():.3%} to {band.max():.3%}; among themselves outside in "
          f"{', '.join(map(str, among)) or '-'} of {options.steps} steps")
    for name, verdict in verdicts.items():
        print(f"{name}: {verdict['verdict']}; outside in {len(verdict['steps_outside'])} of {options.steps} steps; largest difference "
              f"{verdict['largest_difference']:.4%}; worst at step {verdict['worst_step']}: {verdict['worst_difference']:.4%} where the "
              f"band is {verdict['band_there']:.4%}")
    return 1 if any(verdict["verdict"] == "OUTSIDE" for verdict in verdicts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
