# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of imported models against PyTorch, in float64: what a model adds to plain attention, or makes of masks by
itself, is in
the graph or is refused by name."""
from collections import Counter

import attention_models as models
import pytest
import torch
import torch.nn.functional as F
from models import hf_llama, loss_and_gradients, reference
from torch.nn.attention.bias import causal_lower_right, causal_upper_left

import prec
from prec import ImportFailure
from prec.torch.functional import KeepComposites
from prec.torch.hugging_face import composite_attention, own_attention
from prec.torch.masks import Sees

pytestmark = pytest.mark.filterwarnings("ignore:attention with .* is imported as products")


def imported(model, batch, verify=False, **options):
    return prec.import_torch(model, torch.optim.AdamW(model.parameters(), lr=1e-3), batch, **options).graph


def compare(graph, model, batch):
    """Loss and every gradient. A gradient that is zero but for rounding counts by the largest one."""
    got, gradients = loss_and_gradients(graph, {**{name: p.detach().clone() for name, p in model.named_parameters()}, **batch})
    loss, expected = reference(model, batch)
    torch.testing.assert_close(got, loss, rtol=1e-9, atol=0)
    assert gradients.keys() == expected.keys()
    largest = max(g.abs().max() for g in expected.values())
    for path, g in expected.items():
        error = (gradients[path] - g).abs().max() / torch.maximum(g.abs().max(), 1e-6 * largest)
        assert error < 1e-8, (path, error)


def attentions(graph):
    """How many forward attentions are composites and how many are products and a softmax."""
    count = Counter(op.name for op in graph.ops if op.phase == "forward")
    return count["prec_train.attention"], count["prec_train.softmax"]


@pytest.mark.cases(2)
@pytest.mark.parametrize("family,attention", [(f, "composite") for f in models.FAMILIES] +
                         [(f, "keep") for f in ("bloom", "mpt", "t5", "bart", "gpt-neox")])
def test_a_family_is_pytorchs_or_lacks_an_op(family, attention):
    model, batch = models.FAMILIES[family]()
    try:
        graph = imported(model, batch, attention=attention)
    except ImportFailure as failure:
        assert family in models.LACKS and models.LACKS[family] in str(failure), str(failure)
        # And not for a mask that the model makes itself.
        assert "every traced op must have a lowering" in str(failure) and "must be given" not in str(failure)
        return
    compare(graph, model, batch)


@pytest.mark.cases(2)
@pytest.mark.parametrize("family,expected", [("bart", (3, 0)), ("mbart-decoder", (1, 0)), ("gpt-neox", (2, 0)), ("t5", (1, 2)),
                                             ("bloom", (0, 1)), ("flint", (0, 2))])
def test_where_a_composite_computes_the_same_it_is_taken(family, expected):
    model, batch = models.FAMILIES[family]()
    assert attentions(imported(model, batch)) == expected


def test_a_relative_position_bias_is_trained():
    model, batch = models.FAMILIES["t5"]()
    graph = imported(model, batch)
    roles = {a.path: a.role for a in graph.arguments if a.path.endswith("relative_attention_bias.weight")}
    assert len(roles) == 2 and set(roles.values()) == {"parameter"}


@pytest.mark.cases(3)
@pytest.mark.parametrize("family,window,how", [(f, w, "sdpa") for f in models.WINDOWED for w in (4, 4096)] + [
    ("mistral", models.TOKENS, "sdpa"), ("mistral", models.TOKENS, "eager"), ("mistral", 4, "eager"), ("gemma3", 4096, "eager"),
    ("modernbert", 4, "eager")])
def test_a_window(family, window, how):
    model, batch = models.WINDOWED[family](window, attn_implementation=how)
    graph = imported(model, batch)
    compare(graph, model, batch)
    layers = model.config.num_hidden_layers
    # Gemma 2 bends its scores.
    assert attentions(graph) == ((0, layers) if family == "gemma2" else (layers, 0))
    windows = [op.attrs.get("window") for op in graph.ops if op.name == "prec_train.attention"]
    narrow = {"gemma2": 0, "modernbert": 0}.get(family, 1) if window == 4 else 0
    assert windows.count(4) == narrow and windows.count(None) == len(windows) - narrow


@pytest.mark.parametrize("attention", ["composite", "keep"])
@pytest.mark.parametrize("how", ["sdpa", "eager"])
@pytest.mark.parametrize("family", models.ENCODERS)
def test_an_encoder_sees_what_follows(family, how, attention):
    model, batch = models.ENCODERS[family](attn_implementation=how)
    graph = imported(model, batch, attention=attention)
    compare(graph, model, batch)
    composites = [op for op in graph.ops if op.name == "prec_train.attention"]
    assert bool(composites) == (how == "sdpa" or attention == "composite")
    assert not any(op.attrs["causal"] for op in composites)


class Attends(torch.nn.Module):
    """Attention of a parameter's multiples, by a function of queries, keys and values."""

    def __init__(self, function, queries=(2, 4, 6, 8), keys=None, values=None):
        super().__init__()
        torch.manual_seed(0)
        keys = keys or queries
        self.q, self.k, self.v = (torch.nn.Parameter(torch.randn(shape)) for shape in (queries, keys, values or keys))
        self.function = function

    def forward(self, x):
        return self.function(self.q * x, self.k * x, self.v * x).square().sum()


SDPA = F.scaled_dot_product_attention
SCALE = {"x": torch.tensor(0.9)}


def near():
    return (torch.arange(6)[:, None] - torch.arange(6)).abs() < 3


def blind():
    """Row 2 sees nothing."""
    return near() & (torch.arange(6)[:, None] != 2)


# Function, shapes of queries, keys and values, and whether a composite stands for it.
CALLS = {
    "causal": (lambda q, k, v: SDPA(q, k, v, is_causal=True), [], True),
    "all": (lambda q, k, v: SDPA(q, k, v, scale=0.3), [], True),
    "one causal mask as bool": (lambda q, k, v: SDPA(q, k, v, attn_mask=torch.ones(6, 6, dtype=torch.bool).tril()), [], True),
    "one causal mask from ranges": (lambda q, k, v: SDPA(q, k, v, torch.arange(6)[:, None] >= torch.arange(6)), [], True),
    "one causal mask as float": (lambda q, k, v: SDPA(q, k, v, torch.full((6, 6), float("-inf")).triu(1)[None, None]), [], True),
    "one causal mask of the least float": (lambda q, k, v: SDPA(q, k, v, torch.zeros(6, 6).masked_fill(
        torch.arange(6) > torch.arange(6)[:, None], torch.finfo(torch.float32).min)), [], True),
    "one causal mask written in place": (lambda q, k, v: SDPA(q, k, v, torch.ones(6, 6).masked_fill_(
        torch.arange(6) > torch.arange(6)[:, None], 0.0).bool()), [], True),
    "a mask of ones": (lambda q, k, v: SDPA(q, k, v, q.new_ones(2, 1, 1, 6).bool()), [], True),
    "causal and a mask of ones": (lambda q, k, v: SDPA(q, k, v, torch.ones(6, 6).bool(), is_causal=True), [], True),
    "a window": (lambda q, k, v: SDPA(q, k, v, near()), [], True),
    "causal within a window": (lambda q, k, v: SDPA(q, k, v, near(), is_causal=True), [], True),
    "a bias of constants": (lambda q, k, v: SDPA(q, k, v, -torch.arange(6.0).expand(6, 6)), [], True),
    "a bias that is trained": (lambda q, k, v: SDPA(q, k, v, q.sum(-1, keepdim=True) - k.mean(-1)[..., None, :]), [], False),
    "a mask of values": (lambda q, k, v: SDPA(q, k, v, (q @ k.mT) > 0.5), [], True),
    "a row that sees nothing": (lambda q, k, v: SDPA(q, k, v, blind()), [], True),
    "a row that adds minus infinity": (lambda q, k, v: SDPA(q, k, v, torch.zeros(6, 6).masked_fill(~blind(), float("-inf"))), [], True),
    "fewer queries": (lambda q, k, v: SDPA(q, k, v), [(2, 4, 3, 8), (2, 4, 6, 8)], True),
    "causal with fewer queries": (lambda q, k, v: SDPA(q, k, v, is_causal=True), [(2, 4, 3, 8), (2, 4, 6, 8)], True),
    "causal with more queries": (lambda q, k, v: SDPA(q, k, v, is_causal=True), [(2, 4, 6, 8), (2, 4, 3, 8)], True),
    "grouped": (lambda q, k, v: SDPA(q, k, v, is_causal=True, enable_gqa=True), [(2, 4, 6, 8), (2, 2, 6, 8)], True),
    "grouped with a mask": (lambda q, k, v: SDPA(q, k, v, near(), enable_gqa=True), [(2, 4, 6, 8), (2, 2, 6, 8)], True),
    "one key head for all": (lambda q, k, v: SDPA(q, k, v), [(2, 4, 6, 8), (2, 1, 6, 8)], False),
    "one batch of keys for all": (lambda q, k, v: SDPA(q, k, v), [(2, 4, 6, 8), (1, 4, 6, 8)], False),
    "three dimensions": (lambda q, k, v: SDPA(q, k, v, is_causal=True), [(4, 6, 8)], False),
    "two dimensions": (lambda q, k, v: SDPA(q, k, v), [(6, 8)], False),
    "narrow values": (lambda q, k, v: SDPA(q, k, v, is_causal=True), [(2, 4, 6, 8), (2, 4, 6, 8), (2, 4, 6, 3)], True),
    "wide values": (lambda q, k, v: SDPA(q, k, v, is_causal=True), [(2, 4, 6, 8), (2, 4, 6, 8), (2, 4, 6, 12)], True),
    "wide values, grouped": (lambda q, k, v: SDPA(q, k, v, enable_gqa=True), [(2, 4, 6, 8), (2, 2, 6, 8), (2, 2, 6, 12)], True),
}


@pytest.mark.parametrize("name", CALLS)
def test_scaled_dot_product_attention(name):
    function, shapes, whole = CALLS[name]
    model = Attends(function, *shapes)
    graph = imported(model, SCALE)
    compare(graph, model, SCALE)
    assert attentions(graph) == ((1, 0) if whole else (0, 1))


def test_what_overwrites_a_mask_counts():
    def attends(change):
        def function(q, k, v):
            mask = torch.ones(6, 6).tril()
            return SDPA(q, k, v, change(mask).bool())
        return Attends(function)

    model = attends(lambda mask: mask.masked_fill_(torch.arange(6) == 1, 0.0))
    graph = imported(model, SCALE)
    [op] = [op for op in graph.ops if op.name == "prec_train.attention"]
    assert len(op.operands) == 4 and op.attrs["causal"]
    compare(graph, model, SCALE)


def test_what_is_known_of_a_mask():
    """Overwritten as a whole it is known, through a view it is not."""
    with KeepComposites() as mode:
        def sees(change):
            mask = torch.ones(6, 6).tril()
            change(mask)
            return mode.masks.sees(mask.bool())

        assert sees(lambda m: None) is Sees.CAUSAL
        assert sees(lambda m: m.fill_(2.0)) is Sees.ALL
        assert sees(lambda m: m.masked_fill_(m.new_ones(6, 6).bool(), 1.0)) is Sees.ALL
        assert sees(lambda m: m.__setitem__((slice(None), slice(None)), 1.0)) is Sees.ALL
        assert sees(lambda m: m.sub_(1.0)) is None
        assert sees(lambda m: m[2:4].fill_(0.0)) is None
        assert sees(lambda m: m.data.fill_(0.0)) is None
        assert sees(lambda m: torch.add(m, 0.0, out=m)) is None
        for random in (torch.rand(6, 6) > 2, torch.empty(6, 6) != 0, torch.bernoulli(torch.ones(6, 6)), torch.zeros(6, 6).uniform_()):
            assert mode.masks.sees(random) is None
        assert mode.masks.sees(torch.arange(6)[:, None] < torch.arange(6)) is None
        assert mode.masks.sees(torch.ones(6, 4).tril().bool()) is None
        assert mode.masks.sees(torch.full((6, 6), -1e4).triu(1)) is None
    assert KeepComposites.active() is None


def test_dropout_inside():
    """The graph with nothing dropped, against attention without dropout."""
    for shapes in ([], [(4, 6, 8)]):
        model = Attends(lambda q, k, v: SDPA(q, k, v, dropout_p=0.25, is_causal=True), *shapes)
        with pytest.warns(UserWarning, match="attention with dropout is imported as products and a softmax"):
            graph = imported(model, SCALE)
        assert [op.attrs["probability"] for op in graph.ops if op.name == "prec_train.dropout" and op.phase == "forward"] == [0.25]
        model.function = lambda q, k, v: SDPA(q, k, v, is_causal=True)
        got, _ = loss_and_gradients(graph, {**dict(model.named_parameters()), **SCALE, "micro_batch": -1.0})
        torch.testing.assert_close(got, reference(model, SCALE)[0], rtol=1e-9, atol=0)


class Encoder(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        torch.manual_seed(0)
        self.module, self.rows = module, torch.nn.Embedding(96, 16)

    def forward(self, ids):
        return self.module(self.rows(ids)).square().mean()


class SelfAttention(torch.nn.Module):
    def __init__(self, mask=lambda: None, **options):
        super().__init__()
        self.attention, self.mask, self.options = torch.nn.MultiheadAttention(16, 4, batch_first=True), mask, options

    def forward(self, x):
        return self.attention(x, x, x, attn_mask=self.mask(), **self.options)[0]


@pytest.mark.parametrize("module", [
    lambda: SelfAttention(need_weights=False), lambda: SelfAttention(),
    lambda: SelfAttention(lambda: torch.ones(6, 6).bool().triu(1), need_weights=False, is_causal=True),
    lambda: torch.nn.TransformerEncoderLayer(16, 4, 24, 0.0, batch_first=True, norm_first=True),
    lambda: torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(16, 4, 24, 0.0, batch_first=True), 2, enable_nested_tensor=False),
])
def test_multi_head_attention(module):
    model, batch = Encoder(module()), {"ids": torch.arange(12).view(2, 6)}
    compare(imported(model, batch), model, batch)


def test_a_mask_of_multi_head_attention():
    model, batch = Encoder(SelfAttention(lambda: ~near(), need_weights=False)), {"ids": torch.arange(12).view(2, 6)}
    try:
        graph = imported(model, batch)
    except ImportFailure as failure:
        assert "aten.masked_fill_.Scalar" in str(failure)
    else:
        compare(graph, model, batch)


class Masked(torch.nn.Module):
    """Asks, with values, whether the mask is the causal one."""

    def __init__(self):
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(16, 4, 24, 0.0, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

    def forward(self, x):
        return self.layers(x, torch.nn.Transformer.generate_square_subsequent_mask(x.shape[1]))


def test_the_value_of_a_constant_may_be_asked_for():
    model, batch = Encoder(Masked()), {"ids": torch.arange(12).view(2, 6)}
    graph = imported(model, batch)
    assert attentions(graph) == (1, 0)
    compare(graph, model, batch)


def test_dropout_of_multi_head_attention_has_streams():
    model = Encoder(torch.nn.TransformerEncoderLayer(16, 4, 24, 0.1, batch_first=True))
    graph = imported(model, {"ids": torch.arange(12).view(2, 6)})
    assert len({op.attrs["stream"] for op in graph.ops if op.name == "prec_train.dropout"}) == 4


class Sinks(torch.nn.Module):
    """Attention of GPT-OSS, without its experts."""

    def __init__(self, window):
        super().__init__()
        from transformers.models.gpt_oss.modeling_gpt_oss import GptOssAttention, GptOssRotaryEmbedding

        torch.manual_seed(0)
        size = {**models.LLAMA, "vocab_size": 96, "head_dim": 8, "sliding_window": window, "num_local_experts": 2}
        self.config = models.transformers.GptOssConfig(**size, layer_types=models.MIXED, attn_implementation="eager")
        self.rows, self.rotary = torch.nn.Embedding(96, 32), GptOssRotaryEmbedding(self.config)
        self.layers = torch.nn.ModuleList(GptOssAttention(self.config, i) for i in range(2))
        for p in self.parameters():
            torch.nn.init.normal_(p, std=0.3)

    def forward(self, input_ids):
        from transformers.masking_utils import create_causal_mask, create_sliding_window_causal_mask

        x = self.rows(input_ids)
        positions = torch.arange(x.shape[1])[None]
        for layer, mask in zip(self.layers, (create_sliding_window_causal_mask, create_causal_mask)):
            given = dict(config=self.config, inputs_embeds=x, attention_mask=None, past_key_values=None, position_ids=positions)
            x = x + layer(x, position_embeddings=self.rotary(x, positions), attention_mask=mask(**given))[0]
        return x.square().mean()


@pytest.mark.parametrize("attention", ["composite", "keep"])
def test_attention_sinks(attention):
    model, batch = Sinks(4), {"input_ids": models.IDS}
    try:
        graph = imported(model, batch, attention=attention)
    except ImportFailure as failure:
        # The largest score of a row with its place.
        assert "aten.max.dim" in str(failure)
    else:
        compare(graph, model, batch)


def asked(change):
    """A Llama whose attention calls transformers' function in another way."""
    model, batch = hf_llama(num_hidden_layers=1)
    attention = model.model.layers[0].self_attn
    forward = attention.forward
    attention.forward = lambda *args, **kwargs: forward(*args, **kwargs, **change)
    return model, batch


@pytest.mark.parametrize("how", ["sdpa", "eager"])
@pytest.mark.parametrize("attention", ["composite", "keep"])
def test_an_argument_that_nobody_reads_is_refused(how, attention):
    for change in ({"alibi": torch.ones(1, 4, 1, 16)}, {"s_aux": torch.ones(4)}, {"head_mask": torch.ones(4)}, {"tau": 0.5}):
        model, batch = asked(change)
        model.set_attn_implementation(how)
        name = next(iter(change))
        message = rf"model\.layers\.0\.self_attn \(LlamaAttention\) calls it with {name}, which .* does not read"
        with pytest.raises(ImportFailure, match=message):
            imported(model, batch, attention=attention)


@pytest.mark.parametrize("how", ["sdpa", "eager"])
def test_an_argument_without_effect_is_not(how):
    model, batch = asked({"output_hidden_states": True, "num_items_in_batch": torch.tensor(3), "tau": None, "alibi": False})
    model.set_attn_implementation(how)
    graph = imported(model, batch)
    assert attentions(graph) == (1, 0)
    compare(graph, model, batch)


def test_an_eager_function_that_does_more_is_kept(monkeypatch):
    """Of remote code: its name and arguments say nothing of it."""
    from transformers.models.llama import modeling_llama

    def sharper(module, query, key, value, attention_mask, scaling, dropout=0.0, **kwargs):
        return eager(module, 2 * query, key, value, attention_mask, scaling, dropout, **kwargs)

    eager = modeling_llama.eager_attention_forward
    monkeypatch.setattr(modeling_llama, "eager_attention_forward", sharper)
    model, batch = hf_llama(attn_implementation="eager")
    graph = imported(model, batch)
    assert attentions(graph) == (0, 2)
    compare(graph, model, batch)


def test_a_users_own_function_is_kept():
    from transformers import AttentionInterface

    def mine(module, query, key, value, attention_mask, scaling=None, dropout=0.0, slope=1.0, **kwargs):
        bias = -slope * torch.arange(key.shape[2], device=key.device)
        causal = torch.arange(query.shape[2])[:, None] >= torch.arange(key.shape[2])
        key, value = (x.repeat_interleave(2, 1) for x in (key, value))
        return SDPA(query, key, value, torch.where(causal, bias, float("-inf")).to(query.dtype)).transpose(1, 2), None

    AttentionInterface.register("mine", mine)
    try:
        model, batch = hf_llama(attn_implementation="mine")
        graph = imported(model, batch)
        assert attentions(graph) == (2, 0)
        compare(graph, model, batch)
    finally:
        del AttentionInterface._global_mapping["mine"]


def test_a_model_set_to_flash_attention_gets_the_composite():
    model, batch = hf_llama()
    model.config._attn_implementation_internal = "flash_attention_2"
    graph = imported(model, batch)
    assert model.config._attn_implementation == "flash_attention_2" and attentions(graph) == (2, 0)
    model.config._attn_implementation_internal = "sdpa"
    compare(graph, model, batch)


def test_what_only_flash_attention_obeys_is_refused_of_it():
    model, batch = asked({"cu_seq_lens_q": torch.tensor([0, 8, 16])})
    assert attentions(imported(model, batch)) == (1, 0)
    model.config._attn_implementation_internal = "flash_attention_2"
    with pytest.raises(ImportFailure, match="calls it with cu_seq_lens_q"):
        imported(model, batch)
    model, batch = asked({"sliding_window": 4})
    assert attentions(imported(model, batch)) == (1, 0)
    model.config._attn_implementation_internal = "flash_attention_2"
    with pytest.raises(ImportFailure, match="one window but model.layers.0.self_attn .* has one of 4 in flash attention and none"):
        imported(model, batch)


@pytest.mark.parametrize("family,attention", [("t5", composite_attention), ("bart", composite_attention), ("gpt-neox", own_attention)])
def test_around_a_plain_run(family, attention):
    """Without a trace the same is computed, by the composites' own formulas."""
    model, batch = models.FAMILIES[family]()
    expected = model(**batch).loss
    with KeepComposites(), attention(model):
        loss = model(**batch).loss
    torch.testing.assert_close(loss, expected, rtol=1e-5, atol=0)


BIASES = [(causal_lower_right(3, 6), (2, 4, 3, 8)), (causal_upper_left(3, 6), (2, 4, 3, 8)), (causal_lower_right(6, 6), (2, 4, 6, 8))]


@pytest.mark.parametrize("bias,queries", BIASES)
def test_a_causal_bias_of_pytorch(bias, queries):
    model = Attends(lambda q, k, v: SDPA(q, k, v, bias), queries, (2, 4, 6, 8))
    graph = imported(model, SCALE)
    assert attentions(graph) == (1, 0)
    compare(graph, model, SCALE)


@pytest.mark.parametrize("call,message", [
    (lambda q, k, v: SDPA(q, k, v, window=3), "Attends raised TypeError: .* unexpected keyword argument 'window'"),
    (lambda q, k, v: SDPA(q, k, v, torch.ones(6, 6, dtype=torch.int64)), "Attends raised RuntimeError: Expected attn_mask dtype"),
    (lambda q, k, v: SDPA(q, k[:, :3], v[:, :3], enable_gqa=True), "Attends raised RuntimeError: Number of heads in key and value"),
    (lambda q, k, v: SDPA(q, k, v, BIASES[2][0], is_causal=True), "Attends raised ValueError: CausalBias should not be used"),
    (lambda q, k, v: SDPA(q, k, v, dropout_p=1.5), "Attends raised RuntimeError: dropout"),
])
def test_what_pytorch_refuses_is_refused_in_its_words(call, message):
    with pytest.raises(ImportFailure, match=message):
        imported(Attends(call), SCALE)


def state():
    from transformers import AttentionInterface, AttentionMaskInterface, masking_utils, modeling_utils

    return (dict(AttentionInterface._global_mapping), dict(AttentionMaskInterface._global_mapping), AttentionInterface.get_interface,
            dict(modeling_utils.ALL_ATTENTION_FUNCTIONS._local_mapping), dict(masking_utils.ALL_MASK_ATTENTION_FUNCTIONS._local_mapping),
            dict(vars(masking_utils)))


@pytest.mark.parametrize("attention", ["composite", "keep"])
def test_transformers_is_left_as_it_was(attention):
    before = state()
    for family in ("bart", "opt"):
        model, batch = models.FAMILIES[family]()
        configs = [dict(vars(m.config)) for m in model.modules() if hasattr(m, "config")]
        try:
            imported(model, batch, attention=attention)
        except ImportFailure:
            assert family == "opt"
        assert state() == before
        assert [dict(vars(m.config)) for m in model.modules() if hasattr(m, "config")] == configs


@pytest.mark.parametrize("mask", [(5, 5), (7,), (2, 5, 6, 6), (3, 2, 4, 6, 6)])
def test_a_mask_of_another_shape(mask):
    class Masked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Linear(4, 4)

        def forward(self, x):
            q = self.w(x)
            return F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(mask, dtype=torch.bool)).square().sum()
    model = Masked()
    with pytest.raises(ImportFailure, match="a mask of attention must have the shape of the scores, or one that repeats to it, but has "):
        prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), (torch.randn(2, 4, 6, 4),))
