# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a graph says that a batch may be completed with rows of ignored labels; PyTorch's losses of the batch and of
the completed batch are the oracle."""
import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F

import prec

ROWS, GIVEN, LENGTH, VOCABULARY, WIDTH = 4, 3, 6, 20, 8
IGNORED = -100


def mean(logits, labels):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1), ignore_index=IGNORED)


class Model(nn.Module):
    def __init__(self, loss):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.linear, self.head = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, VOCABULARY)
        self.query, self.gate, self.loss = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1), loss

    def attend(self, x):
        """Of [B,S,D]."""
        q, k, v = (t.unflatten(-1, (2, -1)).transpose(1, 2) for t in (self.query(x), x, self.linear(x)))
        return x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(-2)

    def forward(self, ids, labels):
        return self.loss(self, self.attend(self.embed(ids)), labels)


def plain(m, h, y):
    return mean(m.head(h), y)


def shifted_and_scaled(m, h, y):
    return 0.5 * mean(m.head(h)[:, :-1], y[:, 1:]) + 0.1 * mean(m.head(h)[:, :-2], y[:, 2:]) + 1e-3 * m.head.weight.square().sum()


def of_a_function(m, h, y):
    return mean(m.head(h), y).exp() + torch.stack([mean(m.head(h), y), mean(h @ m.embed.weight.T, y)]).mean()


def padded_labels(m, h, y):
    return mean(m.head(h), F.pad(y, (0, 1), value=IGNORED)[:, 1:])


def pooled_over_the_sequence(m, h, y):
    return mean(m.head(h.mean(1)), y[:, -1])


def bidirectional(m, h, y):
    return mean(m.head((h @ h.transpose(1, 2)).softmax(-1) @ h), y)


def normed(m, h, y):
    return mean(m.head(F.layer_norm(F.rms_norm(h, (WIDTH,)), (WIDTH,))), y)


def flattened(m, h, y):
    return mean(m.head(torch.tanh(m.linear(h.flatten(0, 1)))).unflatten(0, (ROWS, -1)), y)


def time_first(m, h, y):
    return mean(m.head(h.transpose(0, 1)), y.T)


def masked_labels(m, h, y):
    return mean(m.head(h), torch.where(y == 3, IGNORED, y))


def reversed_rows(m, h, y):
    def order(t):
        return torch.cat([t[i:i + 1] for i in reversed(range(ROWS))])
    return mean(m.head(order(h)), order(y))


SOUND = [plain, shifted_and_scaled, of_a_function, padded_labels, pooled_over_the_sequence, bidirectional, normed, flattened, time_first,
         masked_labels]


def batch_mean(m, h, y):
    return mean(m.head(h - h.mean(0, keepdim=True)), y)


def batch_norm(m, h, y):
    x = h.flatten(0, 1)
    return mean(m.head((x - x.mean(0)) * torch.rsqrt(x.square().mean(0) + 1e-5)), y)


def computed_labels(m, h, y):
    return mean(m.head(h), y + 1)


def in_batch(m, h, y):
    """The classes are the rows, as CLIP has it."""
    x = h.mean(1)
    return F.cross_entropy(x @ m.linear(x).T, y[:, 0], ignore_index=IGNORED)


def attention_over_rows(m, h, y):
    return mean(m.head(m.attend(h.transpose(0, 1)).transpose(0, 1)), y)


def rolled_rows(m, h, y):
    return mean(m.head(torch.cat([h[1:], h[:1]])), y)


def labels_of_other_rows(m, h, y):
    return mean(m.head(h), torch.cat([y[1:], y[:1]]))


def difference_of_rows(m, h, y):
    return mean(m.head(h - torch.cat([h[1:], h[:1]])), y)


def split_rows(m, h, y):
    """Statistics of groups of rows, as ghost batch norm has them."""
    groups = h.unflatten(0, (2, ROWS // 2))
    return mean(m.head((groups - groups.mean(1, keepdim=True)).flatten(0, 1)), y)


def square_error_beside(m, h, y):
    return mean(m.head(h), y) + m.gate(h).square().mean()


def router_loss_beside(m, h, y):
    return mean(m.head(h), y) + m.head(h).softmax(-1).mean((0, 1)).square().sum()


def number_of_labels(m, h, y):
    """The sum over rows instead of the mean."""
    return mean(m.head(h), y) * (y != IGNORED).float().sum()


def constant_label(m, h, y):
    return mean(m.head(h), F.pad(y, (0, 1), value=0)[:, 1:])


def labels_without_ignored(m, h, y):
    return mean(m.head(h), torch.where(y == IGNORED, 0, y))


def no_cross_entropy(m, h, y):
    return m.gate(h).square().mean()


def scaled_by_the_largest(m, h, y):
    return mean(m.head(h / h.abs().amax()), y)


UNSOUND = [
    (batch_mean, "rows of the batch mix before the logits"), (batch_norm, "rows of the batch mix"), (in_batch, "rows of the batch mix"),
    (attention_over_rows, "rows of the batch mix before the logits of Model: by prec_train.attention"),
    (rolled_rows, "rows of the batch mix"), (labels_of_other_rows, "pairs logits of one row of the batch with labels of another"),
    (difference_of_rows, "rows of the batch mix"), (split_rows, "rows of the batch mix"), (scaled_by_the_largest, "rows of the batch mix"),
    (square_error_beside, "beside cross entropies the loss reads 'ids'"), (router_loss_beside, "beside cross entropies the loss reads 'ids'"),
    (number_of_labels, "beside cross entropies the loss reads 'labels'"), (constant_label, "some are the constant 0"),
    (labels_without_ignored, "some are the constant 0"), (no_cross_entropy, "the loss reads 'ids'"), (computed_labels, "they are computed"),
]


def inputs():
    generator = torch.Generator().manual_seed(1)
    ids, labels = (torch.randint(0, VOCABULARY, (ROWS, LENGTH), generator=generator) for _ in "ab")
    return ids, labels


def padding(loss):
    model, (ids, labels) = Model(loss), inputs()
    return prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"ids": ids, "labels": labels}, verify=False).graph.padding


def losses(loss):
    """PyTorch's of fewer rows, and of them completed."""
    model, (ids, labels) = Model(loss), inputs()
    labels = labels.remainder(GIVEN) if loss is in_batch else labels
    filled = [torch.cat([t[:GIVEN], torch.full((ROWS - GIVEN, LENGTH), value)]) for t, value in ((ids, 0), (labels, IGNORED))]
    return [float(model(*batch).detach()) for batch in ((ids[:GIVEN], labels[:GIVEN]), filled)]


@pytest.mark.parametrize("loss", SOUND)
def test_rows_that_are_ignored_change_nothing(loss):
    assert padding(loss) is True
    if loss is not flattened:  # Its shapes are those of the whole batch.
        smaller, completed = losses(loss)
        assert completed == pytest.approx(smaller, rel=1e-6)


@pytest.mark.parametrize("loss, why", UNSOUND)
def test_rows_that_would_change_the_loss(loss, why):
    assert why in padding(loss)


@pytest.mark.parametrize("loss", [batch_mean, batch_norm, difference_of_rows, square_error_beside, router_loss_beside, in_batch])
def test_the_losses_of_what_is_refused_differ(loss):
    smaller, completed = losses(loss)
    assert completed != pytest.approx(smaller, rel=1e-6)


def test_labels_that_index_a_table():
    class OneArgument(Model):
        def forward(self, ids):
            return super().forward(ids, ids)
    model = OneArgument(plain)
    why = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"ids": inputs()[0]}, verify=False).graph.padding
    assert "'ids' also indexes a table" in why


def test_inputs_of_other_numbers_of_rows():
    class Positions(Model):
        def forward(self, ids, positions, labels):
            return self.loss(self, self.attend(self.embed(ids) + self.embed(positions)), labels)
    model, (ids, labels) = Positions(plain), inputs()
    batch = {"ids": ids, "positions": ids[:1], "labels": labels}
    why = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), batch, verify=False).graph.padding
    assert why == "inputs have different numbers of rows: 1 of 'positions', 4 of 'labels'"


def test_two_ignored_labels_of_one_argument():
    def loss(m, h, y):
        return plain(m, h, y) + F.cross_entropy(m.head(h).flatten(0, 1), y.flatten(), ignore_index=-1)
    assert "also read by a cross entropy that ignores -1, not -100" in padding(loss)


@pytest.mark.parametrize("loss, text", [(plain, "prec_train.padding = true"), (batch_mean, 'prec_train.padding = "rows of the batch mix')])
def test_the_finding_is_part_of_the_text(loss, text):
    model, (ids, labels) = Model(loss), inputs()
    step = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"ids": ids, "labels": labels})
    assert text in step.mlir.splitlines()[0]
