# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec.compile in a script of Hugging Face's models on one GPU, as a user writes it.

usage: python benchmarks/one_line.py WHAT... [--json FILE] [--cache DIR]

  first    Llama of 1b's size (benchmarks/llama.py), 4x4096, FP32 weights: seconds from prec.compile to the end of the
           first step, cold and from the cache; milliseconds a step; memory beside the module's own
  lora     Llama 3 8B, r = 16 on all linear layers, base in BF16 with copies in FP8, packed 1x8192: tokens a second
  sft      a Llama of 0.36B, 300 steps of 16 rows as long as in Alpaca, padded to the longest, compilation counted:
           prec.compile and torch.compile(dynamic=True) in BF16
  sft:prec, sft:prec-fp8, sft:torch, sft:torch-static   one of them

Each runs in a process of its own and prints a line of JSON. benchmarks/torch_step.py has the opponents of `first`
(1b_hf): run both in one go on one card.
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
import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
WARM, STEPS = 4, 24
SFT_ROWS, SFT_STEPS = 16, 300


def llama(layers, width, heads, kv_heads, hidden, vocabulary, positions, dtype=torch.float32, tied=True):
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(vocab_size=vocabulary, hidden_size=width, intermediate_size=hidden, num_hidden_layers=layers,
                         num_attention_heads=heads, num_key_value_heads=kv_heads, max_position_embeddings=positions, rms_norm_eps=1e-5,
                         tie_word_embeddings=tied, use_cache=False)
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        torch.manual_seed(0)
        with torch.device("cuda"):
            return LlamaForCausalLM(config)
    finally:
        torch.set_default_dtype(before)


def timed(step, batch):
    """Milliseconds of a step, by events: the median. Those of the host alone, the mean."""
    for _ in range(WARM):
        step(batch())
    torch.cuda.synchronize()
    times, begin = [], time.perf_counter()
    for _ in range(STEPS):
        start, end = torch.cuda.Event(True), torch.cuda.Event(True)
        start.record()
        step(batch())
        end.record()
        times.append((start, end))
    host = (time.perf_counter() - begin) / STEPS
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in times), host * 1e3


def first(cache, recipe="fp8-hybrid", delayed=True):
    import prec

    sys.path.insert(0, str(ROOT / "benchmarks"))
    from llama import CFG

    layers, width, heads, kv_heads, hidden, vocabulary, rows, length = CFG["1b"]
    model = llama(layers, width, heads, kv_heads, hidden, vocabulary, length)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.randint(0, vocabulary, (rows, length), device="cuda")
    batch = {"input_ids": ids, "labels": ids}
    torch.cuda.synchronize()
    parameters = sum(p.numel() for p in model.parameters()) * 4
    before, begin = torch.cuda.memory_allocated(), time.perf_counter()
    step = prec.compile(model, optimizer, batch, recipe=recipe, cache=cache, clip_grad_norm=1.0,
                        compiler_options=["--assign=tensor-scaling=delayed"] if delayed else ())
    step(batch).item()
    seconds = time.perf_counter() - begin
    used, module = torch.cuda.memory_allocated() - before + parameters, step.memory()["total"]
    ms, host = timed(step, lambda: batch)
    reached = torch.cuda.max_memory_allocated()
    return {"recipe": recipe, "delayed": delayed, "seconds to the first step": round(seconds, 1), "ms": round(ms, 1),
            "host ms": round(host, 3),
            "tokens/s": round(rows * length / ms * 1e3), "GiB of the module": round(module / 2**30, 2),
            "GiB of PyTorch's allocator": round(used / 2**30, 2), "GiB at most": round(reached / 2**30, 2)}


def lora(cache, max_memory=None):
    import peft

    import prec

    model = llama(32, 4096, 32, 8, 14336, 128256, 8192, torch.bfloat16, tied=False)
    model = peft.get_peft_model(model, peft.LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM"))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-4)
    ids = torch.randint(0, 128256, (1, 8192), device="cuda")
    batch = {"input_ids": ids, "labels": ids}
    begin = time.perf_counter()
    step = prec.compile(model, optimizer, batch, recipe="fp8-hybrid", cache=cache, clip_grad_norm=1.0, max_memory=max_memory,
                        compiler_options=["--assign=tensor-scaling=delayed"])
    loss = step(batch).item()
    seconds = time.perf_counter() - begin
    ms, _ = timed(step, lambda: batch)
    return {"seconds to the first step": round(seconds, 1), "loss": round(loss, 3), "ms": round(ms, 1), "tokens/s": round(8192 / ms * 1e3),
            "GiB of the module": round(step.memory()["total"] / 2**30, 2), "GiB at most": round(torch.cuda.max_memory_allocated() / 2**30, 2)}


def sft_batches(vocabulary, steps):
    """Lengths as of Alpaca's examples: most of about a hundred tokens, a few of several hundred."""
    numbers = np.random.default_rng(0)
    for _ in range(steps):
        lengths = np.clip(numbers.lognormal(np.log(95), 0.7, SFT_ROWS).astype(int), 16, 1024)
        longest = int(lengths.max())
        ids = torch.from_numpy(numbers.integers(0, vocabulary, (SFT_ROWS, longest)))
        mask = torch.arange(longest) < torch.from_numpy(lengths)[:, None]
        yield {"input_ids": ids.where(mask, 0).cuda(), "attention_mask": mask.long().cuda(), "labels": ids.where(mask, -100).cuda()}


def sft(cache, how):
    vocabulary = 49152
    model = llama(32, 960, 15, 5, 2560, vocabulary, 2048)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.0, fused=how.startswith("torch"))
    batches = list(sft_batches(vocabulary, SFT_STEPS))
    torch.cuda.synchronize()
    begin, times = time.perf_counter(), []
    if how.startswith("prec"):
        import prec

        recipe = "fp8-hybrid" if how == "prec-fp8" else "bf16"
        step = prec.compile(model, optimizer, batches[0], recipe=recipe, cache=cache, clip_grad_norm=1.0)
    else:
        compiled = torch.compile(model, dynamic=how == "torch" or None)

        def step(batch):
            with torch.autocast("cuda", torch.bfloat16):
                loss = compiled(**batch).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            return loss.detach()

    for batch in batches:
        loss = step(batch)
        torch.cuda.synchronize()
        times.append(time.perf_counter())
    seconds = times[-1] - begin
    rest = [b - a for a, b in zip(times[len(times) // 2:], times[len(times) // 2 + 1:])]
    tokens = sum(int(batch["attention_mask"].sum()) for batch in batches)
    found = {"how": how, "seconds of all": round(seconds, 1), "ms of a step behind the middle": round(statistics.median(rest) * 1e3, 1),
             "loss": round(loss.item(), 3), "tokens/s": round(tokens / seconds)}
    if how.startswith("prec"):
        found |= {"lengths": list(step.lengths), "padding": round(step.padding, 3)}
    return found


RUNS = {"first": first, "first:bf16": lambda cache: first(cache, "bf16", False), "lora": lora, "lora:72": lambda cache: lora(cache, "72GiB"),
        **{f"sft:{how}": (lambda cache, how=how: sft(cache, how)) for how in ("prec", "prec-fp8", "torch", "torch-static")}}
GROUPS = {"first": ("first", "first"), "sft": ("sft:prec", "sft:prec-fp8", "sft:torch")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--cache", default=None, help="of compiled steps: an empty folder for each of WHAT by default")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        (name,) = arguments.what
        print(json.dumps({"run": name, "card": torch.cuda.get_device_name(), **RUNS[name](arguments.cache)}), flush=True)
        return 0
    failed = 0
    for what in arguments.what:
        with tempfile.TemporaryDirectory() as folder:
            for name in GROUPS.get(what, (what,)):
                command = [sys.executable, __file__, "--here", name, "--cache", arguments.cache or folder]
                done = subprocess.run(command, capture_output=True, text=True)
                failed += done.returncode != 0
                print(done.stdout.strip() or f"{name} failed: " + " | ".join(done.stderr.strip().splitlines()[-6:]), flush=True)
                if arguments.json and done.returncode == 0:
                    with arguments.json.open("a") as file:
                        file.write(done.stdout)
    return failed


if __name__ == "__main__":
    sys.exit(main())
