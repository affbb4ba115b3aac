# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of models that nobody tuned prec for: other norms, biases, activations, residuals and sizes than the
Llamas and GPT-2.

    prec-import benchmarks/untuned_models.py:qwen3 -o qwen3.mlir      (no memory for the weights is needed)

Few layers each, since all layers are alike; of one that is raced against compiled PyTorch as it is, eight.
"""
import functools

import torch
import torch.nn.functional as F
import transformers
from torch import nn

import prec


class Block(nn.Module):
    """A layer of a plain encoder, with biases throughout; norms before or behind each half."""

    def __init__(self, width, heads, norm_behind):
        super().__init__()
        self.heads, self.norm_behind = heads, norm_behind
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        heads = (layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for layer in (self.query, self.key, self.value))
        return self.out(F.scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2))

    def forward(self, x):
        if self.norm_behind:
            x = self.norm1(x + self.attend(x))
            return self.norm2(x + self.down(F.gelu(self.up(x))))
        x = x + self.attend(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Bert(nn.Module):
    """A masked language model: bidirectional, norms behind."""

    def __init__(self, vocabulary=30522, width=1024, length=512, layers=3):
        super().__init__()
        self.words, self.places, self.types = nn.Embedding(vocabulary, width), nn.Embedding(length, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.Sequential(*(Block(width, 16, True) for _ in range(layers)))
        self.dense, self.head_norm, self.head = nn.Linear(width, width), nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, ids, types, labels):
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.blocks(self.norm(self.words(ids) + self.places(places) + self.types(types)))
        return F.cross_entropy(self.head(self.head_norm(F.gelu(self.dense(x)))).flatten(0, 1), labels.flatten())


class VisionTransformer(nn.Module):
    """A classifier of 196 patches, which 128 does not divide."""

    def __init__(self, width=1024, patches=196, layers=3):
        super().__init__()
        self.embed, self.places = nn.Linear(768, width), nn.Parameter(torch.zeros(1, patches, width))
        self.blocks = nn.Sequential(*(Block(width, 16, False) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, patches, labels):
        x = self.blocks(self.embed(patches) + self.places)
        return F.cross_entropy(self.head(self.norm(x).mean(1)), labels)


class Perceptron(nn.Module):
    def __init__(self, width=2048, hidden=4096, layers=4, classes=1000):
        super().__init__()
        self.first, self.last = nn.Linear(width, hidden), nn.Linear(hidden, classes)
        self.layers = nn.ModuleList(nn.Sequential(nn.LayerNorm(hidden), nn.Linear(hidden, hidden), nn.ReLU()) for _ in range(layers))

    def forward(self, x, labels):
        x = F.relu(self.first(x))
        for layer in self.layers:
            x = layer(x)
        return F.cross_entropy(self.last(x), labels)


class GeluPerceptron(nn.Module):
    """A regression: biases and GELU, no norms."""

    def __init__(self, width=3072, layers=4, outputs=256):
        super().__init__()
        self.layers = nn.Sequential(*(layer for _ in range(layers) for layer in (nn.Linear(width, width), nn.GELU())))
        self.last = nn.Linear(width, outputs)

    def forward(self, x, y):
        return F.mse_loss(self.last(self.layers(x)), y)


class T5(nn.Module):
    """The encoder of T5, with a bias of attention by distance, and a head over its classes."""

    def __init__(self, width=1024, vocabulary=32128, layers=2):
        super().__init__()
        self.encoder = transformers.T5EncoderModel(transformers.T5Config(
            vocab_size=vocabulary, d_model=width, d_kv=64, d_ff=4 * width, num_heads=width // 64, num_layers=layers, dropout_rate=0.0))
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids, labels):
        x = self.encoder(input_ids=ids).last_hidden_state
        return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


class ModernBert(nn.Module):
    """Gated GELU, rotary embeddings, and attention in windows in all but the first layer."""

    def __init__(self, layers=3):
        super().__init__()
        self.model = transformers.ModernBertForMaskedLM(transformers.ModernBertConfig(
            num_hidden_layers=layers, hidden_size=1024, intermediate_size=2624, num_attention_heads=16, attn_implementation="sdpa"))

    def forward(self, ids, labels):
        return self.model(input_ids=ids, labels=labels).loss


def language_model(kind, layers=2, **config):
    """A model of Hugging Face."""
    return getattr(transformers, f"{kind}ForCausalLM")(getattr(transformers, f"{kind}Config")(num_hidden_layers=layers, **config))


QWEN3 = functools.partial(language_model, "Qwen3", vocab_size=32000, hidden_size=2048, intermediate_size=6144, num_attention_heads=16,
                          num_key_value_heads=8, head_dim=128, tie_word_embeddings=True)
OLMO2 = functools.partial(language_model, "Olmo2", vocab_size=100278, hidden_size=2048, intermediate_size=8192, num_attention_heads=16,
                          num_key_value_heads=16, tie_word_embeddings=False)
LANGUAGE_MODELS = {
    "qwen2": (functools.partial(language_model, "Qwen2", vocab_size=32000, hidden_size=1536, intermediate_size=8960,
                                num_attention_heads=12, num_key_value_heads=2, tie_word_embeddings=True), (8, 1024)),
    "qwen3": (QWEN3, (8, 1024)),
    "qwen3_3000": (QWEN3, (4, 3000)),
    "olmo2": (OLMO2, (4, 2048)),
    "olmo2_8": (functools.partial(OLMO2, layers=8), (4, 2048)),
    "cohere": (functools.partial(language_model, "Cohere", vocab_size=32000, hidden_size=2048, intermediate_size=8192,
                                 num_attention_heads=16, num_key_value_heads=8), (8, 1024)),
    "stablelm": (functools.partial(language_model, "StableLm", vocab_size=32000, hidden_size=2048, intermediate_size=5632,
                                   num_attention_heads=16, num_key_value_heads=16), (8, 1024)),
    "phi": (functools.partial(language_model, "Phi", vocab_size=51200, hidden_size=2048, intermediate_size=8192,
                              num_attention_heads=16), (8, 1024)),
    "gemma": (functools.partial(language_model, "Gemma", vocab_size=32000, hidden_size=2048, intermediate_size=8192,
                                num_attention_heads=16, num_key_value_heads=4, head_dim=128), (8, 1024)),
    "neox": (functools.partial(language_model, "GPTNeoX", vocab_size=50304, hidden_size=2048, intermediate_size=8192,
                               num_attention_heads=16, use_parallel_residual=True), (8, 1024)),
    "llama_2560": (functools.partial(language_model, "Llama", vocab_size=32000, hidden_size=2560, intermediate_size=6912,
                                     num_attention_heads=20, num_key_value_heads=5), (8, 1000)),
    "llama_1000": (functools.partial(language_model, "Llama", vocab_size=32000, hidden_size=1000, intermediate_size=2696,
                                     num_attention_heads=8, num_key_value_heads=8, head_dim=128), (8, 1000)),
    "llama_biased": (functools.partial(language_model, "Llama", vocab_size=32000, hidden_size=2048, intermediate_size=5632,
                                       num_attention_heads=16, num_key_value_heads=4, attention_bias=True, mlp_bias=True), (8, 1024)),
    "mistral": (functools.partial(language_model, "Mistral", vocab_size=32768, hidden_size=2048, intermediate_size=7168,
                                  num_attention_heads=16, num_key_value_heads=4, sliding_window=None), (4, 2048)),
    "starcoder2": (functools.partial(language_model, "Starcoder2", vocab_size=49152, hidden_size=2048, intermediate_size=8192,
                                     num_attention_heads=16, num_key_value_heads=2, sliding_window=None), (8, 1024)),
    "opt": (functools.partial(language_model, "OPT", vocab_size=50272, hidden_size=2048, ffn_dim=8192, num_attention_heads=32,
                              word_embed_proj_dim=2048, dropout=0.0), (8, 1024)),
}


def training_step(build, inputs):
    """What prec-import takes."""
    with prec.weightless():
        model = build()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
    return model, optimizer, inputs, {"clip_grad_norm": 1.0}


def ids(*shape):
    return torch.zeros(shape, dtype=torch.int64)


def language_step(name):
    build, shape = LANGUAGE_MODELS[name]
    return training_step(build, {"input_ids": ids(*shape), "labels": ids(*shape)})


(qwen2, qwen3, qwen3_3000, olmo2, olmo2_8, cohere, stablelm, phi, gemma, neox, llama_2560, llama_1000, llama_biased, mistral, starcoder2, opt) = (
    functools.partial(language_step, name) for name in LANGUAGE_MODELS)


def bert():
    return training_step(Bert, {"ids": ids(16, 512), "types": ids(16, 512), "labels": ids(16, 512)})


def vit():
    return training_step(VisionTransformer, {"patches": torch.zeros(64, 196, 768), "labels": ids(64)})


def mlp():
    return training_step(Perceptron, {"x": torch.zeros(8192, 2048), "labels": ids(8192)})


def mlp_gelu():
    return training_step(GeluPerceptron, {"x": torch.zeros(8192, 3072), "y": torch.zeros(8192, 256)})


def t5():
    return training_step(T5, {"ids": ids(16, 512), "labels": ids(16, 512)})


def modernbert():
    return training_step(ModernBert, {"ids": ids(8, 1024), "labels": ids(8, 1024)})
