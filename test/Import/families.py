# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every model family of the installed transformers that has a training loss, as a tiny configuration made by rule: name
-> Family.

Sizes that a default configuration has are replaced by name; what a family wants beyond that stands in OWN. What becomes
of each is written in benchmarks/results/models.jsonl, which utils/sweep-models makes.
"""
from __future__ import annotations

import inspect
import json
import random
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from transformers.models.auto import modeling_auto as auto

ROWS, LENGTH, VOCABULARY, PIXELS = 2, 16, 128, 64
MOST_PARAMETERS = 30_000_000

# By task, what transformers calls its table, in the order of choice.
TASKS = {
    "causal": "CAUSAL_LM",
    "masked": "MASKED_LM",
    "seq2seq": "SEQ_TO_SEQ_CAUSAL_LM",
    "speech": "SPEECH_SEQ_2_SEQ",
    "image-text": "IMAGE_TEXT_TO_TEXT",
    "sequence": "SEQUENCE_CLASSIFICATION",
    "image": "IMAGE_CLASSIFICATION",
    "token": "TOKEN_CLASSIFICATION",
    "question": "QUESTION_ANSWERING",
    "choice": "MULTIPLE_CHOICE",
    "ctc": "CTC",
    "audio": "AUDIO_CLASSIFICATION",
    "contrastive": "ZERO_SHOT_IMAGE_CLASSIFICATION",
    "segmentation": "SEMANTIC_SEGMENTATION",
    "masked-image": "MASKED_IMAGE_MODELING",
    "video": "VIDEO_CLASSIFICATION",
}

# The first rule that a whole name matches. None leaves a value as it is.
_SIZES = [
    (r"max_window_layers|num_kv_shared_layers|first_k_dense_replace|num_(key_value|kv)_shared_layers", 1),
    (r"(encoder|decoder|speech_encoder|t2u_encoder|t2u_decoder)_layers|num_(hidden_|encoder_|decoder_)?layers|n_layers?|depth|layers|num_blocks", 2),
    (r".*(num_key_value_heads|num_kv_heads|linear_num_key_heads)", 2),
    (r"index_n_heads|.*(num_attention_heads|num_heads|attention_heads|linear_num_value_heads)|n_heads?", 4),
    (r"head_dim|d_kv|.*_head_dim|attention_head_size|kv_channels|d_head|kv_lora_rank|rotary_dim|linear_(key|value)_head_dim", 16),
    (r"q_lora_rank|o_lora_rank", 32),
    (r"intermediate_size|.*ffn_dim|d_ff|dff|n_inner|ffn_hidden_size|.*_intermediate_size|mlp_dim|dim_ff|expert_ffn_hidden_size|feed_forward_size|"
     r"intermediate_size_mlp", 96),
    (r"num_experts_per_tok|num_experts_per_token|moe_k|moe_topk|top_k_experts", 2),
    (r"n_routed_experts|num_experts|num_local_experts|moe_num_experts", 4),
    (r"n_group|topk_group|num_expert_group|n_shared_experts", 1),
    (r"vocab_size|decoder_vocab_size|vocab_size_per_layer_input", VOCABULARY),
    (r"max_position_embeddings|n_positions|n_ctx|max_source_positions|max_target_positions|context_length|max_seq_len|model_max_length", 64),
    (r"image_size|crop_size", PIXELS),
    (r"patch_size|encoder_stride", 8),
    (r"hidden_size|d_model|n_embd|dim|embed_dim|emb_dim|embedding_size|d_embed|word_embed_proj_dim|embedding_dim|hidden_dim|lru_width|"
     r"attention_hidden_size|out_hidden_size|projection_dim|text_hidden_size|encoder_hidden_size|projector_hidden_size|pooler_hidden_size|"
     r"hidden_size_per_layer_input|output_dim|query_pre_attn_scalar|vision_hidden_size|cross_attention_hidden_size|backbone_hidden_size|"
     r"input_embedding_size|output_embedding_size|decoder_hidden_size|vision_output_dim", 64),
]
_SIZES = [(re.compile(names), size) for names, size in _SIZES]

# One word a layer.
_PER_LAYER = {"layer_types", "mlp_layer_types", "layers_block_type", "indexer_types", "block_types"}

_PLAIN_ROPE = {"rope_type": "default", "rope_theta": 10000.0}

# What a family wants beyond the rules, by configuration class: constructor's arguments.
OWN: dict[str, dict] = {
    "XmodConfig": {"default_language": "en_XX"},
    "ReformerConfig": {"is_decoder": True, "axial_pos_embds": False},
    "GPTNeoConfig": {"attention_types": [[["global", "local"], 1]]},
    "LiltConfig": {"channel_shrink_ratio": 4, "hidden_size": 96},
    "RoCBertConfig": {"shape_embed_dim": 32, "shape_vocab_size": 64, "pronunciation_embed_dim": 32, "pronunciation_vocab_size": 64},
    "EsmConfig": {"pad_token_id": 1, "mask_token_id": 2, "vocab_size": VOCABULARY},
    **dict.fromkeys(("MobileViTConfig", "MobileViTV2Config"), {"patch_size": 2}),
    "DeepseekV2Config": {"num_experts_per_tok": 2},
    "Lfm2MoeConfig": {"layer_types": ["conv", "full_attention"]},
    "LayoutLMv3Config": {"coordinate_size": 8, "shape_size": 16, "visual_embed": False},
    "FSMTConfig": {"src_vocab_size": VOCABULARY, "tgt_vocab_size": VOCABULARY},
    "Mamba2Config": {"num_heads": 8, "head_dim": 16},
    "FunnelConfig": {"block_sizes": [1, 1]},
    "LukeConfig": {"entity_vocab_size": 32},
    "SwinConfig": {"embed_dim": 24, "window_size": 2, "patch_size": 4}, "Swinv2Config": {"embed_dim": 24, "window_size": 2, "patch_size": 4},
    "DonutSwinConfig": {"embed_dim": 24, "window_size": 2, "patch_size": 4},
    # A batch norm of two rows amplifies what is behind it, and those of twelve blocks do so to what float64 cannot
    # tell.
    "LevitConfig": {"patch_size": 16, "depths": [1, 1, 1]},
    "Siglip2VisionConfig": {"num_patches": 16},
    "JambaConfig": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "BambaConfig": {"attn_layer_indices": [1]},
    "GraniteMoeHybridConfig": {"layer_types": ["mamba", "attention"]},
    "NemotronConfig": {"num_key_value_heads": 2, "head_dim": 16},
    **dict.fromkeys(("HunYuanDenseV1Config", "HunYuanMoEV1Config", "MinistralConfig"),
                    {"rope_parameters": _PLAIN_ROPE, "head_dim": 16}),
    **dict.fromkeys(("Qwen2VLTextConfig", "Qwen2_5_VLTextConfig", "Qwen2_5OmniTextConfig", "Glm4vTextConfig", "Glm46VTextConfig",
                     "GlmOcrTextConfig", "GlmgaTextConfig", "PaddleOCRTextConfig"),
                    {"rope_parameters": _PLAIN_ROPE | {"mrope_section": [2, 3, 3]}}),
    "Glm4vMoeTextConfig": {"rope_parameters": _PLAIN_ROPE | {"partial_rotary_factor": 0.5, "mrope_section": [2, 1, 1]}},
    "Speech2TextConfig": {"input_feat_per_channel": 80, "conv_channels": 32},
    "MobileBertConfig": {"embedding_size": 32, "true_hidden_size": 32, "intra_bottleneck_size": 32},
    "GitConfig": {"bos_token_id": 1, "eos_token_id": 2},
    "Florence2VisionConfig": {"embed_dim": [16, 24, 32, 48], "num_heads": [2, 2, 2, 2], "num_groups": [2, 2, 2, 2], "depths": [1, 1, 1, 1],
                              "projection_dim": 64, "max_temporal_embeddings": 8, "max_position_embeddings": 16},
    **dict.fromkeys(("BeitConfig", "Data2VecVisionConfig"), {"num_hidden_layers": 4, "out_indices": [1, 2, 3, 4], "auxiliary_channels": 64}),
    "EfficientNetConfig": {"width_coefficient": 0.25, "depth_coefficient": 0.2, "hidden_dim": 320},
    "AlignVisionConfig": {"width_coefficient": 0.25, "depth_coefficient": 0.2, "hidden_dim": 320},
    "BltConfig": {"encoder_hash_byte_group_vocab": 64},
    **dict.fromkeys(("ChameleonConfig", "Emu3Config"), {"vocabulary_map": {"<image>": 5, "<|extra_200|>": 6}}),
    "DPTConfig": {"num_hidden_layers": 4, "backbone_out_indices": [0, 1, 2, 3], "neck_hidden_sizes": [16, 16, 32, 32], "fusion_hidden_size": 16},
    "Gemma3Config": {"mm_tokens_per_image": 16},
    "MoonshineConfig": {"pad_token_id": 1, "encoder_num_key_value_heads": 4, "decoder_num_key_value_heads": 4},
    "PerceiverConfig": {"max_position_embeddings": LENGTH, "num_latents": 16, "d_latents": 64,
                        "d_model": 64, "num_self_attends_per_block": 2, "num_blocks": 1},
    **dict.fromkeys(("Wav2Vec2BertConfig", "Wav2Vec2ConformerConfig"), {"vocab_size": VOCABULARY}),
    "VipLlavaConfig": {"vision_feature_layers": [-2, -1]},
    "InstructBlipConfig": {"image_token_index": VOCABULARY - 2},
    "InstructBlipVideoConfig": {"video_token_index": VOCABULARY - 2},
    "Blip2QFormerConfig": {"use_qformer_text_input": True},
    "Pix2StructVisionConfig": {"patch_embed_hidden_size": 192},
    "GraniteSpeech5EncoderConfig": {"context_size": 32},
    "AlignConfig": {"projection_dim": 80},
    "FunAsrNanoAdaptorConfig": {"intermediate_size": 16},
    "HunYuanVLTextConfig": {"head_dim": 16},
    "JanusVQVAEConfig": {"base_channels": 32, "num_res_blocks": 1, "latent_channels": 32},
    "ChameleonVQVAEConfig": {"base_channels": 32, "num_res_blocks": 1, "latent_channels": 32, "channel_multiplier": [1, 2]},
    "Emu3VQVAEConfig": {"base_channels": 32, "num_res_blocks": 1, "channel_multiplier": [1, 2], "codebook_size": 64},
    **dict.fromkeys(("LlavaNextConfig", "LlavaNextVideoConfig", "LlavaOnevisionConfig"), {"image_grid_pinpoints": [[2 * PIXELS, 2 * PIXELS]]}),
    "Kosmos2Config": {"latent_query_num": 4},
    "MllamaVisionConfig": {"intermediate_layers_indices": [0, 1], "vision_output_dim": 192},
    "T5Gemma2EncoderConfig": {"mm_tokens_per_image": 16},
    "VoxtralEncoderConfig": {"intermediate_size": 256},
    "Blip2Config": {"image_token_index": VOCABULARY - 2, "num_query_tokens": 4},
    "Molmo2AdapterConfig": {"vision_feature_layer": [-1]},
    "Zamba2Config": {"attention_hidden_size": 128, "attention_head_dim": 32},
    "CohereCompassTextConfig": {"rope_parameters": {
        kind: _PLAIN_ROPE | {"mrope_section": [2, 3, 3]} for kind in ("full_attention", "sliding_attention")}},
}
# The same of one task.
OWN_OF_TASK: dict[tuple[str, str], dict] = {
    ("ReformerConfig", "masked"): {"is_decoder": False},
    **dict.fromkeys([(kind, "masked-image") for kind in ("SwinConfig", "Swinv2Config")], {"encoder_stride": 32}),
    ("FocalNetConfig", "masked-image"): {"encoder_stride": 64},
}

# What forward asks for beside ids and labels.
WANTS_PIXELS = {"git", "blip"}


def _text_labels() -> dict:
    return {"labels": torch.randint(4, 100, (ROWS, LENGTH))}


def _boxes(config, batch: dict) -> dict:
    corners = torch.randint(0, 50, (ROWS, LENGTH, 2))
    return {"bbox": torch.cat([corners, corners + 10], -1)}


def _boxes_of_parts(config, batch: dict) -> dict:
    return {"bbox": _boxes(config, batch)["bbox"] / 100.0}


def _codebooks(config, batch: dict) -> dict:
    count = _first(config, "num_codebooks")
    return {"input_ids": torch.randint(4, 100, (ROWS * count, LENGTH)), "labels": torch.randint(4, 100, (ROWS, LENGTH, count))}


def _separators(config, batch: dict) -> dict:
    ids = batch["input_ids"].clone()
    ids[..., [4, 6, 11]] = config.sep_token_id
    return {"input_ids": ids}


# By family, what else its batches have.
MORE = {
    "bros": _boxes_of_parts,
    "udop": lambda config, batch: _boxes_of_parts(config, batch) | {"pixel_values": torch.randn(ROWS, 3, PIXELS, PIXELS)},
    **dict.fromkeys(("musicgen", "musicgen_melody"), _codebooks),
    "longformer/choice": _separators, "longformer/question": _separators,
    "lxmert": lambda config, batch: {
        "labels": torch.tensor([0, 1]), "visual_feats": torch.randn(ROWS, 6, config.visual_feat_dim), "visual_pos": torch.rand(ROWS, 6, 4)},
    **dict.fromkeys(("instructblip", "instructblipvideo"), lambda config, batch: {"qformer_input_ids": torch.randint(4, 100, (ROWS, 6))}),
    "pix2struct": lambda config, batch: _text_labels() | {"flattened_patches": torch.rand(ROWS, 16, 194), "attention_mask": torch.ones(ROWS, 16)},
    "imagegpt/image": lambda config, batch: {"input_ids": torch.randint(4, 100, (ROWS, LENGTH))},
    **dict.fromkeys(("lasr_ctc", "parakeet_ctc"), lambda config, batch: {
        "attention_mask": torch.ones(batch["input_features"].shape[:2], dtype=torch.int64)}),
    "vision-encoder-decoder": lambda config, batch: _text_labels() | {"pixel_values": torch.randn(ROWS, 3, PIXELS, PIXELS)},
    "idefics": lambda config, batch: {"pixel_values": torch.randn(ROWS, 1, 3, PIXELS, PIXELS),
                                      "image_attention_mask": torch.ones(ROWS, LENGTH, 1, dtype=torch.int64)},
    "kosmos-2": lambda config, batch: {
        "image_embeds_position_mask": torch.tensor([False, *[True] * 4, *[False] * (LENGTH - 5)]).expand(ROWS, LENGTH).clone()},
    "mllama/image-text": lambda config, batch: {
        "pixel_values": torch.randn(ROWS, 1, 4, 3, PIXELS, PIXELS), "aspect_ratio_ids": torch.ones(ROWS, 1, dtype=torch.int64),
        "aspect_ratio_mask": torch.ones(ROWS, 1, 4, dtype=torch.int64), "cross_attention_mask": torch.ones(ROWS, LENGTH, 1, 4, dtype=torch.int64)},
    "pop2piano": lambda config, batch: {"input_features": torch.randn(ROWS, LENGTH, 64)},
    "videoprism": lambda config, batch: {"pixel_values_videos": torch.randn(ROWS, 16, 3, PIXELS, PIXELS)},
}


def _size_of(name: str, value):
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    size = next((size for names, size in _SIZES if names.fullmatch(name)), None)
    if size is not None:
        return min(size, value) if size <= 4 else size
    # Special tokens are among the last of the table.
    if re.fullmatch(r".*(token_id|token_index|_index|_id)", name) and value >= VOCABULARY:
        return VOCABULARY - 1 - value % 16
    return None


def _rate(name: str, value, dropout: bool):
    """Dropout's rates: zero unless asked for; and then the configuration's own, or one where that is zero."""
    if not isinstance(value, float):
        return None
    if not dropout:
        # Masks that NumPy draws in front of a model's own layers are no part of a step either.
        return 0.0 if re.search(r"drop|jitter|mask_(time|feature)_prob", name) else None
    return 0.1 if re.search(r"dropout|pdrop", name) and value == 0 else None


def _kinds(values) -> list:
    """Two layers, of two kinds where there are two."""
    kinds = list(dict.fromkeys(values))
    return (kinds * 2)[:max(2, len(kinds))]


def _sections(rope: dict, half: int) -> dict:
    """Of rotary positions in several dimensions, how many of the frequencies each has."""
    half = int(half * rope.get("partial_rotary_factor", 1.0))
    third = half * 3 // 8
    return rope | {"mrope_section": [half - 2 * third, third, third]}


def arguments(kind, default=None, dropout: bool = False) -> dict:
    """Of a configuration class, arguments that make it tiny."""
    default = kind() if default is None else default
    made = {}
    lists = {name: _kinds(value) for name, value in vars(default).items()
             if name in _PER_LAYER and isinstance(value, (list, tuple)) and value and all(isinstance(x, str) for x in value)}
    if lists:
        layers = max(map(len, lists.values()))
        made = {name: (value * layers)[:layers] for name, value in lists.items()}
    rope = getattr(default, "rope_parameters", None)
    if isinstance(rope, dict) and "mrope_section" in rope:
        made["rope_parameters"] = _sections(rope, 8)
    equal_heads = any(vars(default).get(name) == getattr(default, "num_attention_heads", None) is not None for name in ("num_key_value_heads",))
    for name, value in vars(default).items():
        if name.startswith("_") or name == "transformers_version" or name in made:
            continue
        if isinstance(value, transformers.PretrainedConfig):
            made[name] = arguments(type(value), value, dropout) | {"model_type": value.model_type}
            continue
        # With depths, it is how many of them there are.
        size = None if name == "num_layers" and isinstance(getattr(default, "depths", None), (list, tuple)) else _size_of(name, value)
        if lists and name in ("num_hidden_layers", "num_layers", "n_layer"):
            size = layers
        if name == "num_key_value_heads" and equal_heads:
            size = 4
        if size is None:
            size = _rate(name, value, dropout)
        if size is not None:
            made[name] = size
        elif name == "eos_token_id" and isinstance(value, (list, tuple)):
            made[name] = VOCABULARY - 1
        elif name == "image_size" and isinstance(value, (list, tuple)):
            made[name] = [PIXELS] * len(value)
    return made | OWN.get(kind.__name__, {})


# What a row of a batch may have been filled up with.
PADDING = 3
SAMPLES, FRAMES, CHOICES = 4000, 2, 2
_BINS_FIRST = {"whisper", "qwen3_asr", "voxtral"}
# Tasks whose models read text alone; their batches have a padded row.
_OF_TEXT = {"causal", "masked", "seq2seq", "sequence", "token", "question", "choice"}


def _inside(config) -> list:
    return [v for v in vars(config).values() if isinstance(v, transformers.PretrainedConfig)]


def experts(config) -> bool:
    """Whether a configuration, or one inside of it, has experts."""
    counts = [v for n, v in vars(config).items() if re.fullmatch(r"(n_routed|num|num_local|moe_num)_experts", n)]
    return any(isinstance(v, int) and v > 1 for v in counts) or any(map(experts, _inside(config)))


def _first(config, *names):
    """The first of these that the configuration, or one inside of it, has."""
    for held in (config, *_inside(config)):
        for name in names:
            value = getattr(held, name, None)
            if value is not None:
                return value
    return None


@dataclass(frozen=True)
class Family:
    name: str
    task: str
    model_class: str

    def config(self, dropout: bool = False, **options):
        kind = type(transformers.CONFIG_MAPPING[self.name]())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = OWN_OF_TASK.get((kind.__name__, self.task), {})
            return kind(**{**arguments(kind, dropout=dropout), **own, **options})

    def build(self, dropout: bool = False, **options):
        """(model, batch), seeded. Raises whatever transformers does; ValueError where the model is not tiny."""
        config, kind = self.config(dropout, **options), getattr(transformers, self.model_class)
        # Of a family with several parts the head may be of one of them.
        config = next((held for held in _inside(config) if type(held) is kind.config_class), config)
        for held in (config, *_inside(config)):
            for name, token in (("pad_token_id", 1), ("decoder_start_token_id", 2)):
                if self.task in ("seq2seq", "speech", "image-text", "sequence", "question", "token") and getattr(held, name, None) is None:
                    setattr(held, name, token)
        with torch.device("meta"):
            size = sum(p.numel() for p in kind(config).parameters())
        if size > MOST_PARAMETERS:
            raise ValueError(f"a tiny model must have at most {MOST_PARAMETERS} parameters but has {size}")
        torch.manual_seed(0)
        model = kind(config).float().train()
        with torch.no_grad():
            for p in model.parameters():
                # Biases start at zero and norms at one: a lost one would not show.
                if p.is_floating_point():
                    p.add_(0.02 * torch.randn(p.shape))
        return model, self.batch(model)

    def batch(self, model) -> dict:
        """What a collator of this task makes, by what forward takes."""
        torch.manual_seed(1)
        taken, config = inspect.signature(model.forward).parameters, model.config
        labels = _LABELS[self.task](config)
        batch = {}
        if self.task in _OF_TEXT | {"image-text", "contrastive"} and "input_ids" in taken:
            batch |= self._text(config, taken, labels)
        if "pixel_values" in taken and self.task not in _OF_TEXT:
            batch |= self._images(model, [batch, labels])
        elif "pixel_values" in taken and self.name in WANTS_PIXELS:
            batch["pixel_values"] = torch.randn(ROWS, _first(config, "num_channels") or 3, PIXELS, PIXELS)
        if self.task in ("speech", "ctc", "audio"):
            batch |= self._sound(config, taken)
            if self.task == "speech" and "input_ids" in taken and "decoder_input_ids" not in taken:
                return batch | self._heard(model, dict(batch))
        if self.task == "video":
            frames = _first(config, "num_frames") or FRAMES
            name = next(n for n in taken if n.startswith("pixel_values"))
            batch = {name: torch.randn(ROWS, frames, 3, PIXELS, PIXELS)}
        more = MORE.get(f"{self.name}/{self.task}", MORE.get(self.name))
        if self.task == "contrastive":
            return batch | {"return_loss": True} | (more(config, batch) if more is not None else {})
        if self.task == "masked-image":
            patches = (PIXELS // (_first(config, "patch_size") or 8)) ** 2
            return batch | {"bool_masked_pos": torch.arange(patches).remainder(3).eq(0).expand(ROWS, patches).clone()}
        return batch | labels | (more(config, batch) if more is not None else {})

    def _text(self, config, taken, labels: dict) -> dict:
        ids = torch.randint(4, VOCABULARY - 20, (ROWS, LENGTH))
        if self.task in ("causal", "image-text", "masked", "seq2seq", "speech"):
            labels["labels"] = ids.clone()
            labels["labels"][0, 5:9] = -100
        batch = {"input_ids": ids}
        if "attention_mask" in taken:
            mask = torch.ones_like(ids)
            mask[1, LENGTH - PADDING:] = 0
            eos = _first(config, "eos_token_id")
            if self.task in ("seq2seq", "sequence") and isinstance(eos, int) and 0 <= eos < VOCABULARY:
                ids[0, -1] = ids[1, LENGTH - PADDING - 1] = eos
            pad = _first(config, "pad_token_id") or 0
            ids[mask == 0] = pad if pad < VOCABULARY else 1
            batch["attention_mask"] = mask
            if labels.get("labels", ids[0]).shape == ids.shape:
                labels["labels"][mask == 0] = -100
        if "token_type_ids" in taken and (_first(config, "type_vocab_size") or 0) > 1:
            batch["token_type_ids"] = (torch.arange(LENGTH) >= LENGTH // 2).long().expand(ROWS, LENGTH).clone()
        if self.task == "choice":
            batch = {name: torch.stack([t, t.flip(0)], 1) for name, t in batch.items()}
        return batch

    def _images(self, model, texts: list[dict]) -> dict:
        """Images, and the places of their tokens in the text: as many as the model's own features."""
        config = model.config
        channels = _first(config, "num_channels") or 3
        if self.task != "image-text" and "spatial_shapes" in inspect.signature(model.forward).parameters:
            count = _first(config, "num_patches") or 16
            return {"pixel_values": torch.randn(ROWS, count, channels * _first(config, "patch_size") ** 2),
                    "pixel_attention_mask": torch.ones(ROWS, count, dtype=torch.int64),
                    "spatial_shapes": torch.tensor([[count // 4, 4]] * ROWS)}
        token = _first(config, "image_token_id", "image_token_index")
        pixels = torch.randn(ROWS, channels, PIXELS, PIXELS)
        encode = getattr(model, "get_image_features", None) or getattr(getattr(model, "model", None), "get_image_features", None)
        if self.task != "image-text" or token is None or encode is None:
            return {"pixel_values": pixels}
        # No other token stands for an image.
        texts[0]["input_ids"][texts[0]["input_ids"] == token] = 4
        taken, more = inspect.signature(model.forward).parameters, {}
        for name in ("image_grid_thw", "image_grid_hws"):
            if name in taken:
                patch = _first(config, "patch_size") ** 2 * channels * (_first(config, "temporal_patch_size") or 1)
                more[name] = torch.tensor([[1, 4, 4][-3 if name.endswith("thw") else -2:]] * ROWS)
                pixels = torch.randn(ROWS * 16, patch)
        if "image_sizes" in taken:
            more["image_sizes"] = torch.tensor([[PIXELS, PIXELS]] * ROWS)
        wrong = []
        if "spatial_shapes" in taken:
            size = _first(config, "patch_size") or 8
            pixels = torch.randn(ROWS, 16, channels * size ** 2)
            more |= {"spatial_shapes": torch.tensor([[4, 4]] * ROWS), "pixel_attention_mask": torch.ones(ROWS, 16, dtype=torch.int64)}
        if "image_merge_sizes" in taken:
            more["image_merge_sizes"] = torch.ones(ROWS, dtype=torch.int64)
        if "qformer_input_ids" in taken:
            more["qformer_input_ids"] = torch.randint(4, 100, (ROWS, 6))
        size = _first(config, "patch_size") or 8
        size = size if isinstance(size, int) else size[-1]
        # One image a row, several or in patches.
        shapes = [pixels, pixels.reshape(-1, channels, size, size)] if pixels.dim() < 4 else \
            [pixels, pixels[:, None].expand(-1, 5, -1, -1, -1).clone(), pixels[:, None], torch.randn(ROWS, 16, channels * size ** 2)]
        features = None
        for given, options in [(x, o) for o in ({}, more)[not more or pixels.dim() < 4:] for x in shapes]:
            try:
                with torch.no_grad():
                    model.eval()
                    features = encode(given, **options)
                more = more if options or pixels.dim() < 4 else {}
                break
            except (RuntimeError, ValueError, TypeError, AttributeError, IndexError) as error:
                wrong.append(str(error)[:80])
        model.train()
        if features is None:
            raise ValueError(f"get_image_features takes no images of these shapes ({'; '.join(wrong)})")
        features = getattr(features, "last_hidden_state", features) if getattr(features, "pooler_output", features) is None \
            else getattr(features, "pooler_output", features)
        features = torch.cat(list(features)) if isinstance(features, (list, tuple)) else features
        count = features.numel() // features.shape[-1] // ROWS
        blank = torch.full((ROWS, count), token)
        for name, fill in (("input_ids", blank), ("labels", torch.full_like(blank, -100)), ("attention_mask", torch.ones_like(blank)),
                           ("token_type_ids", torch.zeros_like(blank))):
            for text in texts:
                if name in text:
                    text[name] = torch.cat([text[name][:, :1], fill, text[name][:, 1:]], 1)
        if "mm_token_type_ids" in taken:
            more["mm_token_type_ids"] = (texts[0]["input_ids"] == token).long()
        inner = getattr(model, "model", None)
        if hasattr(inner, "get_rope_index") and "position_ids" in taken:
            # Shapes depend on values where a model finds them by itself.
            taken, given_all = inspect.signature(inner.get_rope_index).parameters, texts[0] | more
            more["position_ids"] = inner.get_rope_index(**{name: t for name, t in given_all.items() if name in taken})[0]
        return {"pixel_values": given} | more

    def _heard(self, model, sound: dict) -> dict:
        """Of a decoder that hears: text with as many places for sound as that has features."""
        config = model.config
        labels: dict = {}
        text = self._text(config, {"input_ids", "attention_mask"}, labels)
        token = _first(config, "audio_token_id", "audio_token_index")
        if token is None:
            token = config.audio_token_id = VOCABULARY - 2
        text["input_ids"][text["input_ids"] == token] = 4
        encode = getattr(model, "get_audio_features", None) or getattr(model.model, "get_audio_features", None)
        with torch.no_grad():
            features = encode(**sound) if "input_features_mask" not in inspect.signature(encode).parameters else encode(
                **sound, input_features_mask=torch.ones(sound["input_features"].shape[0], sound["input_features"].shape[-1], dtype=torch.int64))
        features = features if isinstance(features, torch.Tensor) else features.pooler_output
        count = features.numel() // features.shape[-1] // ROWS
        for name, fill in (("input_ids", token), ("attention_mask", 1), ("labels", -100)):
            held = labels if name == "labels" else text
            held[name] = torch.cat([held[name][:, :1], torch.full((ROWS, count), fill), held[name][:, 1:]], 1)
        return text | labels

    def _sound(self, config, taken) -> dict:
        name = next(n for n in taken if n.startswith("input_") and n != "input_ids")
        if name == "input_values" and not _first(config, "max_length"):
            return {name: torch.randn(ROWS, SAMPLES)}
        bins = _first(config, "num_mel_bins", "input_feat_per_channel", "feature_projection_input_dim") or 80
        if name == "input_values":
            return {name: torch.randn(ROWS, config.max_length, bins)}
        frames = 200 if self.name == "qwen3_asr" else 2 * (_first(config, "max_source_positions") or 64)
        return {name: torch.randn(ROWS, bins, frames) if self.name in _BINS_FIRST else torch.randn(ROWS, frames, bins)}


def _token_labels(config) -> dict:
    labels = torch.randint(0, 2, (ROWS, LENGTH))
    labels[0, :2] = -100
    return {"labels": labels}


# By task, the labels; those of text follow its ids.
_LABELS = {
    **dict.fromkeys(("causal", "masked", "seq2seq", "image-text", "contrastive", "masked-image"), lambda config: {}),
    **dict.fromkeys(("sequence", "image", "audio", "video", "choice"), lambda config: {"labels": torch.tensor([0, 1])}),
    "speech": lambda config: {"labels": torch.randint(4, 20, (ROWS, LENGTH))},
    # Fewer than frames, or no way leads through them.
    "ctc": lambda config: {"labels": torch.tensor([[5, 7, 7, 9], [6, 4, 8, -100]])},
    "token": _token_labels,
    "question": lambda config: {"start_positions": torch.tensor([1, 3]), "end_positions": torch.tensor([4, 5])},
    "segmentation": lambda config: {"labels": torch.randint(0, 2, (ROWS, PIXELS, PIXELS))},
}


def families() -> dict[str, Family]:
    """One entry for each file that has models and each of its tasks: the first under the family's name, others as
    NAME/TASK."""
    found: dict[str, Family] = {}
    seen = set()
    for task, table in TASKS.items():
        for name, kind in getattr(auto, f"MODEL_FOR_{table}_MAPPING_NAMES").items():
            kind = kind[0] if isinstance(kind, (list, tuple)) else kind
            file = transformers._class_to_module.get(kind)
            if file is None or (file, task) in seen:
                continue
            seen.add((file, task))
            found[name if name not in found else f"{name}/{task}"] = Family(name, task, kind)
    return found


FAMILIES = families()
TABLE = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "models.jsonl"


def adamw(model):
    return torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)


def spell(message: str) -> str:
    """An ImportFailure's first message without what changes from machine to machine: of ops without a lowering their
    names."""
    first, *others = message.splitlines()
    return (
        ", ".join(sorted(line.split()[0] for line in others)) if "must have a lowering" in first else re.sub(r" \([\w.]+\.py:\d+: .*\)$", "", first)
    )


def outcome(name: str, verify: bool = True, **options) -> tuple[str, object]:
    """("unbuilt", the error's type), ("refused", message) or ("imports", (model, optimizer, batch, import)). Raises
    whatever else an import raises."""
    import prec

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model, batch = FAMILIES[name].build(**options)
            if model(**batch).loss is None:
                raise ValueError("no loss")
        except Exception as error:
            return "unbuilt", type(error).__name__
        optimizer = adamw(model)
        try:
            imported = prec.import_torch(model, optimizer, batch, clip_grad_norm=1.0, verify=verify)
        except prec.ImportFailure as failure:
            return "refused", spell(str(failure))
        return "imports", (model, optimizer, batch, imported)


def written() -> dict[str, object]:
    """By name, what the table says: "imports", or {"unbuilt": the error's type} or {"refused": the message}."""
    found: dict[str, object] = {}
    for line in map(json.loads, TABLE.read_text().splitlines()):
        kind = line["reached"]
        reason = line.get("reason", "")
        found[line["name"]] = {kind: reason.partition(":")[0] if kind == "unbuilt" else reason} if kind in ("unbuilt", "refused") else "imports"
    return found


def sample(names, part: float, seed: int) -> set[str]:
    """A part of the names, another one with each seed."""
    names = sorted(names)
    return set(random.Random(seed).sample(names, max(1, round(part * len(names)))))
