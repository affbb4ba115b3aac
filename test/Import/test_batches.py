# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches as collators make them: padded, packed, nested, with entries that forward does not take. What is imported of
them is compared with PyTorch in float64."""
import attention_models as models
import pytest
import torch
import torch.nn.functional as F
from models import hf_llama, loss_and_gradients, reference

import prec
from prec import ImportFailure

pytestmark = pytest.mark.filterwarnings("ignore:attention with .* is imported as products")


def imported(model, batch, **options):
    step = prec.import_torch(model, torch.optim.AdamW(model.parameters(), lr=1e-3), batch, **options)
    assert step.verified == "verified"
    return step.graph


def computed(graph, model, batch):
    return loss_and_gradients(graph, {**{name: p.detach().clone() for name, p in model.named_parameters()}, **batch})


def compare(graph, model, batch):
    got, gradients = computed(graph, model, batch)
    loss, expected = reference(model, batch)
    torch.testing.assert_close(got, loss, rtol=1e-9, atol=0)
    assert gradients.keys() == expected.keys()
    largest = max(g.abs().max() for g in expected.values())
    for path, g in expected.items():
        assert (gradients[path] - g).abs().max() < 1e-8 * torch.maximum(g.abs().max(), 1e-6 * largest), path


def padded(batch, side, dtype=torch.int64):
    """The batch with a second row that ends, or begins, with four tokens of padding."""
    mask = torch.ones(2, models.TOKENS, dtype=dtype)
    mask[1, slice(-4, None) if side == "right" else slice(0, 4)] = 0
    batch = {name: t.clone() for name, t in batch.items()}
    batch["input_ids"][mask == 0] = 3
    if batch["labels"].shape == mask.shape and "decoder_input_ids" not in batch:
        batch["labels"][mask == 0] = -100
    return {**batch, "attention_mask": mask}


PADDED = {
    **{f"{name} {side}": (lambda name=name: models.FAMILIES[name](), side) for name, side in (
        ("bloom", "right"), ("bart", "right"), ("bart-decoder", "left"), ("gpt-neox", "left"), ("t5", "right"), ("xglm", "right"))},
    "llama right": (hf_llama, "right"),
    "llama left": (hf_llama, "left"),
    "llama eager left": (lambda: hf_llama(attn_implementation="eager"), "left"),
    "mistral with a window": (lambda: models.WINDOWED["mistral"](4), "right"),
    "gemma2 with a window": (lambda: models.WINDOWED["gemma2"](4), "left"),
    "modernbert with a window": (lambda: models.WINDOWED["modernbert"](4), "right"),
    "an encoder": (lambda: models.ENCODERS["eurobert"](), "right"),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", PADDED)
def test_a_padded_batch(name):
    build, side = PADDED[name]
    model, batch = build()
    batch = padded(batch, side)
    compare(imported(model, batch), model, batch)


@pytest.mark.parametrize("dtype", [torch.bool, torch.int32, torch.float32])
def test_masks_of_other_types(dtype):
    model, batch = hf_llama(num_hidden_layers=1)
    batch = padded(batch, "right", dtype)
    compare(imported(model, batch), model, batch)


@pytest.mark.parametrize("side", ["right", "left"])
def test_padding_is_finite_and_changes_nothing(side):
    model, batch = hf_llama(num_hidden_layers=1, tie_word_embeddings=False)
    batch = padded(batch, side)
    batch["input_ids"] = torch.where(batch["attention_mask"] == 0, 3, batch["input_ids"].clamp(min=4))
    # In front of it stands padding, whose logits would be read.
    batch["labels"][1, 4] = -100
    graph = imported(model, batch)
    loss, gradients = computed(graph, model, batch)
    assert not gradients["model.embed_tokens.weight"][3].any()
    assert all(bool(g.isfinite().all()) for g in gradients.values())
    batch["input_ids"] = torch.where(batch["attention_mask"] == 0, 2, batch["input_ids"])
    other, others = computed(graph, model, batch)
    assert loss == other
    assert all(torch.equal(g, others[name]) for name, g in gradients.items())


def test_a_batch_of_padding_alone_in_a_row_is_finite():
    model, batch = hf_llama(num_hidden_layers=1)
    batch = padded(batch, "left")
    graph = imported(model, batch)
    batch["attention_mask"][1], batch["labels"][1] = 0, -100
    loss, gradients = computed(graph, model, batch)
    assert loss.isfinite() and all(bool(g.isfinite().all()) for g in gradients.values())


def packed():
    """Two documents in one row, as transformers' flattening collator packs them."""
    from transformers import DataCollatorWithFlattening

    ids = torch.arange(4, 4 + models.TOKENS).tolist()
    return dict(DataCollatorWithFlattening(return_position_ids=True)([{"input_ids": ids[:7]}, {"input_ids": ids[7:]}], return_tensors="pt"))


@pytest.mark.parametrize("how", ["sdpa", "eager"])
def test_packed_documents_do_not_see_each_other(how):
    model, _ = hf_llama(num_hidden_layers=1, attn_implementation=how)
    batch = packed()
    with pytest.raises(ImportFailure, match="would let them see each other, as it keeps a cache: set model.config.use_cache to False"):
        imported(model, batch)
    model.config.use_cache = False
    graph = imported(model, batch)
    compare(graph, model, batch)
    loss, _ = computed(graph, model, batch)
    batch["position_ids"] = torch.arange(models.TOKENS)[None]
    compare(graph, model, batch)
    assert computed(graph, model, batch)[0] != loss


def tokenizer():
    """One of words, as no file is needed for it."""
    from tokenizers import Tokenizer, models as kinds, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {word: i for i, word in enumerate(["[PAD]", "[MASK]", "[UNK]", *(f"w{i}" for i in range(60))])}
    made = Tokenizer(kinds.WordLevel(words, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]", mask_token="[MASK]", unk_token="[UNK]")


TEXTS = [" ".join(f"w{i}" for i in range(first, last)) for first, last in ((1, 12), (5, 13), (20, 31), (30, 33))]


def collated(name):
    """What the trainers of transformers give a model."""
    import transformers

    words = tokenizer()
    rows = [dict(words(text)) for text in TEXTS[:2]]
    for row in rows:
        row.pop("token_type_ids", None)
    if name == "padding":
        return transformers.DataCollatorWithPadding(words)([row | {"labels": i} for i, row in enumerate(rows)])
    if name == "language modeling":
        return transformers.DataCollatorForLanguageModeling(words, mlm=False, pad_to_multiple_of=8)(rows)
    if name == "masked language modeling":
        torch.manual_seed(0)
        return transformers.DataCollatorForLanguageModeling(words, mlm_probability=0.4)(rows)
    if name == "pairs":
        return transformers.DataCollatorForSeq2Seq(words)([row | {"labels": row["input_ids"][2:7 + i]} for i, row in enumerate(rows)])
    if name == "token labels":
        return transformers.DataCollatorForTokenClassification(words)([row | {"labels": [i % 2 for i in row["input_ids"]]} for row in rows])
    return transformers.DataCollatorWithFlattening(return_flash_attn_kwargs=True, return_seq_idx=True)(
        [{"input_ids": row["input_ids"]} for row in rows], return_tensors="pt")


def reader(name):
    """A model that reads what a collator gives."""
    import transformers

    torch.manual_seed(0)
    sizes = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "pad_token_id": 0,
             "max_position_embeddings": 64, "attn_implementation": "sdpa"}
    plain = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    if name in ("language modeling", "flattening"):
        return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, use_cache=False))
    if name == "pairs":
        return transformers.T5ForConditionalGeneration(transformers.T5Config(
            vocab_size=64, d_model=32, d_kv=16, d_ff=64, num_layers=1, num_heads=2, dropout_rate=0.0, decoder_start_token_id=0))
    kind = {"padding": transformers.BertForSequenceClassification, "masked language modeling": transformers.BertForMaskedLM,
            "token labels": transformers.BertForTokenClassification}[name]
    return kind(transformers.BertConfig(**sizes, **plain))


@pytest.mark.parametrize("name", ["padding", "language modeling", "masked language modeling", "pairs", "token labels", "flattening"])
def test_what_collators_give(name):
    model, batch = reader(name).train(), dict(collated(name))
    graph = imported(model, batch)
    batch = {key: value for key, value in batch.items() if isinstance(value, torch.Tensor)}
    compare(graph, model, batch)


def test_sizes_of_kernels_are_left_out():
    with pytest.warns(UserWarning, match="no parameter for these entries of the batch, which are left out: max_length_q, max_length_k"):
        graph = imported(reader("flattening"), dict(collated("flattening")))
    assert not any("max_length" in a.path for a in graph.arguments)


def test_positions_that_flash_attention_alone_would_look_at():
    model, batch = hf_llama(num_hidden_layers=1)
    inner = model.model.layers[0].self_attn
    forward = inner.forward
    positions = torch.arange(models.TOKENS).expand(2, -1).clone()
    # A mask of its own that knows nothing of documents.
    model.model.forward = lambda input_ids, position_ids=None, own=model.model.forward, **options: own(input_ids, **options, ids=position_ids)
    inner.forward = lambda *args, ids=None, **options: forward(*args, **{**options, "position_ids": ids})
    graph = imported(model, {**batch, "position_ids": positions})
    assert [a.path for a in graph.arguments if a.role == "batch"] == ["input_ids", "labels", "position_ids"]
    model.config._attn_implementation_internal = "flash_attention_2"
    with pytest.raises(ImportFailure, match="a mask must keep documents apart that position_ids pack but that of .*self_attn"):
        imported(model, {**batch, "position_ids": positions})


def test_what_a_tokenizer_returns():
    from transformers import BatchEncoding

    model, batch = hf_llama(num_hidden_layers=1)
    batch = padded(batch, "right")
    graph = imported(model, BatchEncoding(batch))
    compare(graph, model, batch)


class Nested(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Linear(4, 4)

    def forward(self, inputs, pair, weigh=None, twice=False, mode="plain"):
        x = self.w(inputs["x"]) + self.w(pair[0]) * pair[1]["scale"]
        x = torch.where(inputs["keep"], x, torch.zeros(())) if weigh is None else x * weigh
        return (x * (2 if twice else 1)).square().sum() if mode == "plain" else x.sum()


def nested():
    torch.manual_seed(0)
    return {"inputs": {"x": torch.randn(3, 4), "keep": torch.rand(3, 1) > 0.4}, "pair": [torch.randn(3, 4), {"scale": torch.randn(3, 1)}],
            "weigh": None, "twice": True, "mode": "plain"}


def test_nested_batches_and_what_is_no_tensor():
    model = Nested()
    batch = nested()
    graph = imported(model, batch)
    assert [a.path for a in graph.arguments if a.role == "batch"] == ["inputs.x", "inputs.keep", "pair.0", "pair.1.scale"]
    parameters = {name: p.detach().clone() for name, p in model.named_parameters()}
    got, _ = loss_and_gradients(graph, {**parameters, "inputs.x": batch["inputs"]["x"], "inputs.keep": batch["inputs"]["keep"],
                                        "pair.0": batch["pair"][0], "pair.1.scale": batch["pair"][1]["scale"]})
    torch.testing.assert_close(got.float(), model(**batch).detach(), rtol=1e-5, atol=0)
    positional = imported(model, (batch["inputs"], batch["pair"], None, True))
    assert [a.path for a in positional.arguments if a.role == "batch"] == ["inputs.x", "inputs.keep", "pair.0", "pair.1.scale"]


def test_entries_that_forward_does_not_take_are_left_out():
    model = Nested()
    with pytest.warns(UserWarning, match="no parameter for these entries of the batch, which are left out: length, text"):
        graph = imported(model, {**nested(), "length": torch.ones(3), "text": ["a", "b", "c"]})
    assert all(a.path != "length" for a in graph.arguments)


def test_numbers_are_refused():
    with pytest.raises(ImportFailure, match="must be a tensor, a dict, list, tuple or dataclass of some, .* but got float for weigh"):
        imported(Nested(), {**nested(), "weigh": 0.5})


def test_a_name_twice():
    class Any(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Linear(2, 2)

        def forward(self, **given):
            return F.relu(self.w(given["a"]["b"])).sum() + given["a.b"].sum()
    with pytest.raises(ImportFailure, match="every tensor of a batch must have a name of its own but two have a.b"):
        imported(Any(), {"a": {"b": torch.ones(1, 2)}, "a.b": torch.ones(2)})
