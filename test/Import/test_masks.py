# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One test for each way in which a model can say what a query sees, or bend its scores: by
F.scaled_dot_product_attention, by products and a softmax of its own, by nn.MultiheadAttention and by transformers. The
values are PyTorch's, forward and backward."""
import math

import attention_models as models
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import prec

pytestmark = pytest.mark.filterwarnings("ignore:attention with .* is imported as products")

ROWS, HEADS, TOKENS, WIDTH = 2, 4, 6, 8
SDPA = F.scaled_dot_product_attention


def before():
    return torch.arange(TOKENS)[:, None] >= torch.arange(TOKENS)


def away():
    return torch.arange(TOKENS)[:, None] - torch.arange(TOKENS)


def slopes():
    return (0.5 ** torch.arange(1.0, HEADS + 1))[:, None, None]


def scores(q, k):
    return q @ k.mT / math.sqrt(WIDTH)


def least(seen):
    """A mask of numbers: the least of float32 where nothing is seen."""
    return torch.where(seen, 0.0, torch.finfo(torch.float32).min)


def pairs(b):
    """Tokens that are there see each other."""
    seen = b["seen"].bool()
    return (seen[:, :, None] & seen[:, None, :])[:, None]


def documents(b):
    """Of each token the number of its document, which starts where positions do."""
    return (b["positions"] == 0).cumsum(1)


def same_document(b):
    d = documents(b)
    return (d[:, :, None] == d[:, None, :])[:, None] & before()


def segments(b):
    """Of each token the number of its sequence, by where sequences start."""
    return torch.bucketize(torch.arange(ROWS * TOKENS), b["starts"], right=True)


def one_sequence(x):
    """[B, H, S, D] as the tokens of all sequences behind each other."""
    return x.transpose(1, 2).reshape(1, ROWS * TOKENS, HEADS, WIDTH).transpose(1, 2)


def chunks(size):
    return torch.arange(TOKENS) // size


def sink(s):
    """One more place that takes a part of each row."""
    more = torch.cat([s, s.mean((0, 2, 3), keepdim=True).expand(*s.shape[:3], 1)], -1)
    return (more - more.amax(-1, keepdim=True).detach()).softmax(-1)[..., :-1]


def softmax_by_hand(s):
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


def in_float(s, dtype=torch.float32):
    return F.softmax(s, dim=-1, dtype=dtype)


# q, k, v [2, 4, 6, 8] and the batch.
BY_FUNCTION = {
    "all": lambda q, k, v, b: SDPA(q, k, v),
    "causal": lambda q, k, v, b: SDPA(q, k, v, is_causal=True),
    "window": lambda q, k, v, b: SDPA(q, k, v, before() & (away() < 3)),
    "window on both sides": lambda q, k, v, b: SDPA(q, k, v, away().abs() <= 2),
    "prefix": lambda q, k, v, b: SDPA(q, k, v, before() | (torch.arange(TOKENS) < 2)),
    "prefix of each row": lambda q, k, v, b: SDPA(q, k, v, (before() | (torch.arange(TOKENS) < b["lengths"][:, None, None]))[:, None]),
    "chunks": lambda q, k, v, b: SDPA(q, k, v, before() & (chunks(2)[:, None] == chunks(2))),
    "dilated": lambda q, k, v, b: SDPA(q, k, v, before() & (away() % 2 == 0)),
    "global tokens": lambda q, k, v, b: SDPA(q, k, v, (away().abs() <= 1) | (torch.arange(TOKENS) == 0)),
    "another for each head": lambda q, k, v, b: SDPA(q, k, v, away()[None, None] < torch.arange(1, HEADS + 1)[:, None, None]),
    "padding as bool": lambda q, k, v, b: SDPA(q, k, v, b["seen"].bool()[:, None, None, :]),
    "padding as numbers": lambda q, k, v, b: SDPA(q, k, v, (1.0 - b["seen"][:, None, None, :].float()) * -10000.0),
    "padding of the least number": lambda q, k, v, b: SDPA(q, k, v, (1.0 - b["seen"][:, None, None, :].float()) * torch.finfo(torch.float32).min),
    "padding repeated": lambda q, k, v, b: SDPA(q, k, v, b["seen"].bool()[:, None, None, :].expand(-1, 1, TOKENS, -1)),
    "padding repeated, as numbers": lambda q, k, v, b: SDPA(
        q, k, v, torch.where(b["seen"].bool()[:, None, None, :].repeat(1, 1, TOKENS, 1), 0.0, torch.finfo(torch.float32).min)),
    "numbers that hide whole rows": lambda q, k, v, b: SDPA(q, k, v, torch.where(pairs(b), 0.0, torch.finfo(torch.float32).min)),
    "numbers that hide some keys twice": lambda q, k, v, b: SDPA(q, k, v, least(before()) + least(b["seen"].flip(1).bool()[:, None, None, :])),
    "an infinity beside the least number": lambda q, k, v, b: SDPA(
        q, k, v, least(before()).masked_fill(b["seen"].flip(1)[:, None, None, :] == 0, -torch.inf)),
    "infinities that hide whole rows": lambda q, k, v, b: SDPA(q, k, v, torch.where(pairs(b), b["bias"], -torch.inf)),
    "large numbers in whole rows": lambda q, k, v, b: SDPA(q, k, v, torch.where(pairs(b), b["bias"], b["bias"] - 5e4)),
    "one mask for all keys": lambda q, k, v, b: SDPA(q, k, v, b["seen"].bool()[:, None, :, None]),
    "two dimensions": lambda q, k, v, b: SDPA(q, k, v, (b["seen"][:1] > 0)),
    "a window and padding": lambda q, k, v, b: SDPA(q, k, v, before() & (away() < 2) & b["seen"].bool()[:, None, None, :]),
    "padding and causal": lambda q, k, v, b: SDPA(q, k, v, b["seen"].bool()[:, None, None, :] & before()),
    "padding by lengths": lambda q, k, v, b: SDPA(q, k, v, (torch.arange(TOKENS) < b["lengths"][:, None])[:, None, None, :]),
    "rows that see nothing": lambda q, k, v, b: SDPA(q, k, v, (b["seen"].bool()[:, :, None] & b["seen"].bool()[:, None, :])[:, None]),
    "alibi": lambda q, k, v, b: SDPA(q, k, v, torch.where(before(), -slopes() * away(), -torch.inf)),
    "a bias by distance": lambda q, k, v, b: SDPA(q, k, v, q.mean((0, 2))[:, :TOKENS][:, away().abs()]),
    "a bias of the batch": lambda q, k, v, b: SDPA(q, k, v, b["bias"]),
    "packed by positions": lambda q, k, v, b: SDPA(q, k, v, same_document(b)),
    "packed by starts": lambda q, k, v, b: SDPA(*map(one_sequence, (q, k, v)), segments(b)[:, None] == segments(b)),
    "grouped and masked": lambda q, k, v, b: SDPA(q, k[:, :2], v[:, :2], b["seen"].bool()[:, None, None, :], enable_gqa=True),
    "grouped and windowed": lambda q, k, v, b: SDPA(q, k[:, :2], v[:, :2], before() & (away() < 2), enable_gqa=True),
    "one head of keys": lambda q, k, v, b: SDPA(q, k[:, :1].expand_as(k), v[:, :1].expand_as(v), is_causal=True),
    "wide values": lambda q, k, v, b: SDPA(q, k, torch.cat([v, v * 2], -1), before() & (away() < 3)),
    "fewer queries": lambda q, k, v, b: SDPA(q[:, :, :3], k, v, torch.arange(3)[:, None] + 3 >= torch.arange(TOKENS)),
    "fewer queries, causal": lambda q, k, v, b: SDPA(q[:, :, :3], k, v, is_causal=True),
    "dropout": lambda q, k, v, b: SDPA(q, k, v, dropout_p=0.25, is_causal=True),
    "dropout and a mask": lambda q, k, v, b: SDPA(q, k, v, b["seen"].bool()[:, None, None, :], dropout_p=0.25),
    "a scale that is trained": lambda q, k, v, b: SDPA(F.normalize(q, dim=-1) * q.mean().exp(), F.normalize(k, dim=-1), v, scale=1.0),
    "five dimensions": lambda q, k, v, b: SDPA(q[:, None], k[:, None], v[:, None], before()),
}
BY_HAND = {
    "causal by infinity": lambda q, k, v, b: scores(q, k).masked_fill(~before(), -torch.inf).softmax(-1) @ v,
    "causal by a large number": lambda q, k, v, b: (scores(q, k) + torch.full((TOKENS, TOKENS), -1e9).triu(1)).softmax(-1) @ v,
    "causal by where": lambda q, k, v, b: torch.where(before(), scores(q, k), torch.finfo(torch.float32).min).softmax(-1) @ v,
    "causal by tril": lambda q, k, v, b: (scores(q, k).exp().tril() / scores(q, k).exp().tril().sum(-1, keepdim=True)) @ v,
    "causal in place": lambda q, k, v, b: (q @ k.mT).mul_(0.3).masked_fill_(torch.ones(TOKENS, TOKENS).triu(1).bool(), -torch.inf).softmax(-1) @ v,
    "chosen after the softmax": lambda q, k, v, b: F.normalize(scores(q, k).softmax(-1) * before(), p=1, dim=-1) @ v,
    "padding": lambda q, k, v, b: scores(q, k).masked_fill(b["seen"][:, None, None, :] == 0, -1e4).softmax(-1) @ v,
    "softmax in float": lambda q, k, v, b: in_float(scores(q, k) + torch.full((TOKENS, TOKENS), -torch.inf).triu(1)).to(q.dtype) @ v,
    "a softmax by hand": lambda q, k, v, b: softmax_by_hand(scores(q, k)) @ v,
    "soft cap": lambda q, k, v, b: ((scores(q, k) / 5).tanh() * 5).masked_fill(~before(), -torch.inf).softmax(-1) @ v,
    "sinks": lambda q, k, v, b: sink(scores(q, k).masked_fill(~before(), -torch.inf)) @ v,
    "a softmax of one more": lambda q, k, v, b: (scores(q, k).exp() / (1 + scores(q, k).exp().sum(-1, keepdim=True))) @ v,
    "a sigmoid": lambda q, k, v, b: ((scores(q, k) - math.log(TOKENS)).sigmoid() * before()) @ v,
    "relu and squares": lambda q, k, v, b: (scores(q, k).relu().square() * before() / TOKENS) @ v,
    "alibi by baddbmm": lambda q, k, v, b: torch.baddbmm(
        (slopes() * torch.arange(TOKENS)).repeat(ROWS, 1, 1), q.flatten(0, 1), k.flatten(0, 1).mT, beta=1.0, alpha=0.3).softmax(-1) @ v.flatten(0, 1),
    "by einsum": lambda q, k, v, b: torch.einsum("bhqk,bhkd->bqhd", torch.einsum("bhqd,bhkd->bhqk", q, k).softmax(-1), v),
    "by einsum in another order": lambda q, k, v, b: torch.einsum("khbd,qkhb->dqbh", v.permute(2, 1, 0, 3), torch.einsum(
        "bqhd,khbd->qkhb", q.transpose(1, 2), k.permute(2, 1, 0, 3)).softmax(1)),
    "grouped by a dimension": lambda q, k, v, b: (torch.einsum("bgnqd,bgkd->bgnqk", q.unflatten(1, (2, 2)), k[:, :2]).softmax(-1)
                                                  @ v[:, :2, None]).flatten(1, 2),
    "grouped by repeats": lambda q, k, v, b: scores(q, k[:, :2].repeat_interleave(2, 1)).softmax(-1) @ v[:, :2].repeat_interleave(2, 1),
    "a difference of two": lambda q, k, v, b: (scores(q, k)[:, :2].softmax(-1) - 0.4 * scores(q, k)[:, 2:].softmax(-1)) @ v[:, :2],
    "the largest alone": lambda q, k, v, b: scores(q, k).masked_fill(
        scores(q, k) < scores(q, k).topk(3, -1)[0][..., -1:].detach(), -torch.inf).softmax(-1) @ v,
    "linear": lambda q, k, v, b: (F.elu(q) + 1) @ ((F.elu(k) + 1).mT @ v) / TOKENS,
    "a decay": lambda q, k, v, b: (q @ k.mT * torch.where(before(), 0.9 ** away().clamp(min=0), 0.0)) @ v,
    "dropout": lambda q, k, v, b: F.dropout(scores(q, k).softmax(-1), 0.25) @ v,
    "relative positions": lambda q, k, v, b: (scores(q, k) + F.pad(q @ k.mean((0, 1)).mT, (1, 0)).reshape(
        ROWS, HEADS, TOKENS + 1, TOKENS)[:, :, 1:]).softmax(-1) @ v,
    "normalized over rows": lambda q, k, v, b: scores(q, k).softmax(2).mT @ v,
}


def attention_batch():
    generator = torch.Generator().manual_seed(2)
    return {"x": torch.rand(WIDTH, generator=generator) + 0.5, "lengths": torch.tensor([4, 6]), "seen": torch.tensor([[1] * 4 + [0] * 2, [1] * 6]),
            "positions": torch.tensor([[0, 1, 2, 0, 1, 2], [0, 1, 0, 1, 2, 3]]), "starts": torch.tensor([0, 4, 9]),
            "bias": torch.randn(ROWS, 1, TOKENS, TOKENS, generator=generator)}


class Attends(nn.Module):
    def __init__(self, function):
        super().__init__()
        torch.manual_seed(0)
        self.q, self.k, self.v = (nn.Parameter(torch.randn(ROWS, HEADS, TOKENS, WIDTH)) for _ in range(3))
        self.function = function

    def forward(self, **b):
        y = self.function(self.q * b["x"], self.k * b["x"], self.v * b["x"], b)
        return (y * torch.arange(1, y.shape[-1] + 1)).square().mean()


def verified(model, batch):
    return prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.01), batch).verified


@pytest.mark.cases(6)
@pytest.mark.filterwarnings("ignore:.* left out")
@pytest.mark.parametrize("way", [*BY_FUNCTION, *(f"by hand: {way}" for way in BY_HAND)])
def test_a_way_to_attend(way):
    hand, _, name = way.rpartition("by hand: ")
    model = Attends(BY_FUNCTION[way] if way in BY_FUNCTION else BY_HAND[name])
    assert verified(model, attention_batch()) == "verified"


# Whether the op is causal, its window, and the shape of its bias.
STRUCTURE = {
    "all": (False, None, None), "causal": (True, None, None), "window": (True, 3, None), "wide values": (True, 3, None),
    "window on both sides": (False, None, (1, 1, 6, 6)), "prefix": (False, None, (1, 1, 6, 6)), "global tokens": (False, None, (1, 1, 6, 6)),
    "prefix of each row": (False, None, (2, 1, 6, 6)), "chunks": (True, None, (1, 1, 6, 6)), "dilated": (True, None, (1, 1, 6, 6)),
    "another for each head": (False, None, (1, 4, 6, 6)), "padding as bool": (False, None, (2, 1, 1, 6)),
    "padding as numbers": (False, None, (2, 1, 1, 6)), "padding of the least number": (False, None, (2, 1, 1, 6)),
    "padding repeated": (False, None, (2, 1, 1, 6)), "padding repeated, as numbers": (False, None, (2, 1, 1, 6)),
    "padding by lengths": (False, None, (2, 1, 1, 6)), "padding and causal": (False, None, (2, 1, 6, 6)),
    "rows that see nothing": (False, None, (2, 1, 6, 6)), "numbers that hide whole rows": (False, None, (2, 1, 6, 6)),
    "infinities that hide whole rows": (False, None, (2, 1, 6, 6)), "large numbers in whole rows": (False, None, (2, 1, 6, 6)),
    "alibi": (True, None, (1, 4, 6, 6)), "a bias of the batch": (False, None, (2, 1, 6, 6)), "packed by positions": (False, None, (2, 1, 6, 6)),
    "packed by starts": (False, None, (1, 1, 12, 12)), "grouped and masked": (False, None, (2, 1, 1, 6)),
    "grouped and windowed": (True, 2, None), "fewer queries": (False, None, (1, 1, 3, 6)), "fewer queries, causal": (False, None, (1, 1, 3, 6)),
    "one mask for all keys": (False, None, (2, 1, 6, 6)), "two dimensions": (False, None, (1, 1, 1, 6)),
    "a window and padding": (False, None, (2, 1, 6, 6)),
}


@pytest.mark.cases(10)
@pytest.mark.filterwarnings("ignore:.* left out")
@pytest.mark.parametrize("way", STRUCTURE)
def test_a_mask_is_structure_or_a_small_bias(way):
    model = Attends(BY_FUNCTION[way])
    ops = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.01), attention_batch(), verify=False).graph.ops
    for name in ("prec_train.attention", "prec_train.attention_grad"):
        [op] = [op for op in ops if op.name == name]
        bias = op.operands[6 if name.endswith("grad") else 3:]
        assert (op.attrs["causal"], op.attrs.get("window"), bias[0].shape if bias else None) == STRUCTURE[way]


class Stacked(nn.Module):
    """Layers that each make the mask of the same padding."""

    def __init__(self, mask):
        super().__init__()
        torch.manual_seed(0)
        self.rows = nn.Embedding(16, WIDTH * HEADS)
        self.layers = nn.ModuleList(nn.Linear(WIDTH * HEADS, WIDTH * HEADS) for _ in range(3))
        self.mask = mask

    def forward(self, ids, seen):
        x = self.rows(ids)
        for layer in self.layers:
            y = layer(x).unflatten(-1, (HEADS, WIDTH)).transpose(1, 2)
            x = x + SDPA(y, y, y, self.mask(seen)).transpose(1, 2).flatten(2)
        return x.square().mean()


STACKED = {
    "bool": lambda seen: seen.bool()[:, None, None],
    "numbers": lambda seen: (1.0 - seen[:, None, None].float()) * torch.finfo(torch.float32).min,
    "repeated": lambda seen: torch.where(seen.bool()[:, None, None].expand(-1, 1, TOKENS, -1), 0.0, -1e9),
}


@pytest.mark.filterwarnings("ignore:.* left out")
@pytest.mark.parametrize("mask", STACKED)
def test_layers_share_a_mask(mask):
    model = Stacked(STACKED[mask])
    batch = {"ids": torch.arange(12).view(2, TOKENS), "seen": torch.tensor([[1] * 4 + [0] * 2, [1] * 6])}
    step = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.01), batch)
    ops = [op for op in step.graph.ops if op.name.startswith("prec_train.attention")]
    assert step.verified == "verified" and len(ops) == 6
    assert len({op.operands[-1] for op in ops}) == 1 and ops[0].operands[-1].shape == (2, 1, 1, TOKENS)


class Layers(nn.Module):
    """Embeds ids, and calls a layer with them as made."""

    def __init__(self, make, call):
        super().__init__()
        torch.manual_seed(0)
        self.rows, self.layer, self.call = nn.Embedding(32, 16), make(), call

    def forward(self, ids, seen):
        y = self.call(self.layer, self.rows(ids), seen == 0)
        return (y * torch.arange(1, 17)).square().mean()


def attention(**options):
    return lambda: nn.MultiheadAttention(16, 4, batch_first=True, **options)


def encoder(**options):
    return lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 24, 0.0, batch_first=True, **options), 2, enable_nested_tensor=False)


CAUSAL = nn.Transformer.generate_square_subsequent_mask
BY_LAYER = {
    "plain": (attention(), lambda m, x, hidden: m(x, x, x, need_weights=False)[0]),
    "weights": (attention(), lambda m, x, hidden: m(x, x, x)[1] @ x),
    "weights of each head": (attention(), lambda m, x, hidden: m(x, x, x, average_attn_weights=False)[1].sum(1) @ x),
    "padding": (attention(), lambda m, x, hidden: m(x, x, x, key_padding_mask=hidden, need_weights=False)[0]),
    "padding and weights": (attention(), lambda m, x, hidden: m(x, x, x, key_padding_mask=hidden)[0]),
    "a mask of booleans": (attention(), lambda m, x, hidden: m(x, x, x, attn_mask=~before(), need_weights=False)[0]),
    "a mask of numbers": (attention(), lambda m, x, hidden: m(x, x, x, attn_mask=-away().abs() * 0.1, need_weights=False)[0]),
    "a mask of each head": (attention(), lambda m, x, hidden: m(x, x, x, attn_mask=(~before()).expand(8, TOKENS, TOKENS))[0]),
    "padding and a mask": (attention(), lambda m, x, hidden: m(x, x, x, key_padding_mask=hidden, attn_mask=~before(), need_weights=False)[0]),
    "causal": (attention(), lambda m, x, hidden: m(x, x, x, attn_mask=~before(), is_causal=True, need_weights=False)[0]),
    "cross": (attention(kdim=16, vdim=16), lambda m, x, hidden: m(x[:, :3], x, x.flip(1), key_padding_mask=hidden, need_weights=False)[0]),
    "other widths": (attention(kdim=8, vdim=4), lambda m, x, hidden: m(x, x[..., :8], x[..., :4], need_weights=False)[0]),
    "a bias of keys": (attention(add_bias_kv=True), lambda m, x, hidden: m(x, x, x, need_weights=False)[0]),
    "a key of zeros": (attention(add_zero_attn=True), lambda m, x, hidden: m(x, x, x, key_padding_mask=hidden, need_weights=False)[0]),
    "tokens first": (lambda: nn.MultiheadAttention(16, 4), lambda m, x, hidden: m(*[x.transpose(0, 1)] * 3, need_weights=False)[0]),
    "dropout": (attention(dropout=0.2), lambda m, x, hidden: m(x, x, x, need_weights=False)[0]),
    "an encoder": (encoder(), lambda m, x, hidden: m(x)),
    "an encoder with a norm first": (encoder(norm_first=True, activation="gelu"), lambda m, x, hidden: m(x, src_key_padding_mask=hidden)),
    "a causal encoder": (encoder(), lambda m, x, hidden: m(x, CAUSAL(TOKENS), is_causal=True)),
    "a causal encoder with padding": (encoder(), lambda m, x, hidden: m(x, ~before(), src_key_padding_mask=hidden)),
    "a nested encoder": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 24, 0.0, batch_first=True), 1),
                         lambda m, x, hidden: m(x, src_key_padding_mask=hidden)),
    "both sides": (lambda: nn.Transformer(16, 4, 1, 1, 24, 0.0, batch_first=True),
                   lambda m, x, hidden: m(x, x[:, :4], tgt_mask=CAUSAL(4), src_key_padding_mask=hidden, memory_key_padding_mask=hidden)),
}
LAYER_BATCH = {"ids": torch.arange(12).view(2, TOKENS), "seen": torch.tensor([[1] * 4 + [0] * 2, [1] * 6])}


@pytest.mark.cases(4)
@pytest.mark.filterwarnings("ignore:.* left out", "ignore:Support for mismatched", "ignore:enable_nested_tensor", "ignore:The PyTorch API of nested")
@pytest.mark.parametrize("way", BY_LAYER)
def test_a_layer_that_attends(way):
    assert verified(Layers(*BY_LAYER[way]), LAYER_BATCH) == "verified"


def hidden_of_rows():
    seen = torch.ones(2, models.TOKENS, dtype=torch.int64)
    seen[0, -5:] = 0
    return seen


def positions_of_documents():
    return torch.cat([torch.arange(9), torch.arange(7)]).expand(2, models.TOKENS).contiguous()


def mask_of_four():
    seen = torch.ones(models.TOKENS, models.TOKENS, dtype=torch.bool).tril()
    return torch.where(seen, 0.0, torch.finfo(torch.float32).min).expand(2, 1, models.TOKENS, models.TOKENS).contiguous()


BY_TRANSFORMERS = {
    "none": {},
    "padding": {"attention_mask": hidden_of_rows},
    "padding on the left": {"attention_mask": lambda: hidden_of_rows().flip(1)},
    "nothing is hidden": {"attention_mask": lambda: torch.ones(2, models.TOKENS, dtype=torch.int64)},
    "documents": {"position_ids": positions_of_documents},
    "documents and padding": {"position_ids": positions_of_documents, "attention_mask": hidden_of_rows},
    "a mask of four dimensions": {"attention_mask": mask_of_four},
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("family", ["Llama", "Mistral"])
@pytest.mark.parametrize("how", ["sdpa", "eager"])
@pytest.mark.parametrize("way", BY_TRANSFORMERS)
def test_a_mask_of_transformers(family, how, way):
    options = {**models.LLAMA, "num_hidden_layers": 1, "attn_implementation": how} | ({"sliding_window": 4} if family == "Mistral" else {})
    model, batch = models.build(family, **options)
    assert verified(model, batch | {name: make() for name, make in BY_TRANSFORMERS[way].items()}) == "verified"


@pytest.mark.cases(3)
@pytest.mark.parametrize("family,how,way,expected", [
    ("Llama", "sdpa", "padding", (True, None, (2, 1, 16, 16))), ("Llama", "eager", "padding", (True, None, (2, 1, 16, 16))),
    ("Llama", "sdpa", "nothing is hidden", (True, None, None)), ("Mistral", "sdpa", "none", (True, 4, None)),
    ("Mistral", "eager", "none", (True, 4, None)), ("Mistral", "sdpa", "padding on the left", (True, 4, (2, 1, 16, 16))),
    ("Llama", "sdpa", "documents", (False, None, (2, 1, 16, 16))), ("Bert", "sdpa", "padding", (False, None, (2, 1, 1, 16))),
    ("Bert", "eager", "padding", (False, None, (2, 1, 1, 16))), ("Llama", "eager", "a mask of four dimensions", (False, None, (2, 1, 16, 16)))])
def test_what_a_mask_of_transformers_becomes(family, how, way, expected):
    if family == "Bert":
        model, batch = models.build("Bert", {"input_ids": models.IDS, "labels": models.IDS}, "ForMaskedLM", **models.BERT, hidden_dropout_prob=0.0,
                                    attention_probs_dropout_prob=0.0, attn_implementation=how)
    else:
        options = {**models.LLAMA, "num_hidden_layers": 1, "attn_implementation": how} | ({"sliding_window": 4} if family == "Mistral" else {})
        model, batch = models.build(family, **options)
    batch = batch | {name: make() for name, make in BY_TRANSFORMERS[way].items()}
    step = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.01), batch)
    assert step.verified == "verified"
    [op] = [op for op in step.graph.ops if op.name == "prec_train.attention"]
    assert (op.attrs["causal"], op.attrs.get("window"), op.operands[3].shape if len(op.operands) > 3 else None) == expected
    # Keys and values are not repeated.
    assert op.operands[1].shape[1] == (4 if family == "Bert" else 2)
