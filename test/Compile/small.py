# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that import and compile in a second, their batches, and PyTorch's own loop."""
import torch
import torch.nn.functional as F

VOCABULARY, WIDTH, ROWS, LENGTH = 32, 16, 4, 8


class Bigram(torch.nn.Module):
    """A language model of one token: an embedding, a hidden layer, a tied or an own head; its loss ignores -100."""

    def __init__(self, tied=False, norm=False, dropout=0.0):
        super().__init__()
        self.embed = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.hidden = torch.nn.Linear(WIDTH, WIDTH)
        self.norm = torch.nn.LayerNorm(WIDTH) if norm else torch.nn.Identity()
        self.dropout = torch.nn.Dropout(dropout)
        self.head = torch.nn.Linear(WIDTH, VOCABULARY, bias=False)
        if tied:
            self.head.weight = self.embed.weight

    def forward(self, ids, labels):
        x = self.dropout(self.norm(torch.tanh(self.hidden(self.embed(ids)))))
        return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


class Normed(torch.nn.Module):
    """Batch norm, whose running statistics are trained state."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(WIDTH, WIDTH, bias=False)
        self.norm = torch.nn.BatchNorm1d(WIDTH)
        self.last = torch.nn.Linear(WIDTH, 1)

    def forward(self, x, y):
        return F.mse_loss(self.last(self.norm(self.first(x))), y)


def make(kind=Bigram, seed=0, **options):
    torch.manual_seed(seed)
    return kind(**options)


def tokens(count, rows=ROWS, length=LENGTH, seed=1, ignored=0):
    """Batches of a language model. The first `ignored` labels of each row do not count."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        ids = torch.randint(0, VOCABULARY, (rows, length), generator=generator)
        labels = (ids * 3 + 1) % VOCABULARY
        labels[:, :ignored] = -100
        yield {"ids": ids, "labels": labels}


def numbers(count, seed=1):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        x = torch.randn(ROWS * 4, WIDTH, generator=generator)
        yield {"x": x, "y": x[:, :1] * 2 + 1}


def adamw(model, **options):
    return torch.optim.AdamW(model.parameters(), **{"lr": 1e-2, "weight_decay": 0.1} | options)


def eager(model, optimizer, batch, clip=None):
    """One step of PyTorch's; its loss."""
    loss = model(**batch)
    loss.backward()
    if clip is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach()


def assert_same_weights(a, b, **tolerance):
    for (name, x), (_, y) in zip(a.state_dict().items(), b.state_dict().items(), strict=True):
        torch.testing.assert_close(x, y, msg=lambda text, name=name: f"{name}: {text}", **({"rtol": 2e-5, "atol": 2e-6} | tolerance))
