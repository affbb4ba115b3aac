# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that generate_torch.py hands to torch-mlir, and test_foreign_linalg.py to prec.import_torch: each with its
inputs."""
import torch
import torch.nn as nn
import transformers


class Logits(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        # A mask that is whole keeps transformers from looking for packed sequences.
        length = ids.shape[1]
        mask = torch.triu(torch.full((length, length), -1e9), 1)[None, None]
        return self.model(input_ids=ids, attention_mask=mask, position_ids=torch.arange(length)[None], use_cache=False).logits


class NoCache(Logits):
    def forward(self, ids):
        return self.model(input_ids=ids).logits


IDS = torch.arange(64).reshape(2, 32) % 60


def llama():
    config = transformers.LlamaConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                                      num_key_value_heads=2, attn_implementation="eager")
    return Logits(transformers.LlamaForCausalLM(config)), (IDS,)


def bert():
    config = transformers.BertConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                                     max_position_embeddings=32, attn_implementation="eager")
    return NoCache(transformers.BertForMaskedLM(config)), (IDS,)


def gpt2():
    config = transformers.GPT2Config(vocab_size=128, n_embd=64, n_layer=2, n_head=4, n_positions=32, attn_implementation="eager")
    return Logits(transformers.GPT2LMHeadModel(config)), (IDS,)


class ConvNet(nn.Module):
    """Convolutions with strides, groups and padding, both kinds of pooling, batch norms with their running
    statistics."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 32, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(32)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.depthwise = nn.Conv2d(32, 32, 3, padding=1, groups=32)
        self.point = nn.Conv2d(32, 64, 1)
        self.average = nn.AvgPool2d(2)
        self.head = nn.Linear(64, 16)

    def forward(self, x):
        y = self.pool(torch.relu(self.norm(self.stem(x))))
        y = self.average(torch.nn.functional.silu(self.point(self.depthwise(y))))
        return self.head(y.mean((2, 3)))


def conv_net():
    return ConvNet(), (torch.linspace(-1, 1, 2 * 3 * 32 * 32).reshape(2, 3, 32, 32),)


MODELS = {"llama": llama, "bert": bert, "gpt2": gpt2, "conv_net": conv_net}
