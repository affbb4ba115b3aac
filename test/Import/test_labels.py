# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a graph says about ids and labels."""
import pytest
import torch
import torch.nn.functional as F

import prec

BATCH, LENGTH, VOCABULARY, WIDTH = 3, 12, 48, 16


def mean(logits, labels, ignore_index=-100):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1), ignore_index=ignore_index)


class Model(torch.nn.Module):
    """Causal attention, or that of `attend`, between tables; `loss` makes the loss of this model, hidden states and
    labels."""

    def __init__(self, loss, attend=None):
        super().__init__()
        self.embed, self.head, self.second = torch.nn.Embedding(VOCABULARY, WIDTH), *(torch.nn.Linear(WIDTH, VOCABULARY) for _ in "ab")
        self.qkv, self.join = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(2 * WIDTH, WIDTH)
        self.loss, self.attend = loss, attend or causal

    def hidden(self, ids):
        x = self.embed(ids)
        q, k, v = (t.unflatten(-1, (2, -1)).transpose(1, 2) for t in self.qkv(F.layer_norm(x, (WIDTH,))).chunk(3, -1))
        return x + self.attend(q, k, v).transpose(1, 2).flatten(-2)

    def forward(self, ids, labels):
        return self.loss(self, self.hidden(ids), labels)


def causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def bidirectional(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def by_products(q, k, v):
    """Written out as nanoGPT and Hugging Face's eager attention do."""
    scores = (q @ k.transpose(-2, -1)) * q.shape[-1] ** -0.5
    visible = torch.arange(q.shape[2])[:, None] >= torch.arange(k.shape[2])[None, :]
    return F.dropout((scores + torch.where(visible, 0.0, torch.finfo(torch.float32).min)).softmax(-1), 0.1) @ v


def by_filled_products(q, k, v):
    scores = (q @ k.transpose(-2, -1)).masked_fill(torch.arange(q.shape[2])[:, None] < torch.arange(k.shape[2]), float("-inf"))
    return scores.softmax(-1) @ v


def looking_ahead(q, k, v):
    """A mask that lets every token see the next one."""
    scores = (q @ k.transpose(-2, -1)).masked_fill(torch.arange(q.shape[2])[:, None] + 1 < torch.arange(k.shape[2]), float("-inf"))
    return scores.softmax(-1) @ v


def next_token(m, h, labels):
    return mean(m.head(h), labels)


def shifted(m, h, labels):
    return mean(m.head(h)[:, :-1], labels[:, 1:])


def padded_and_cut(m, h, labels):
    """transformers' ForCausalLMLoss."""
    return mean(m.head(h), F.pad(labels, (0, 1), value=-100)[..., 1:])


def rolled(m, h, labels):
    return mean(m.head(h), torch.cat([labels[:, 1:], labels[:, :1]], 1))


def masked_end(m, h, labels):
    """Rolled, and the one that came around is ignored."""
    last = torch.arange(LENGTH)[None, :] == LENGTH - 1
    return mean(m.head(h), torch.where(last, -100, torch.cat([labels[:, 1:], labels[:, :1]], 1)))


def two_heads(m, h, labels):
    return mean(m.head(h)[:, :-1], labels[:, 1:]) + 0.3 * mean(m.second(h)[:, :-2], labels[:, 2:])


def two_heads_turned(m, h, labels):
    return 0.3 * mean(m.second(h)[:, :-2], labels[:, 2:]) + mean(m.head(h)[:, :-1], labels[:, 1:])


def two_heads_of_next_tokens(m, h, labels):
    return mean(m.head(h), labels) + 0.3 * mean(m.second(h)[:, :-1], labels[:, 1:])


def deepseek(m, h, labels):
    """The second head's input joins a hidden state with the embedding of the next token (labels are the ids)."""
    ahead = m.join(torch.cat([h[:, :-1], h[:, 1:]], -1))
    return mean(m.head(h)[:, :-1], labels[:, 1:]) + 0.1 * mean(m.second(ahead)[:, :-1], labels[:, 2:])


def last_only(m, h, labels):
    return mean(m.head(h[:, -1]), labels[:, -1])


def last_but_one(m, h, labels):
    return mean(m.head(h[:, -2]), labels[:, -1])


def stepped(m, h, labels):
    """Every second token."""
    return mean(m.head(h)[:, :-1:2], labels[:, 1::2])


def first_two(m, h, labels):
    return mean(m.head(h)[:, :1], labels[:, 1:2])


def weighted_rows(m, h, labels):
    """Labels that a table of the ids' own ignores."""
    return mean(m.head(h)[:, :-1], torch.where(labels[:, 1:] == 3, -100, labels[:, 1:]))


def attributes(model, names=("ids", "labels"), shape=(BATCH, LENGTH)):
    batch = {name: torch.zeros(shape, dtype=torch.int64) for name in names}
    graph = prec.import_torch(model, torch.optim.AdamW(model.parameters()), batch, verify=False).graph
    return {a.path: a.attrs for a in graph.arguments if a.role == "batch"}


@pytest.mark.parametrize("loss, shift", [
    (next_token, 1), (shifted, 0), (padded_and_cut, 0), (rolled, 0), (masked_end, 0), (two_heads, 0), (two_heads_turned, 0),
    (two_heads_of_next_tokens, 1), (deepseek, 0), (last_only, 1), (last_but_one, 0), (stepped, 0), (first_two, 0), (weighted_rows, 0)])
def test_labels_are_as_far_ahead_as_the_nearest_that_no_logits_have_seen(loss, shift):
    found = attributes(Model(loss))
    assert found["ids"] == {"vocabulary": VOCABULARY, "shift": 0}
    assert found["labels"] == {"vocabulary": VOCABULARY, "ignore_index": -100, "shift": shift}


@pytest.mark.parametrize("attend", [by_products, by_filled_products])
def test_a_causal_mask_is_seen_in_attention_that_is_written_out(attend):
    assert attributes(Model(shifted, attend))["labels"]["shift"] == 0
    assert attributes(Model(next_token, attend))["labels"]["shift"] == 1


def two_ahead(m, h, labels):
    return mean(m.head(h)[:, :-2], labels[:, 2:])


def of_other_rows(m, h, labels):
    return mean(m.head(h)[:, :-1], torch.cat([labels[1:], labels[:1]])[:, 1:])


def uneven(m, h, labels):
    return mean(m.head(h)[:, :4], torch.cat([labels[:, :2], labels[:, 4:6]], 1))


def computed(m, h, labels):
    return mean(m.head(h), labels + 1)


def pooled(m, h, labels):
    return mean(m.head(h + h.mean(1, keepdim=True)), labels)


def flattened(m, h, labels):
    """Over the ends of rows: what stands where is not followed."""
    return mean(m.head(h).flatten(0, 1)[:-1], labels.flatten()[1:])


@pytest.mark.parametrize("loss, attend, why", [
    (two_ahead, causal, "the nearest labels are 2 places ahead"),
    (of_other_rows, causal, "are of different indices of dimension 0"),
    (uneven, causal, "not at one distance"),
    (computed, causal, "they are computed (arith.addi)"),
    (pooled, causal, "not at one distance"),
    (flattened, causal, "depend on several indices of dimension 0"),
    (next_token, bidirectional, "not at one distance"),
    (next_token, looking_ahead, "not at one distance"),
])
def test_what_is_not_derived_has_a_reason(loss, attend, why):
    labels = attributes(Model(loss, attend))["labels"]
    assert "shift" not in labels and why in labels["shift_unknown"]


class TimeFirst(Model):
    def hidden(self, ids):
        return super().hidden(ids.T).transpose(0, 1)


def time_first(m, h, labels):
    return mean(m.head(h)[:-1], labels[1:])


def test_a_sequence_along_the_first_dimension_is_no_token_file():
    why = attributes(TimeFirst(time_first))["labels"]["shift_unknown"]
    assert "dimension 0" in why and "read along the last dimension" in why


class Positions(Model):
    def forward(self, ids, positions, labels):
        return self.loss(self, self.hidden(ids) + self.embed(positions), labels)


def test_of_several_inputs_of_whole_numbers_it_is_not_known_which_are_tokens():
    found = attributes(Positions(shifted), ("ids", "positions", "labels"))
    assert all("several inputs of whole numbers ('ids', 'positions')" in found[name]["shift_unknown"] for name in ("ids", "positions"))


class TwoLabels(Model):
    def forward(self, ids, labels, ahead):
        h = self.hidden(ids)
        return mean(self.head(h), labels) + mean(self.second(h), ahead)


def test_labels_from_several_inputs_are_not_told_apart():
    found = attributes(TwoLabels(None), ("ids", "labels", "ahead"))
    assert "labels come from several inputs: 'ahead', 'labels'" in found["labels"]["shift_unknown"]


class OneArgument(Model):
    def forward(self, ids):
        return super().forward(ids, ids)


def test_labels_that_are_ids_may_not_be_ignored():
    """The table has no row for them."""
    assert attributes(OneArgument(shifted), ("ids",)) == {"ids": {"vocabulary": VOCABULARY, "shift": 0}}


def test_one_sequence_without_rows():
    class Flat(Model):
        def hidden(self, ids):
            return super().hidden(ids[None])[0]
    assert attributes(Flat(lambda m, h, y: mean(m.head(h)[:-1], y[1:])), shape=(LENGTH,))["labels"]["shift"] == 0
    assert attributes(Flat(next_token), shape=(LENGTH,))["labels"]["shift"] == 1
