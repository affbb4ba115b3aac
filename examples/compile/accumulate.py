# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop with accumulation and a cosine schedule of transformers; `--prec` trains by a compiled step."""
import argparse

import torch
import transformers
from loop import GPT, get_batch


def train(use_prec, steps, recipe="fp32", micro_batches=3, **options):
    torch.manual_seed(0)
    model = GPT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = transformers.get_cosine_schedule_with_warmup(optimizer, 5, steps)
    generator, losses = torch.Generator().manual_seed(1), []
    if use_prec:
        import prec
        step = prec.compile(model, optimizer, get_batch(torch.Generator()), recipe=recipe, accumulate=True, **options)
    for _ in range(steps):
        batches = [get_batch(generator) for _ in range(micro_batches)]
        for i, batch in enumerate(batches):
            batch["targets"][:, :2 * i] = -100
        count = sum((batch["targets"] != -100).sum() for batch in batches)
        if use_prec:
            for batch in batches:
                step.accumulate(batch)
            losses.append(step.apply().item())
        else:
            total = 0.0
            for batch in batches:
                loss = model(**batch) * (batch["targets"] != -100).sum() / count
                loss.backward()
                total += loss.item()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(total)
        scheduler.step()
    return model, losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prec", action="store_true", help="train by a compiled step")
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    print(*(f"{i} {loss:.6f}" for i, loss in enumerate(train(arguments.prec, arguments.steps)[1])), sep="\n")
