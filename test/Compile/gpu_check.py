# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks prec.compile on a GPU: python test/Compile/gpu_check.py [--big]. Prints a line for each property, "pass" or
"fail" with what was seen; the exit code is the number of failures.

It needs a GPU with compute capability 9.0 (or another that the compiler has), PyTorch built for CUDA, transformers,
prec-compile and prec-opt (with ptxas beside them or on the path), and libprec-rt.so built with PREC_RT_CUDA=ON;
cuBLASLt and cuDNN of PyTorch's own nvidia packages are found by themselves. --big trains a Llama of 124 million
parameters.
"""
import argparse
import gc
import pathlib
import sys
import tempfile
import time
import traceback

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples" / "compile"), str(ROOT / "test" / "Compile")]

import small  # noqa: E402
import transformers  # noqa: E402
from loop import GPT, get_batch  # noqa: E402

import prec  # noqa: E402

CHECKS = []
CACHE = tempfile.mkdtemp(prefix="prec-gpu-check-")


def check(function):
    CHECKS.append(function)
    return function


def expect(condition, seen):
    if not condition:
        raise AssertionError(seen)


def gpu_batch(generator, where="cuda"):
    return {name: t.to(where) for name, t in get_batch(generator).items()}


def build(recipe="fp32", dtype=torch.float32, **options):
    torch.manual_seed(0)
    model = GPT().cuda().to(dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    step = prec.compile(model, optimizer, gpu_batch(torch.Generator()), recipe=recipe, cache=CACHE, clip_grad_norm=1.0, **options)
    return model, optimizer, step


@check
def losses_follow_pytorch():
    """50 steps in fp32 within 1e-3 of eager PyTorch (TF32 off), on a GPU batch and a CPU batch in turns."""
    torch.manual_seed(0)
    eager = GPT().cuda()
    optimizer = torch.optim.AdamW(eager.parameters(), lr=1e-3)
    model, _, step = build()
    a, b = torch.Generator().manual_seed(1), torch.Generator().manual_seed(1)
    worst = 0.0
    for i in range(50):
        expected = small.eager(eager, optimizer, gpu_batch(a), clip=1.0).item()
        loss = step(gpu_batch(b, "cuda" if i % 2 else "cpu"))
        expect(loss.is_cuda and loss.dim() == 0 and not loss.requires_grad, loss)
        worst = max(worst, abs(loss.item() - expected) / expected)
    expect(worst < 1e-3, f"worst relative difference {worst:.2e}")
    return f"worst relative difference {worst:.1e}"


@check
def loss_is_ready_without_synchronizing():
    """Many steps are put on the GPU without waiting; the host is ahead of it."""
    model, _, step = build("bf16")
    batch = gpu_batch(torch.Generator())
    for _ in range(3):
        step(batch)
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        start = time.perf_counter()
        losses = [step(batch) for _ in range(50)]
        ahead = time.perf_counter() - start
    finally:
        torch.cuda.set_sync_debug_mode("default")
    torch.cuda.synchronize()
    total = time.perf_counter() - start
    values = [loss.item() for loss in losses]
    expect(values[-1] < values[0] and len(set(values)) > 40, values[:5])
    return f"{ahead / 50 * 1e3:.3f} ms of the host a step, {total / 50 * 1e3:.3f} ms with the GPU"


@check
def host_batches_do_not_synchronize():
    model, _, step = build("bf16")
    generator = torch.Generator()
    for _ in range(3):
        step(get_batch(generator))
    torch.cuda.set_sync_debug_mode("warn")
    import warnings
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(5):
                step(get_batch(generator))
    finally:
        torch.cuda.set_sync_debug_mode("default")
    expect(not [w for w in caught if "synchroniz" in str(w.message)], [str(w.message) for w in caught][:2])


@check
def weights_are_views_and_eager_sees_them():
    model, _, step = build()
    batch = gpu_batch(torch.Generator())
    step(batch)
    with torch.no_grad():
        eager, compiled = model(**batch).item(), step.eval(batch).item()
    expect(abs(eager - compiled) < 1e-3 * eager, (eager, compiled))
    with torch.no_grad():
        model.head.weight.zero_()
    expect(abs(step(batch).item() - torch.tensor(64.0).log().item()) < 1e-3, "a zeroed head must give log(64)")


@check
def memory_is_counted_once():
    """PyTorch's allocator has what the module has; closing gives it back."""
    gc.collect()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    model, optimizer, step = build()
    step(gpu_batch(torch.Generator()))
    torch.cuda.synchronize()
    used, said = torch.cuda.memory_allocated() - before, step.memory()["total"]
    own = sum(p.numel() * 4 for p in model.parameters())
    step.close()
    del step, model, optimizer
    gc.collect()
    left = torch.cuda.memory_allocated() - before
    expect(used < said * 1.1 + (64 << 20) and left <= 1 << 20, (used, said, left))
    return f"{used >> 10} KiB with the libraries' workspace, {said >> 10} KiB said, {own >> 10} KiB of parameters, {left} bytes left"


@check
def indices_are_checked():
    model, _, step = build()
    bad = get_batch(torch.Generator())
    bad["idx"][0, 0] = 64
    for where, what in (("cpu", "at once"), ("cuda", "later")):
        seen = None
        try:
            step({name: t.to(where) for name, t in bad.items()})
            torch.cuda.synchronize()
            step(gpu_batch(torch.Generator()))
        except prec.errors.BadValue as error:
            seen = str(error)
        expect(seen is not None, f"no error {what}")


@check
def other_streams():
    """A batch that is made on another stream which is current, and weights that are read there."""
    model, _, step = build()
    alone, _, reference = build()
    stream = torch.cuda.Stream()
    for i in range(10):
        generator = torch.Generator().manual_seed(i)
        expected = reference(gpu_batch(generator)).item()
        with torch.cuda.stream(stream):
            slow = torch.randn(4096, 4096, device="cuda") @ torch.randn(4096, 4096, device="cuda")
            batch = {name: t + (slow[0, 0] * 0).long() for name, t in gpu_batch(torch.Generator().manual_seed(i)).items()}
            loss = step(batch)
            total = sum(p.sum() for p in model.parameters())
        expect(loss.item() == expected, (i, loss.item(), expected))
        expect(torch.isfinite(total), total)


@check
def resumed_with_the_same_bits():
    for recipe, dtype in (("fp8-hybrid", torch.float32), ("bf16", torch.bfloat16)):
        model, optimizer, step = build(recipe, dtype)
        batches = [gpu_batch(torch.Generator().manual_seed(i)) for i in range(8)]
        for batch in batches[:4]:
            step(batch)
        states = [{k: v.clone() for k, v in model.state_dict().items()}, optimizer.state_dict(), step.state_dict()]
        file = pathlib.Path(CACHE, "states.pt")
        torch.save(states, file)
        expected = [step(batch).item() for batch in batches[4:]]
        states = torch.load(file)
        model, optimizer, step = build(recipe, dtype)
        model.load_state_dict(states[0])
        optimizer.load_state_dict(states[1])
        step.load_state_dict(states[2])
        got = [step(batch).item() for batch in batches[4:]]
        expect(got == expected, (recipe, got, expected))


@check
def accumulation_and_lengths():
    model, _, step = build(accumulate=True)
    generator = torch.Generator()
    for length in (16, 16, 9, 12):
        micro = [{name: t.cuda() for name, t in get_batch(generator, length=length).items()} for _ in range(2)]
        losses = [step.accumulate(m) for m in micro]
        total = step.apply()
        expect(abs(total.item() - sum(x.item() for x in losses) / 2) < 1e-4, (total, losses))
    return f"lengths {step.lengths}, {step.padding:.1%} completed"


@check
def schedulers_and_states():
    model, optimizer, step = build()
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    for _ in range(3):
        step(gpu_batch(torch.Generator()))
        scheduler.step()
    state = optimizer.state_dict()["state"][0]
    expect(state["step"] == 3 and state["exp_avg"].is_cuda and state["exp_avg"].abs().sum() > 0, state["step"])
    small.eager(model, optimizer, gpu_batch(torch.Generator()))
    expect(torch.isfinite(step(gpu_batch(torch.Generator()))) and step.steps == 5, step.steps)


@check
def trainer():
    from run_clm import train
    _, expected = train(False, 30)
    _, losses = train(True, 30, cache=CACHE)
    worst = max(abs(a - b) / a for a, b in zip(expected, losses))
    expect(worst < 1e-3, worst)
    return f"worst relative difference {worst:.1e}"


def big():
    """A Llama of 124 million parameters, 8x1024: idle time that Python adds to a step."""
    config = transformers.LlamaConfig(vocab_size=50304, hidden_size=768, intermediate_size=2048, num_hidden_layers=12, num_attention_heads=12,
                                      num_key_value_heads=12, tie_word_embeddings=True)
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(config).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1)
    ids = torch.randint(0, 50304, (8, 1024), device="cuda")
    batch = {"input_ids": ids, "labels": ids}
    start = time.perf_counter()
    step = prec.compile(model, optimizer, batch, recipe="fp8-hybrid", cache=CACHE, clip_grad_norm=1.0)
    step(batch).item()
    first = time.perf_counter() - start
    for _ in range(5):
        step(batch)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(50):
        loss = step(batch)
    host = time.perf_counter() - start
    loss.item()
    total = time.perf_counter() - start
    module = step._programs.first.module
    start = time.perf_counter()
    for _ in range(20):
        module.enqueue("step")
    torch.cuda.synchronize()
    bare = (time.perf_counter() - start) / 20
    return (f"{first:.1f} s to the first step; {total / 50 * 1e3:.2f} ms a step, {host / 50 * 1e3:.2f} of the host; "
            f"{bare * 1e3:.2f} ms of the module alone")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--big", action="store_true")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    failures = 0
    for one in [*CHECKS, *([big] if arguments.big else [])]:
        try:
            print(f"pass {one.__name__}: {one() or ''}", flush=True)
        except Exception as error:
            failures += 1
            print(f"fail {one.__name__}: {type(error).__name__}: {error}", flush=True)
            traceback.print_exc(limit=-4)
        gc.collect()
    return failures


if __name__ == "__main__":
    sys.exit(main())
