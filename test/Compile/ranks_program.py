# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank, or a process alone, of test_ranks.py: ranks_program.py FOLDER CASE. Writes what it saw to
FOLDER/CASE.RANK.pt, or says its error in one line, with exit code 3."""
import os
import pathlib
import sys

import torch

import prec

MICRO, STEPS, ROWS = 2, 3, 4
folder, case = pathlib.Path(sys.argv[1]), sys.argv[2]
rank, size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
torch.set_num_threads(1)


class Net(torch.nn.Module):
    """Tied weights, one that may be frozen, a normalisation, and a size that two does not divide."""

    def __init__(self, dropout=0.0, frozen=True):
        super().__init__()
        self.embed = torch.nn.Embedding(16, 8)
        self.inner = torch.nn.Linear(8, 8)
        self.fixed = torch.nn.Linear(8, 8, bias=False)
        self.fixed.weight.requires_grad_(not frozen)
        self.norm = torch.nn.LayerNorm(8)
        self.odd = torch.nn.Linear(8, 3)
        self.back = torch.nn.Linear(3, 8)
        self.drop = torch.nn.Dropout(dropout)
        self.head = torch.nn.Linear(8, 16, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids, labels):
        x = self.embed(ids)
        x = x + self.drop(self.norm(self.fixed(torch.tanh(self.inner(x)))))
        x = x + self.back(torch.relu(self.odd(x)))
        return torch.nn.functional.cross_entropy(self.head(x).flatten(0, 1), labels.flatten(), ignore_index=-100)


class Reader(torch.nn.Module):
    """Learns between layers of a net that another step trains."""

    def __init__(self, net):
        super().__init__()
        self.net, self.own = net, torch.nn.Linear(8, 8)

    def forward(self, ids, labels):
        x = torch.tanh(self.own(self.net.embed(ids)))
        return torch.nn.functional.cross_entropy(self.net.head(x).flatten(0, 1), labels.flatten(), ignore_index=-100)


def batch_of(step, number, rows=ROWS, length=8):
    numbers = torch.Generator().manual_seed(1000 * step + number)
    ids = torch.randint(0, 16, (rows, length), generator=numbers)
    labels = ids.clone()
    labels[0, :number + 1] = -100  # Each batch has another number of labels.
    return {"ids": ids, "labels": labels}


def compiled(seed=0, dropout=0.0, lr=1e-2, **options):
    torch.manual_seed(seed)
    model = Net(dropout, options.get("recipe", "fp32") == "fp32").train()
    optimizer = torch.optim.AdamW([{"params": [p for p in model.parameters() if p.dim() > 1 and p.requires_grad]},
                                   {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0}], lr=lr)
    step = prec.compile(model, optimizer, batch_of(0, 0), target="cpu", accumulate=True, cache=folder / "cache",
                        log=lambda line: logged.append(line), **{"recipe": "fp32", "mesh": "dp", "clip_grad_norm": 1.0, "threads": 1} | options)
    return model, optimizer, step


logged = []


def train(step, first=0, steps=STEPS, of=None):
    """As many micro-batches in all, whoever takes them."""
    of = of or size
    losses = []
    for number in range(first, first + steps):
        if size == 1:
            for part in range(of):
                step.accumulate(batch_of(number, part))
            losses.append(float(step.apply()))
        else:
            losses.append(float(step(batch_of(number, rank))))
    return losses


def whole(model, step):
    state = step.state_dict()
    step.sync()
    return {"model": {k: v.clone() for k, v in model.state_dict().items()}, "states": state["states"]}


def write(**seen):
    torch.save(seen | {"logged": logged}, folder / f"{case}.{rank}.pt")


def main():
    if case.startswith("train"):
        recipe = case.removeprefix("train-")
        model, optimizer, step = compiled(recipe=recipe, dropout=0.25 if recipe == "bf16" else 0.0)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 1 / (n + 1))
        losses = []
        for number in range(STEPS):
            losses += train(step, number, 1, of=MICRO)
            scheduler.step()
        own = float(step.eval(batch_of(9, 0)))
        write(losses=losses, norm=float(step.grad_norm), eval=own, **whole(model, step))
    elif case.startswith("divided"):
        # Ranks along tp take the same batch, and all but them another one.
        mesh = case.removeprefix("divided-") if size > 1 else "dp"
        data = size // 2 if "tp" in mesh else size
        model, optimizer, step = compiled(mesh=mesh)
        if size > 1:
            module = step._ranks.module
            assert [module.batch_owner(one) for one in range(size)] == [one // (size // data) * (size // data) for one in range(size)]
        losses = []
        for number in range(STEPS):
            if size > 1:
                losses.append(float(step(batch_of(number, rank // (size // data)))))
            else:
                for part in range(2 if "dp" in case else 1):
                    step.accumulate(batch_of(number, part))
                losses.append(float(step.apply()))
        own, state = float(step.eval(batch_of(9, 0))), step.state_dict()
        step.sync()
        torch.save({"model": model.state_dict(), "step": state}, folder / f"{case}.{rank}.saved")
        write(losses=losses, eval=own, **whole(model, step))
    elif case == "experts":
        from transformers import MixtralConfig, MixtralForCausalLM
        torch.manual_seed(0)
        model = MixtralForCausalLM(MixtralConfig(
            vocab_size=64, hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
            num_local_experts=4, max_position_embeddings=32)).train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

        def batch(number, part):
            ids = torch.randint(0, 64, (2, 16), generator=torch.Generator().manual_seed(100 * number + part))
            return {"input_ids": ids, "labels": ids}
        step = prec.compile(model, optimizer, batch(0, 0), recipe="fp32", target="cpu", accumulate=True, threads=1, cache=folder / "cache",
                            log=logged.append, mesh="ep=2" if size > 1 else None, compiler_options=["--expert-room=2"] if size > 1 else [])
        losses = []
        for number in range(STEPS):
            if size > 1:
                losses.append(float(step(batch(number, rank))))
            else:
                for part in range(2):
                    step.accumulate(batch(number, part))
                losses.append(float(step.apply()))
        write(losses=losses, **whole(model, step))
    elif case == "other batches":
        _, _, step = compiled(mesh="tp=2")
        step(batch_of(0, rank))
    elif case == "seeds":
        model, _, step = compiled(seed=rank)
        train(step)
        write(**whole(model, step))
    elif case == "resume-first":
        model, _, step = compiled()
        train(step, 0, 2, of=MICRO)
        state = step.state_dict()
        step.sync()
        if rank == 0:
            torch.save({"model": model.state_dict(), "step": state}, folder / "resume.pt")
    elif case == "resume-second":
        model, _, step = compiled(seed=5)
        saved = torch.load(folder / sys.argv[3] if len(sys.argv) > 3 else folder / "resume.pt")
        model.load_state_dict(saved["model"])
        step.load_state_dict(saved["step"])
        losses = train(step, 2, 2, of=MICRO)
        write(losses=losses, steps=step.steps, **whole(model, step))
    elif case == "short":
        model, _, step = compiled()
        losses = [float(step(batch_of(0, rank, rows=ROWS - rank)))] if size > 1 else []
        if size == 1:
            for part in range(MICRO):
                step.accumulate(batch_of(0, part, rows=ROWS - part))
            losses = [float(step.apply())]
        write(losses=losses, **whole(model, step))
    elif case == "lengths":
        _, _, step = compiled()
        losses = [float(step(batch_of(n, rank, length=8 + 4 * rank * n))) for n in range(2)] if size > 1 else []
        if size == 1:
            for n in range(2):
                for part in range(MICRO):
                    step.accumulate(batch_of(n, part, length=8 + 4 * part * n))
                losses.append(float(step.apply()))
        write(losses=losses, lengths=step.lengths)
    elif case == "accumulate":
        model, _, step = compiled()
        for part in range(2):
            step.accumulate(batch_of(0, 2 * part + rank))
        write(losses=[float(step.apply())], **whole(model, step))
    elif case == "beside":
        ranks = prec.connect()
        mesh = ranks if size > 1 else "dp"
        model, _, step = compiled(mesh=mesh)
        reader = Reader(model)
        second = prec.compile(reader, torch.optim.AdamW(reader.own.parameters(), lr=1e-2), batch_of(0, 0), recipe="fp32", target="cpu", threads=1,
                              accumulate=True, cache=folder / "cache", log=logged.append, mesh=mesh)
        losses = []
        for number in range(STEPS):
            losses += train(step, number, 1, of=MICRO) + train(second, number, 1, of=MICRO)
        second.sync()
        write(losses=losses, own={k: v.clone() for k, v in reader.own.state_dict().items()}, **whole(model, step))
        second.close(), step.close()
        ranks.close()
    elif case == "uneven":
        _, _, step = compiled()
        for number in range(2 + rank):
            step(batch_of(number, rank))
        step.sync()
    elif case == "state on rank 0":
        model, _, step = compiled()
        step(batch_of(0, rank))
        if rank == 0:
            model.state_dict()
        step(batch_of(1, rank))
    elif case == "rates":
        _, optimizer, step = compiled()
        optimizer.param_groups[0]["lr"] = 0.1 * (1 + rank)
        step(batch_of(0, rank))
    elif case == "bad batch":
        _, _, step = compiled()
        batch = batch_of(0, rank)
        if rank == 1:
            batch["ids"][0, 0] = 99
        step(batch)
    elif case == "bad name":
        _, _, step = compiled()
        step({"wrong": torch.zeros(1)} if rank == 1 else batch_of(0, 0))
    elif case == "bad option":
        compiled(threads=-1 if rank else 1)
    elif case == "bad model":
        if rank:
            Net.forward = lambda self, ids, labels: self.head(self.embed(ids)).sort()[0].sum() if float(ids.sum()) > 0 else None
        compiled()
    elif case == "other module":
        compiled(lr=1e-2, clip_grad_norm=1.0 if rank else None)
    else:
        raise SystemExit(f"no case {case}")


try:
    main()
except prec.Error as error:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    raise
