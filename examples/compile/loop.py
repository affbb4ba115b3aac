# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop as nanoGPT has it. `loop.py` trains with PyTorch, `loop.py --prec` by a compiled step: two lines of the
loop."""
import argparse
import math

import torch
import torch.nn.functional as F


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.proj = torch.nn.Linear(width, 3 * width, bias=False), torch.nn.Linear(width, width)
        self.mlp = torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width))

    def forward(self, x):
        rows, length, width = x.shape
        q, k, v = (t.view(rows, length, self.heads, -1).transpose(1, 2) for t in self.qkv(self.ln_1(x)).split(width, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(rows, length, width))
        return x + self.mlp(self.ln_2(x))


class GPT(torch.nn.Module):
    def __init__(self, vocabulary=64, length=16, width=32, heads=2, layers=2):
        super().__init__()
        self.wte, self.wpe = torch.nn.Embedding(vocabulary, width), torch.nn.Embedding(length, width)
        self.blocks = torch.nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.wte.weight
        for name, p in self.named_parameters():
            if p.dim() == 2:
                torch.nn.init.normal_(p, std=0.02 / (math.sqrt(2 * layers) if name.endswith("proj.weight") else 1))

    def forward(self, idx, targets):
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1], device=idx.device))
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(self.ln_f(x)).flatten(0, 1), targets.flatten())


def get_batch(generator, rows=4, length=16, vocabulary=64):
    walk = torch.randint(-2, 3, (rows, length + 1), generator=generator).cumsum(1) % vocabulary
    return {"idx": walk[:, :-1].contiguous(), "targets": walk[:, 1:].contiguous()}


def train(use_prec, steps, recipe="fp32", **options):
    torch.manual_seed(0)
    model = GPT()
    decay = [p for p in model.parameters() if p.dim() >= 2]
    other = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": other, "weight_decay": 0.0}], lr=1e-3, betas=(0.9, 0.95))
    generator, losses = torch.Generator().manual_seed(1), []
    if use_prec:
        import prec
        step = prec.compile(model, optimizer, get_batch(torch.Generator()), recipe=recipe, clip_grad_norm=1.0, **options)
    for i in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * min(1.0, (i + 1) / 10) * (0.55 + 0.45 * math.cos(math.pi * i / steps))
        batch = get_batch(generator)
        if use_prec:
            loss = step(batch)
        else:
            loss = model(**batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    return model, losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prec", action="store_true", help="train by a compiled step")
    parser.add_argument("--recipe", default="fp32", help="formats of the compiled step")
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    print(*(f"{i} {loss:.6f}" for i, loss in enumerate(train(arguments.prec, arguments.steps, arguments.recipe)[1])), sep="\n")
