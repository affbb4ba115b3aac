# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LoRA adapters trained by TRL's SFTTrainer; `--prec` takes prec's SFTTrainer: one line."""
import argparse
import tempfile

import datasets
import peft
import tokenizers
import torch
import transformers
import trl

WORDS = ["<pad>", "<end>", *(f"w{i}" for i in range(62))]


def make_tokenizer():
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<pad>"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<end>")


def make_data(count=64):
    """Prompts, and completions that count on from them."""
    generator, rows = torch.Generator().manual_seed(0), []
    for _ in range(count):
        start, length = torch.randint(0, 62, (2,), generator=generator).tolist()
        words = [f"w{(start + 3 * i) % 62}" for i in range(6 + length % 10)]
        rows.append({"prompt": " ".join(words[:3]), "completion": " " + " ".join(words[3:])})
    return datasets.Dataset.from_list(rows)


def train(use_prec, steps, recipe="fp32", **options):
    torch.manual_seed(0)
    config = transformers.LlamaConfig(vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2,
                                      num_key_value_heads=1, max_position_embeddings=32)
    model = transformers.LlamaForCausalLM(config)
    adapters = peft.LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", modules_to_save=["embed_tokens"])
    kind, others = trl.SFTTrainer, {}
    if use_prec:
        import prec
        kind, others = prec.trl.SFTTrainer, {"recipe": recipe, "compile_options": options}
    with tempfile.TemporaryDirectory() as folder:
        args = trl.SFTConfig(folder, max_steps=steps, per_device_train_batch_size=4, learning_rate=5e-3, logging_steps=1, report_to=[],
                             save_strategy="no", use_cpu=not torch.cuda.is_available(), disable_tqdm=True, bf16=False,
                             gradient_checkpointing=False)
        trainer = kind(model=model, args=args, train_dataset=make_data(), processing_class=make_tokenizer(), peft_config=adapters, **others)
        trainer.train()
    train.logs = [entry for entry in trainer.state.log_history if "loss" in entry]
    return trainer.model, [entry["loss"] for entry in train.logs]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prec", action="store_true", help="train by a compiled step")
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    train(arguments.prec, arguments.steps)
