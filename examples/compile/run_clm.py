# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A causal language model trained by transformers' Trainer; `--prec` takes prec's Trainer: one line."""
import argparse
import tempfile

import torch
import transformers


class Walks(torch.utils.data.Dataset):
    """Noisy walks over the vocabulary."""

    def __init__(self, count=64, length=16, vocabulary=64):
        self.rows = torch.randint(-2, 3, (count, length), generator=torch.Generator().manual_seed(0)).cumsum(1) % vocabulary

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i], "labels": self.rows[i]}


def train(use_prec, steps, recipe="fp32", **options):
    torch.manual_seed(0)
    config = transformers.LlamaConfig(vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2,
                                      num_key_value_heads=1, max_position_embeddings=16)
    model = transformers.LlamaForCausalLM(config)
    kind, others = transformers.Trainer, {}
    if use_prec:
        import prec
        kind, others = prec.transformers.Trainer, {"recipe": recipe, "compile_options": options}
    with tempfile.TemporaryDirectory() as folder:
        args = transformers.TrainingArguments(folder, max_steps=steps, per_device_train_batch_size=4, learning_rate=1e-3, logging_steps=1,
                                              report_to=[], save_strategy="no", use_cpu=not torch.cuda.is_available(), disable_tqdm=True)
        trainer = kind(model=model, args=args, train_dataset=Walks(), **others)
        trainer.train()
    return model, [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prec", action="store_true", help="train by a compiled step")
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    train(arguments.prec, arguments.steps)
