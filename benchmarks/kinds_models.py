# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of other kinds of models than decoders, in sizes that people train: vision, masked text with padding,
speech, images in text, diffusion.

    prec-import benchmarks/kinds_models.py:vit_large -o vit.mlir      (no memory for the weights is needed)

Each entry of MODELS is a model and a batch; `kinds.py` races them against compiled PyTorch.
"""
import functools
import math

import torch
import torch.nn.functional as F
import transformers
from torch import nn

import prec


def vit_large(images=64):
    config = transformers.ViTConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096, num_labels=1000)
    return lambda: transformers.ViTForImageClassification(config), lambda: {
        "pixel_values": torch.randn(images, 3, 224, 224), "labels": torch.randint(0, 1000, (images,))}


def bert_large(rows=16, length=512, padding=0.3):
    """A masked language model whose batch is padded by 30 %."""
    config = transformers.BertConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096,
                                     hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)

    def batch():
        lengths = torch.linspace(length * (1 - 2 * padding), length, rows).round().long()
        mask = (torch.arange(length) < lengths[:, None]).long()
        ids = torch.randint(1000, 30000, (rows, length)) * mask
        chosen = (torch.rand(rows, length) < 0.15) & mask.bool()
        return {"input_ids": torch.where(chosen, 103, ids), "attention_mask": mask, "labels": torch.where(chosen, ids, -100)}
    return lambda: transformers.BertForMaskedLM(config), batch


def whisper_small(rows=8, length=256):
    config = transformers.WhisperConfig(d_model=768, encoder_layers=12, decoder_layers=12, encoder_attention_heads=12,
                                        decoder_attention_heads=12, encoder_ffn_dim=3072, decoder_ffn_dim=3072, use_cache=False)
    return lambda: transformers.WhisperForConditionalGeneration(config), lambda: {
        "input_features": torch.randn(rows, 80, 3000), "labels": torch.randint(0, 50000, (rows, length))}


def qwen2_5_vl(rows=4, length=1024, side=32):
    """Two layers that see and four that read, in the sizes of the model of 7 billion; a quarter of the tokens are of
    images."""
    config = transformers.Qwen2_5_VLConfig(
        text_config={"vocab_size": 152064, "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 4, "num_attention_heads": 28,
                     "num_key_value_heads": 4, "use_cache": False, "tie_word_embeddings": False, "rope_scaling":
                     {"type": "mrope", "rope_type": "default", "mrope_section": [16, 24, 24]}},
        vision_config={"depth": 2, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "out_hidden_size": 3584,
                       "fullatt_block_indexes": [1]}, image_token_id=151655, vision_start_token_id=151652, tie_word_embeddings=False)

    def batch():
        grid = torch.tensor([[1, side, side]] * rows)
        ids = torch.randint(0, 150000, (rows, length))
        ids[:, 0], ids[:, 1:1 + side * side // 4] = 151652, 151655
        labels = ids.clone()
        labels[:, :1 + side * side // 4] = -100
        one = torch.arange(length)
        # Places in time, height and width: those of an image first, then those of the text behind it.
        places = torch.arange(side // 2)
        image = torch.stack([torch.ones(side * side // 4, dtype=torch.int64), 1 + places.repeat_interleave(side // 2), 1 + places.repeat(side // 2)])
        text = one[:length - 1 - image.shape[1]] + 1 + side // 2
        positions = torch.cat([torch.zeros(3, 1, dtype=torch.int64), image, text.expand(3, -1)], 1)
        return {"input_ids": ids, "labels": labels, "pixel_values": torch.randn(rows * side * side, 1176), "image_grid_thw": grid,
                "position_ids": positions[:, None].repeat(1, rows, 1), "mm_token_type_ids": (ids == 151655).long()}
    return lambda: transformers.Qwen2_5_VLForConditionalGeneration(config), batch


class Modulated(nn.Module):
    """A layer of a diffusion transformer: a condition scales, shifts and gates both halves."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = (nn.LayerNorm(width, elementwise_affine=False, eps=1e-6) for _ in range(2))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.condition = nn.Linear(width, 6 * width)

    def forward(self, x, c):
        shift1, scale1, gate1, shift2, scale2, gate2 = self.condition(F.silu(c))[:, None].chunk(6, -1)
        h = self.norm1(x) * (1 + scale1) + shift1
        q, k, v = self.qkv(h).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + gate1 * self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        h = self.norm2(x) * (1 + scale2) + shift2
        return x + gate2 * self.down(F.gelu(self.up(h), approximate="tanh"))


class DiT(nn.Module):
    """A diffusion transformer (Peebles and Xie, 2023) of size L/2 on latents of 32x32x4: the mean squared error of the
    noise that it predicts."""

    def __init__(self, width=1024, heads=16, layers=24, side=32, channels=4, patch=2, classes=1000):
        super().__init__()
        self.side, self.patch, self.channels, self.width = side, patch, channels, width
        self.patches = nn.Conv2d(channels, width, patch, patch)
        self.places = nn.Parameter(torch.zeros(1, (side // patch) ** 2, width))
        self.classes, self.time = nn.Embedding(classes + 1, width), nn.Sequential(nn.Linear(256, width), nn.SiLU(), nn.Linear(width, width))
        self.layers = nn.ModuleList(Modulated(width, heads) for _ in range(layers))
        self.norm, self.condition = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6), nn.Linear(width, 2 * width)
        self.head = nn.Linear(width, patch * patch * channels)

    def forward(self, latents, noise, level, time, label):
        noisy = level[:, None, None, None].sqrt() * latents + (1 - level)[:, None, None, None].sqrt() * noise
        waves = torch.exp(-math.log(10000.0) * torch.arange(128, device=time.device) / 128)
        angles = time[:, None] * waves
        c = self.time(torch.cat([angles.cos(), angles.sin()], -1)) + self.classes(label)
        x = self.patches(noisy).flatten(2).transpose(1, 2) + self.places
        for layer in self.layers:
            x = layer(x, c)
        shift, scale = self.condition(F.silu(c))[:, None].chunk(2, -1)
        x = self.head(self.norm(x) * (1 + scale) + shift)
        n = self.side // self.patch
        x = x.unflatten(1, (n, n)).unflatten(-1, (self.patch, self.patch, self.channels)).permute(0, 5, 1, 3, 2, 4)
        return F.mse_loss(x.reshape(latents.shape), noise)


def dit_large(rows=32):
    return DiT, lambda: {"latents": torch.randn(rows, 4, 32, 32), "noise": torch.randn(rows, 4, 32, 32), "level": torch.rand(rows),
                         "time": torch.rand(rows) * 1000, "label": torch.randint(0, 1000, (rows,))}


def resnet_50(images=128):
    """With batch norms in training."""
    config = transformers.ResNetConfig(num_labels=1000)
    return lambda: transformers.ResNetForImageClassification(config), lambda: {
        "pixel_values": torch.randn(images, 3, 224, 224), "labels": torch.randint(0, 1000, (images,))}


class Residual(nn.Module):
    """Two convolutions of a U-Net, with the time between them."""

    def __init__(self, channels, width, time):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(32, channels), nn.Conv2d(channels, width, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(32, width), nn.Conv2d(width, width, 3, padding=1)
        self.time = nn.Linear(time, width)
        self.beside = nn.Conv2d(channels, width, 1) if channels != width else nn.Identity()

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x))) + self.time(t)[:, :, None, None]
        return self.conv2(F.silu(self.norm2(h))) + self.beside(x)


class Looking(nn.Module):
    """Attention over all places of a map."""

    def __init__(self, channels, heads):
        super().__init__()
        self.heads, self.norm = heads, nn.GroupNorm(32, channels)
        self.qkv, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)

    def forward(self, x):
        rows = self.norm(x).flatten(2).transpose(1, 2)
        q, k, v = self.qkv(rows).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        seen = self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + seen.transpose(1, 2).reshape(x.shape)


class UNet(nn.Module):
    """A U-Net that predicts the noise of images (Ho, Jain and Abbeel, 2020): four sizes, two residual blocks each on
    the way down and three on the way up, attention in the smaller two."""

    def __init__(self, channels=3, width=192, factors=(1, 2, 3, 4), looks=(False, False, True, True), heads=8):
        super().__init__()
        time = 4 * width
        self.time = nn.Sequential(nn.Linear(256, time), nn.SiLU(), nn.Linear(time, time), nn.SiLU())
        self.first = nn.Conv2d(channels, width, 3, padding=1)
        self.down, self.up, kept, now = nn.ModuleList(), nn.ModuleList(), [width], width
        for level, (factor, look) in enumerate(zip(factors, looks)):
            for _ in range(2):
                self.down.append(nn.ModuleList([Residual(now, factor * width, time), Looking(factor * width, heads) if look else nn.Identity()]))
                now = factor * width
                kept.append(now)
            if level < len(factors) - 1:
                self.down.append(nn.Conv2d(now, now, 3, stride=2, padding=1))
                kept.append(now)
        self.middle1, self.middle2, self.middle3 = Residual(now, now, time), Looking(now, heads), Residual(now, now, time)
        for level, (factor, look) in reversed(list(enumerate(zip(factors, looks)))):
            for _ in range(3):
                self.up.append(nn.ModuleList([Residual(now + kept.pop(), factor * width, time),
                                              Looking(factor * width, heads) if look else nn.Identity()]))
                now = factor * width
            if level:
                self.up.append(nn.Conv2d(now, now, 3, padding=1))
        self.norm, self.last = nn.GroupNorm(32, now), nn.Conv2d(now, channels, 3, padding=1)

    def forward(self, images, noise, level, time):
        noisy = level[:, None, None, None].sqrt() * images + (1 - level)[:, None, None, None].sqrt() * noise
        waves = torch.exp(-math.log(10000.0) * torch.arange(128, device=time.device) / 128)
        angles = time[:, None] * waves
        t = self.time(torch.cat([angles.cos(), angles.sin()], -1))
        x = self.first(noisy)
        kept = [x]
        for part in self.down:
            x = part(x) if isinstance(part, nn.Conv2d) else part[1](part[0](x, t))
            kept.append(x)
        x = self.middle3(self.middle2(self.middle1(x, t)), t)
        for part in self.up:
            if isinstance(part, nn.Conv2d):
                x = part(F.interpolate(x, scale_factor=2, mode="nearest"))
            else:
                x = part[1](part[0](torch.cat([x, kept.pop()], 1), t))
        return F.mse_loss(self.last(F.silu(self.norm(x))), noise)


def unet(rows=32, side=64):
    return UNet, lambda: {"images": torch.randn(rows, 3, side, side), "noise": torch.randn(rows, 3, side, side), "level": torch.rand(rows),
                          "time": torch.rand(rows) * 1000}


MODELS = {function.__name__: function for function in (vit_large, bert_large, whisper_small, qwen2_5_vl, dit_large, resnet_50, unet)}


def training_step(name):
    """What prec-import takes."""
    make, batch = MODELS[name]()
    with prec.weightless():
        model = make()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
    torch.manual_seed(0)
    return model, optimizer, batch(), {"clip_grad_norm": 1.0}


def __getattr__(name):
    """NAME_step of every entry of MODELS."""
    if name.endswith("_step") and name[:-5] in MODELS:
        return functools.partial(training_step, name[:-5])
    raise AttributeError(name)
