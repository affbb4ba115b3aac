# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec.transformers.Trainer beside transformers.Trainer, under the same arguments."""
import contextlib

import pytest
import torch
import transformers
from small import assert_same_weights

import prec
from prec import transformers as own


class Rows(torch.utils.data.Dataset):
    """Rows of a noisy walk; some labels do not count."""

    def __init__(self, count, length=16):
        generator = torch.Generator().manual_seed(count)
        self.rows = torch.randint(-2, 3, (count, length), generator=generator).cumsum(1) % 64

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        labels = self.rows[i].clone()
        labels[:i % 5] = -100
        return {"input_ids": self.rows[i], "labels": labels}


class WholeRows(Rows):
    def __getitem__(self, i):
        return {"input_ids": self.rows[i], "labels": self.rows[i]}


def model(dtype=torch.float32):
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1,
        max_position_embeddings=64, tie_word_embeddings=True)).to(dtype)


def arguments(folder, **others):
    return transformers.TrainingArguments(str(folder), **{
        "per_device_train_batch_size": 4, "max_steps": 6, "learning_rate": 5e-3, "lr_scheduler_type": "cosine", "warmup_steps": 2, "logging_steps": 1,
        "report_to": [], "save_strategy": "no", "use_cpu": True, "disable_tqdm": True, "max_grad_norm": 0.5, "seed": 3, "weight_decay": 0.1} | others)


@pytest.fixture
def train(cache):
    def run(kind, args, resume=None, **others):
        options = {} if kind is transformers.Trainer else {
            "recipe": "fp32", "compile_options": {"cache": cache, "verify": False, "threads": 1, "log": lambda line: None}}
        m = model()
        trainer = kind(model=m, args=args, train_dataset=Rows(32), eval_dataset=Rows(6), **options, **others)
        trainer.train(resume_from_checkpoint=resume)
        return m, trainer, [entry for entry in trainer.state.log_history]
    return run


@pytest.mark.parametrize("others", [{}, {"gradient_accumulation_steps": 3, "max_grad_norm": 0.0, "max_steps": 4}], ids=["plain", "accumulated"])
def test_logs_are_those_of_transformers(others, train, tmp_path):
    args = arguments(tmp_path, eval_strategy="steps", eval_steps=2, **others)
    a, _, expected = train(transformers.Trainer, args)
    b, trainer, got = train(own.Trainer, args)
    assert len(expected) == len(got)
    for x, y in zip(expected, got):
        for name in ("loss", "eval_loss", "learning_rate", "train_loss"):
            assert (name in x) == (name in y) and x.get(name, 0) == pytest.approx(y.get(name, 0), rel=2e-5), (name, x, y)
        assert x.get("grad_norm", 0) == pytest.approx(y.get("grad_norm", 0), rel=1e-3)
    assert_same_weights(a, b, rtol=1e-3, atol=1e-5)
    assert trainer.step.steps == args.max_steps


def test_a_resumed_training_has_the_same_bits(train, tmp_path):
    straight, _, logs = train(own.Trainer, arguments(tmp_path / "a", save_strategy="steps", save_steps=3))
    assert (tmp_path / "a/checkpoint-3" / own.STATE_FILE).is_file()
    resumed, trainer, again = train(own.Trainer, arguments(tmp_path / "a", save_strategy="no"), resume=str(tmp_path / "a/checkpoint-3"))
    assert [e["loss"] for e in again if "loss" in e] == [e["loss"] for e in logs if "loss" in e]
    assert_same_weights(straight, resumed, rtol=0, atol=0)
    # And transformers goes on from it.
    train(transformers.Trainer, arguments(tmp_path / "a"), resume=str(tmp_path / "a/checkpoint-3"))
    loaded = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "a/checkpoint-6")
    assert_same_weights(loaded, straight, rtol=0, atol=0)


class OtherLoss(own.Trainer):
    def compute_loss(self, *arguments, **others):
        return super().compute_loss(*arguments, **others) * 2


@pytest.mark.parametrize("kind, args, others, message", [
    (OtherLoss, {}, {}, "compute_loss must be that of transformers.Trainer"),
    (own.Trainer, {"label_smoothing_factor": 0.1}, {}, "label_smoothing_factor must be 0"),
    (own.Trainer, {}, {"compute_loss_func": lambda outputs, labels, **_: outputs.loss}, "compute_loss_func must be None"),
    (own.Trainer, {}, {"compile_options": {"accumulate": True}}, "must leave accumulate to the Trainer")])
def test_refused(kind, args, others, message, tmp_path):
    with pytest.raises(prec.StepFailure, match=message):
        kind(model=model(), args=arguments(tmp_path, **args), train_dataset=Rows(8), **others)


def test_autocast_is_the_recipes(tmp_path):
    args = arguments(tmp_path)
    args.bf16 = True
    with pytest.warns(UserWarning, match="bf16=True is not used"):
        trainer = own.Trainer(model=model(), args=args, train_dataset=Rows(8))
    assert not trainer.args.bf16 and args.bf16


def test_losses_that_transformers_adds_up(cache, tmp_path):
    """Those of a classifier, over micro-batches."""
    class Classes(Rows):
        def __getitem__(self, i):
            return {"input_ids": self.rows[i], "labels": int(self.rows[i].sum()) % 3}
    losses = []
    for kind, options in ((transformers.Trainer, {}), (own.Trainer, {"recipe": "fp32", "compile_options": {
            "cache": cache, "verify": False, "threads": 1, "log": lambda line: None}})):
        torch.manual_seed(0)
        m = transformers.BertForSequenceClassification(transformers.BertConfig(
            vocab_size=64, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=48, max_position_embeddings=32,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=3))
        trainer = kind(model=m, args=arguments(tmp_path, max_steps=1, gradient_accumulation_steps=2), train_dataset=Classes(8), **options)
        with pytest.warns(UserWarning, match="adds up the losses of micro-batches of BertFor") if options else contextlib.nullcontext():
            trainer.train()
        losses.append(trainer.state.log_history[0]["loss"])
    assert losses[1] == pytest.approx(losses[0] / 2, rel=2e-5)


def test_labels_that_transformers_counts_otherwise(cache, tmp_path):
    """GPT-2: the first label of each row is in transformers' divisor, and in no loss."""
    losses = []
    for kind, options in ((transformers.Trainer, {}), (own.Trainer, {"recipe": "fp32", "compile_options": {
            "cache": cache, "verify": False, "threads": 1, "log": lambda line: None}})):
        torch.manual_seed(0)
        m = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=1, n_head=2, resid_pdrop=0.0,
                                                                 embd_pdrop=0.0, attn_pdrop=0.0))
        trainer = kind(model=m, args=arguments(tmp_path, max_steps=1), train_dataset=WholeRows(8), **options)
        with pytest.warns(UserWarning, match="divides the loss of GPT2LMHeadModel by all of its labels") if options else contextlib.nullcontext():
            trainer.train()
        losses.append(trainer.state.log_history[0]["loss"])
    assert losses[1] == pytest.approx(losses[0] * 16 / 15, rel=2e-5)
