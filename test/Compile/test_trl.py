# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec.trl.SFTTrainer beside trl.SFTTrainer under the same arguments: losses and what it logs beside them, with LoRA
adapters, packing, masks of completions and of assistants, accumulation and evaluation."""
import importlib
import pathlib

import pytest
import torch
from small import assert_same_weights

import prec

trl = pytest.importorskip("trl")
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def example():
    import sys
    sys.path.insert(0, str(ROOT / "examples" / "compile"))
    yield importlib.import_module("sft")
    sys.path.remove(str(ROOT / "examples" / "compile"))


@pytest.fixture
def train(example, cache, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("CI", "1")

    def run(kind, data=None, adapters=True, resume=None, trainer=None, options=None, **others):
        import peft
        import transformers
        torch.manual_seed(0)
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
            vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1,
            max_position_embeddings=64))
        config = peft.LoraConfig(r=4, target_modules=["q_proj", "down_proj"]) if adapters else None
        args = trl.SFTConfig(str(tmp_path / kind.__module__), **{
            "max_steps": 4, "per_device_train_batch_size": 4, "learning_rate": 1e-2, "logging_steps": 1, "report_to": [], "save_strategy": "no",
            "use_cpu": True, "disable_tqdm": True, "bf16": False, "gradient_checkpointing": False, "seed": 3} | others)
        options = {} if kind is trl.SFTTrainer else {
            "recipe": "fp32", "compile_options": {"cache": cache, "verify": False, "threads": 1, "log": lambda line: None} | (options or {})}
        made = kind(model=model, args=args, train_dataset=example.make_data(32) if data is None else data, peft_config=config,
                    processing_class=example.make_tokenizer(), **options, **(trainer or {}))
        made.train(resume_from_checkpoint=resume)
        return made, [entry for entry in made.state.log_history if "loss" in entry]
    return run


def same_logs(expected, got, accuracy=True):
    assert len(expected) == len(got) > 0
    for x, y in zip(expected, got):
        assert x.keys() == y.keys()
        for name in ("loss", "entropy", "mean_token_accuracy", "num_tokens", "learning_rate"):
            assert x[name] == pytest.approx(y[name], rel=2e-4), (name, x, y)


@pytest.mark.parametrize("others", [
    {},
    {"gradient_accumulation_steps": 2, "max_steps": 3},
    {"packing": True, "max_length": 32},
    {"packing": True, "packing_strategy": "wrapped", "max_length": 32},
    {"padding_free": True, "max_length": None},
    {"completion_only_loss": False},
], ids=["plain", "accumulated", "packed", "wrapped", "padding-free", "whole"])
@pytest.mark.cases(1)
def test_logs_are_trls(others, train):
    a, expected = train(trl.SFTTrainer, **others)
    b, got = train(prec.trl.SFTTrainer, **others)
    same_logs(expected, got)
    assert_same_weights(a.model, b.model, rtol=2e-3, atol=2e-5)


@pytest.mark.long
def test_evaluation_and_checkpoints(train, example, tmp_path):
    others = {"eval_strategy": "steps", "eval_steps": 2, "save_strategy": "steps", "save_steps": 2}
    _, expected = train(trl.SFTTrainer, trainer={"eval_dataset": example.make_data(8)}, **others)
    b, got = train(prec.trl.SFTTrainer, trainer={"eval_dataset": example.make_data(8)}, **others)
    same_logs(expected, got)
    folder = next(tmp_path.glob("prec.trl/checkpoint-2"))
    assert (folder / "adapter_model.safetensors").is_file() and (folder / "prec_step.pt").is_file()
    resumed, again = train(prec.trl.SFTTrainer, resume=str(folder), **(others | {"save_strategy": "no", "eval_strategy": "no"}))
    # The first batch of the resumed run has another length: sums are in another order.
    assert [entry["loss"] for entry in again] == pytest.approx([entry["loss"] for entry in got], rel=1e-6)
    assert_same_weights(b.model, resumed.model, rtol=1e-5, atol=1e-7)


CHAT = ("{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{{ m.content }} <end> {% endgeneration %}"
        "{% else %}{{ m.content }} {% endif %}{% endfor %}")


def test_labels_of_assistants_alone(train, example):
    import datasets
    rows = [{"messages": [{"role": "user", "content": f"w{i} w{i + 1}"}, {"role": "assistant", "content": f"w{i + 2} w{i + 3} w{i + 4}"}]}
            for i in range(32)]
    tokenizer = example.make_tokenizer()
    tokenizer.chat_template = CHAT
    logs = []
    for kind in (trl.SFTTrainer, prec.trl.SFTTrainer):
        made = {"processing_class": tokenizer}
        logs.append(train_with(train, kind, datasets.Dataset.from_list(rows), made, example))
    same_logs(*logs)


def train_with(train, kind, data, made, example):
    own = example.make_tokenizer
    example.make_tokenizer = lambda: made["processing_class"]
    try:
        return train(kind, data=data, assistant_only_loss=True)[1]
    finally:
        example.make_tokenizer = own


def test_refused(train):
    with pytest.raises(prec.StepFailure, match="loss_type must be 'nll'"):
        train(prec.trl.SFTTrainer, loss_type="dft")


@pytest.mark.long
def test_padding_is_reported(train):
    """And lengths are chosen of the first batches."""
    plain, expected = train(trl.SFTTrainer)
    trainer, got = train(prec.trl.SFTTrainer, options={"lengths": "first-batches"})
    same_logs(expected, got)
    assert len(trainer.step.lengths) > 1
    assert 0.05 < trainer.step.padding < 0.7
    assert "pack documents" in trainer.step.report() or trainer.step.padding <= 0.2
