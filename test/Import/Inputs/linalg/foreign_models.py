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


class NanoBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.c_attn, self.c_proj = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.ln_2, self.c_fc, self.c_out = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, sees):
        rows, length, width = x.shape
        q, k, v = (t.view(rows, length, self.heads, width // self.heads).transpose(1, 2) for t in self.c_attn(self.ln_1(x)).split(width, 2))
        scores = (q @ k.transpose(-2, -1)) * (width // self.heads) ** -0.5
        weights = kept(scores.masked_fill(sees[:, :, :length, :length] == 0, float("-inf")).softmax(-1))
        x = x + kept(self.c_proj((weights @ v).transpose(1, 2).reshape(rows, length, width)))
        return x + kept(self.c_out(nn.functional.gelu(self.c_fc(self.ln_2(x)), approximate="tanh")))


def kept(x):
    """Dropout that keeps every element, as generate_byteir.py has it."""
    return x / 0.8


class NanoGpt(nn.Module):
    """The model of which ByteIR's frontend made byteir_nanogpt.mlir: parameters are in its order, and a mask for each
    layer follows them."""

    def __init__(self, layers=6, width=384, heads=6, vocabulary=65, length=256):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList([NanoBlock(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        for n in range(layers):
            self.register_buffer(f"sees_{n}", torch.tril(torch.ones(length, length))[None, None])

    def forward(self, ids, labels):
        x = kept(self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))[None])
        for n, block in enumerate(self.blocks):
            x = block(x, getattr(self, f"sees_{n}"))
        logits = self.head(self.norm(x))
        return logits, nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-1)


MODELS = {"llama": llama, "bert": bert, "gpt2": gpt2, "conv_net": conv_net}
