# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop of accelerate, with accumulation, clipping and a schedule; `--prec` trains by a compiled step: three lines."""
import argparse

import torch
from accelerate import Accelerator
from loop import GPT, get_batch


def train(use_prec, steps, recipe="fp32", micro_batches=2, **options):
    torch.manual_seed(0)
    accelerator = Accelerator(gradient_accumulation_steps=micro_batches, cpu=not torch.cuda.is_available())
    model = GPT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    generator, losses, total = torch.Generator().manual_seed(1), [], 0.0
    batches = torch.utils.data.DataLoader([get_batch(generator) for _ in range(micro_batches * steps)], batch_size=None)
    model, optimizer, batches, scheduler = accelerator.prepare(model, optimizer, batches, scheduler)
    if use_prec:
        import prec
        step = prec.compile(model, optimizer, get_batch(torch.Generator()), recipe=recipe, accumulate=True, clip_grad_norm=1.0, **options)
    for batch in batches:
        with accelerator.accumulate(model):
            if use_prec:
                loss = step.accumulate(batch)
                if accelerator.sync_gradients:
                    step.apply()
            else:
                loss = model(**batch)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        total += loss.item() / micro_batches
        if accelerator.sync_gradients:
            losses.append(total)
            total = 0.0
    return accelerator.unwrap_model(model), losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prec", action="store_true", help="train by a compiled step")
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    print(*(f"{i} {loss:.6f}" for i, loss in enumerate(train(arguments.prec, arguments.steps)[1])), sep="\n")
