# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The baseline of several GPUs: a Llama-style step with PyTorch's FSDP2, compiled, in BF16 or torchao's float8.

usage: torchrun --nproc-per-node=2 benchmarks/fsdp_step.py --size 1b --runs keep:fp8,reshard:fp8,keep:bf16

Each run is HOW:MODE[:ATTENTION]
  HOW        keep       weights of a layer stay gathered from forward to backward (reshard_after_forward=False)
             reshard    they are gathered again for the backward
  MODE       bf16       weights gathered in BF16
             fp8        torchao's tensorwise recipe on every linear but the head, weights gathered in FP8, the scales of all
                        of them computed at once behind the optimizer, as torchtitan does
             fp8_bf16   the same, weights gathered in BF16
  ATTENTION  cudnn, flash or mem_efficient: the only kernels of SDPA; by default PyTorch chooses

Masters and moments are in FP32 and in shards, gradients are reduced in BF16 (--reduce float32: in FP32), AdamW is
fused, the norm is clipped at 1.0. Each layer is compiled by itself, and so is what is behind the layers. Rank 0 prints
one JSON line a run: median ms a step, tokens a second of a GPU, the memory that PyTorch took at most, the loss.
"""

import argparse
import contextlib
import json
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.attention import SDPBackend, sdpa_kernel

from llama import CFG, Llama

SIZES = CFG | {"8b": (32, 4096, 32, 8, 14336, 128256, 2, 4096)}
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION, "mem_efficient": SDPBackend.EFFICIENT_ATTENTION}


def loss_behind_layers(x, norm, table, targets):
    x = F.rms_norm(x, (x.shape[-1],), norm.to(x.dtype), 1e-5)
    logits = F.linear(x, table.to(torch.bfloat16))
    return F.cross_entropy(logits.view(-1, logits.shape[-1]).float(), targets.view(-1))


class Sharded(Llama):
    def forward(s, idx, tgt):
        x = F.embedding(idx, s.emb.weight.to(torch.bfloat16))
        c, sn = s.rc[: idx.shape[1]], s.rs[: idx.shape[1]]
        for b in s.blocks:
            x = b(x, c, sn)
        return s.behind(x, s.nf, s.emb.weight, tgt)


def build(sizes, how, mode, reduce):
    layers, d, heads, kv, ff, vocabulary = sizes
    with torch.device("meta"):
        model = Sharded(layers, d, heads, kv, ff, vocabulary)
    for block in model.blocks:
        for name in ("qkv", "o", "gu", "dn"):
            getattr(block, name).__class__ = nn.Linear
    if mode.startswith("fp8"):
        from torchao.float8 import Float8LinearConfig, convert_to_float8_training

        convert_to_float8_training(model, config=Float8LinearConfig(enable_fsdp_float8_all_gather=mode == "fp8"))
    model.behind = torch.compile(loss_behind_layers, dynamic=False)
    # Rotary tables are arguments of the layers, and stay in FP32.
    options = {"mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=getattr(torch, reduce), cast_forward_inputs=False)}
    for block in model.blocks:
        block.compile(dynamic=False)
        fully_shard(block, reshard_after_forward=how == "reshard", **options)
    fully_shard(model, reshard_after_forward=False, **options)
    model.to_empty(device="cuda")
    with torch.no_grad():
        for p in model.parameters():
            p.normal_(std=0.02) if p.dim() == 2 else p.fill_(1.0)
        table = torch.outer(torch.arange(8192).float(), 1.0 / (500000 ** (torch.arange(0, d // heads, 2).float() / (d // heads))))
        model.rc.copy_(table.cos())
        model.rs.copy_(table.sin())
    return model


def run(name, a):
    how, mode, *rest = name.split(":")
    if how not in ("keep", "reshard") or mode not in ("bf16", "fp8", "fp8_bf16") or len(rest) > 1 or any(one not in BACKENDS for one in rest):
        raise SystemExit(f"a run must be HOW:MODE[:ATTENTION], but got {name}")
    sizes, batch, length = list(SIZES[a.size][:6]), a.batch or SIZES[a.size][6], a.sequence or SIZES[a.size][7]
    sizes[0] = a.layers or sizes[0]
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = build(sizes, how, mode, a.reduce)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    vocabulary = sizes[5]
    idx, tgt = (torch.randint(0, vocabulary, (batch, length), device="cuda") for _ in range(2))

    def step():
        idx.random_(0, vocabulary)
        tgt.random_(0, vocabulary)
        with sdpa_kernel(BACKENDS[rest[0]]) if rest else contextlib.nullcontext():
            loss = model(idx, tgt)
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if mode == "fp8":
            from torchao.float8 import precompute_float8_dynamic_scale_for_fsdp

            precompute_float8_dynamic_scale_for_fsdp(model)
        return loss

    for _ in range(4):
        loss = step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(a.steps):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        loss = step()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    ms = sorted(times)[len(times) // 2]
    if torch.distributed.get_rank() == 0:
        print(json.dumps({"run": name, "size": a.size, "layers": sizes[0], "batch": batch, "sequence": length, "ms": round(ms, 2),
                          "tokens/s a GPU": round(batch * length / ms * 1e3), "GiB at most": round(torch.cuda.max_memory_allocated() / 2**30, 1),
                          "loss": round(loss.item(), 3)}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="1b")
    parser.add_argument("--runs", default="keep:fp8,reshard:fp8,keep:bf16")
    parser.add_argument("--layers", type=int)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--sequence", type=int)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--reduce", choices=("bfloat16", "float32"), default="bfloat16")
    a = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.distributed.init_process_group("nccl")
    for name in a.runs.split(","):
        failed = None
        try:
            run(name, a)
        except torch.OutOfMemoryError as error:
            failed = str(error).splitlines()[0]
        if failed and torch.distributed.get_rank() == 0:
            print(json.dumps({"run": name, "size": a.size, "failed": failed}), flush=True)
        torch.cuda.empty_cache()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
