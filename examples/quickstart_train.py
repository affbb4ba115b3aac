# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training in Python: what a script of one's own does with prec. The quickstart does it first."""
import itertools
import math
import time

import torch


def train(step, optimizer, data, heldout, rows, steps, warmup=20):
    """Trains for so many steps, on batches of so many rows of a prec.TokenDataset; returns losses, one dictionary a
    line as prec-run writes them."""
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: factor(done + 1, min(warmup, steps), steps))
    lines = [{"step": 0, "eval_loss": evaluate(step, heldout, rows)}]
    begin = time.monotonic()
    for number, batch in enumerate(itertools.islice(data.batches(rows), steps), 1):
        loss = step(batch)
        scheduler.step()
        lines.append({"step": number, "loss": loss.item(), "tokens_per_second": number * rows * data.length / (time.monotonic() - begin)})
        if number % 40 == 0 or number == steps:
            print(f"step {number}/{steps}  loss {lines[-1]['loss']:.4f}  {lines[-1]['tokens_per_second']:.0f} tokens/s", flush=True)
    lines.append({"step": steps, "eval_loss": evaluate(step, heldout, rows)})
    return lines


def evaluate(step, heldout, rows, batches=8):
    """The mean loss of the first batches, in the step's formats."""
    heldout.position = 0
    losses = [step.eval(batch).item() for batch in itertools.islice(heldout.batches(rows), batches)]
    return sum(losses) / len(losses)


def factor(step, warmup, steps):
    """Of the learning rate: a linear rise, and then a cosine to zero in the last step."""
    if step <= warmup:
        return step / warmup
    return 0.5 * (1 + math.cos(math.pi * min(1, (step - warmup) / max(1, steps - warmup))))
