# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""transformers' models with experts, as fast as plain PyTorch trains them: grouped products, torch.compile, BF16.

usage: python benchmarks/experts_torch.py MODEL[:EXPERTS][:BACKEND][:masters] ... [--steps N] [--eager] [--profile]

MODEL is one of experts_models.py, EXPERTS an implementation of transformers (grouped_mm), BACKEND one of PyTorch's for
scaled dot-product attention (flash, cudnn, efficient; by default PyTorch chooses, on an H100 cudnn). By default
parameters and moments are BF16 and AdamW is PyTorch's fused one; with `masters` there are FP32 masters and moments
beside BF16 weights, as prec trains, and one compiled AdamW. Prints one JSON line a run: median ms a step, peak GiB.
"""
import argparse
import contextlib
import json
import statistics
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from experts_models import MODELS, build

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION}


class MasterAdamW:
    """BF16 work weights beside FP32 masters and moments; the clip's factor is folded in. One compiled function for each
    parameter, so that no temporary of another one lives."""

    def __init__(self, model):
        self.weights = list(model.parameters())
        self.masters = [weight.detach().float() for weight in self.weights]
        self.moments = [(torch.zeros_like(master), torch.zeros_like(master)) for master in self.masters]
        self.count = 0
        torch._dynamo.config.cache_size_limit = 64  # of the shapes of parameters
        self.update = torch.compile(self.one, dynamic=False)

    @staticmethod
    def one(weight, gradient, master, first, second, factor, corrections):
        gradient = gradient.float() * factor
        first.mul_(0.9).add_(gradient, alpha=0.1)
        second.mul_(0.95).addcmul_(gradient, gradient, value=0.05)
        moved = first / corrections[0] / ((second / corrections[1]).sqrt() + 1e-8)
        master.copy_(master * (1 - 1e-5) - 1e-4 * moved)
        weight.copy_(master)

    @torch.no_grad()
    def step(self):
        self.count += 1
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm([weight.grad for weight in self.weights], 2, dtype=torch.float32)))
        corrections = torch.tensor([1 - 0.9 ** self.count, 1 - 0.95 ** self.count], device=norm.device)
        for weight, master, (first, second) in zip(self.weights, self.masters, self.moments, strict=True):
            self.update(weight, weight.grad, master, first, second, 1 / (norm + 1e-6).clamp(min=1), corrections)
            weight.grad = None


def measure(name, experts, backend, masters, options):
    torch._dynamo.reset()
    torch.manual_seed(0)
    _, _, rows, tokens = MODELS[name]
    device = torch.device(options.device)
    with device:
        torch.set_default_dtype(torch.bfloat16)
        model = build(name, **options.more)
        torch.set_default_dtype(torch.float32)
    if experts != "eager":
        model.set_experts_implementation(experts)
    optimizer = MasterAdamW(model) if masters else torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    run = model if options.eager else torch.compile(model)
    rows, tokens = options.shape or (rows, tokens)
    times, begin, loss = [], time.time(), None

    def step():
        ids = torch.randint(0, model.config.vocab_size, (rows, tokens), device=device)
        with sdpa_kernel(BACKENDS[backend]) if backend else contextlib.nullcontext():
            loss = run(input_ids=ids, labels=ids).loss
            loss.backward()
        if not masters:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if not masters:
            optimizer.zero_grad(set_to_none=True)
        return loss.item()

    for i in range(3 + options.steps):
        start = time.time()
        loss = step()  # which waits for the device
        if i >= 3:
            times.append(time.time() - start)
        if i == 2:
            print(f"{name} {experts} {backend or 'default'}: warm after {time.time() - begin:.1f} s", flush=True)
    peak = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else 0
    print(json.dumps({"model": name, "experts": experts, "attention": backend or "default", "masters": masters, "compiled": not options.eager,
                      "ms": round(statistics.median(times) * 1e3, 2), "gib": round(peak, 1), "loss": round(loss, 4),
                      "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu", "torch": torch.__version__}), flush=True)
    if options.profile:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            step()
            torch.cuda.synchronize()
        for event in sorted(profile.key_averages(), key=lambda event: -event.self_device_time_total)[:16]:
            print(f"   {event.self_device_time_total / 1e3:8.2f} ms x{event.count:4d} {event.key[:90]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--shape", type=int, nargs=2, help="rows and tokens of a row, in place of the model's")
    parser.add_argument("--more", type=json.loads, default={}, help="other sizes of the configuration, as JSON")
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    for run in options.runs:
        name, *rest = run.split(":")
        masters = "masters" in rest
        backend = next((word for word in rest if word in BACKENDS), None)
        experts = next((word for word in rest if word != "masters" and word not in BACKENDS), "grouped_mm")
        try:
            measure(name, experts, backend, masters, options)
        except Exception as error:  # Such as one that does not fit; the others are measured all the same.
            print(json.dumps({"model": name, "experts": experts, "attention": backend or "default", "masters": masters,
                              "error": f"{type(error).__name__}: {error}"[:300]}), flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
