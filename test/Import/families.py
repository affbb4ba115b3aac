# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every model family of the installed transformers that has a training loss, as a tiny configuration made by rule: name
-> Family.

Sizes that a default configuration has are replaced by name; what a family wants beyond that stands in OWN. What becomes
of each family is written in families.json, which `python test/Import/families.py [PROCESSES]` writes anew.
"""
from __future__ import annotations

import json
import multiprocessing
import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from transformers.models.auto import modeling_auto as auto

ROWS, LENGTH, VOCABULARY, PIXELS = 2, 16, 128, 32
MOST_PARAMETERS = 30_000_000

# By task, what transformers calls its table, in the order of choice.
TASKS = {
    "causal": "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "masked": "MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    "seq2seq": "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "speech": "MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES",
    "image-text": "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES",
    "sequence": "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES",
    "image": "MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES",
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
    (r"patch_size", 8),
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
    "EsmConfig": {"pad_token_id": 1, "mask_token_id": 2},
    "LayoutLMv3Config": {"coordinate_size": 8, "shape_size": 16, "visual_embed": False},
    "FSMTConfig": {"src_vocab_size": VOCABULARY, "tgt_vocab_size": VOCABULARY},
    "Mamba2Config": {"num_heads": 8, "head_dim": 16},
    "FunnelConfig": {"block_sizes": [1, 1]},
    "LukeConfig": {"entity_vocab_size": 32},
    "SwinConfig": {"embed_dim": 24, "window_size": 2}, "Swinv2Config": {"embed_dim": 24, "window_size": 2},
    "DonutSwinConfig": {"embed_dim": 24, "window_size": 2},
    "Siglip2VisionConfig": {"num_patches": 16},
    "JambaConfig": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "BambaConfig": {"attn_layer_indices": [1]},
    "GraniteMoeHybridConfig": {"layer_types": ["mamba", "attention"]},
    "NemotronConfig": {"num_key_value_heads": 2, "head_dim": 16},
    **dict.fromkeys(("HunYuanDenseV1Config", "HunYuanMoEV1Config", "MinistralConfig"), {"rope_parameters": _PLAIN_ROPE}),
    **dict.fromkeys(("Qwen2VLTextConfig", "Qwen2_5_VLTextConfig", "Qwen2_5OmniTextConfig", "Glm4vTextConfig", "Glm46VTextConfig",
                     "GlmOcrTextConfig", "GlmgaTextConfig", "PaddleOCRTextConfig"),
                    {"rope_parameters": _PLAIN_ROPE | {"mrope_section": [2, 3, 3]}}),
    "Glm4vMoeTextConfig": {"rope_parameters": _PLAIN_ROPE | {"partial_rotary_factor": 0.5, "mrope_section": [2, 1, 1]}},
    "MoonshineConfig": {"pad_token_id": 1},
    "Speech2TextConfig": {"input_feat_per_channel": 80, "conv_channels": 32},
    "MobileBertConfig": {"embedding_size": 32, "true_hidden_size": 32, "intra_bottleneck_size": 32},
    "GitConfig": {"bos_token_id": 1, "eos_token_id": 2},
    "Florence2VisionConfig": {"embed_dim": [16, 24, 32, 48], "num_heads": [2, 2, 2, 2], "num_groups": [2, 2, 2, 2], "depths": [1, 1, 1, 1],
                              "projection_dim": 64, "max_temporal_embeddings": 8, "max_position_embeddings": 16},
}

# What forward asks for beside ids and labels.
WANTS_PIXELS = {"git", "blip", "vision-encoder-decoder"}


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
        return 0.0 if re.search(r"drop|jitter", name) else None
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
        size = _size_of(name, value)
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
    return made | OWN.get(kind.__name__, {})


@dataclass(frozen=True)
class Family:
    name: str
    task: str
    model_class: str

    def config(self, dropout: bool = False, **options):
        kind = type(transformers.CONFIG_MAPPING[self.name]())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return kind(**{**arguments(kind, dropout=dropout), **options})

    def build(self, dropout: bool = False, **options):
        """(model, batch), seeded. Raises whatever transformers does; ValueError where the model is not tiny."""
        config = self.config(dropout, **options)
        for name, token in (("pad_token_id", 1), ("decoder_start_token_id", 2)):
            if self.task in ("seq2seq", "speech", "image-text", "sequence") and getattr(config, name, None) is None:
                setattr(config, name, token)
        kind = getattr(transformers, self.model_class)
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
        return model, self.batch(config)

    def batch(self, config) -> dict:
        torch.manual_seed(1)
        ids = torch.randint(4, VOCABULARY - 20, (ROWS, LENGTH))
        labels = ids.clone()
        labels[0, 5:9] = -100
        pixels = torch.randn(ROWS, getattr(config, "num_channels", 3), PIXELS, PIXELS)
        if self.task == "image":
            return {"pixel_values": pixels, "labels": torch.tensor([0, 1])}
        if self.task == "sequence":
            return {"input_ids": ids, "labels": torch.tensor([0, 1])}
        if self.name == "moonshine":
            return {"input_values": torch.randn(ROWS, 4000), "labels": labels}
        if self.name == "speech_to_text":
            return {"input_features": torch.randn(ROWS, 64, 80), "labels": labels}
        if self.task == "speech":
            bins = getattr(config, "num_mel_bins", 80)
            return {"input_features": torch.randn(ROWS, bins, 2 * getattr(config, "max_source_positions", 64)), "labels": labels}
        return {"input_ids": ids, "labels": labels} | ({"pixel_values": pixels} if self.name in WANTS_PIXELS else {})


def families() -> dict[str, Family]:
    """One entry a family: the first of its tasks; and what classifies sequences as a second one."""
    found: dict[str, Family] = {}
    for task, table in TASKS.items():
        for name, kind in getattr(auto, table).items():
            kind = kind[0] if isinstance(kind, (list, tuple)) else kind
            if name not in found:
                found[name] = Family(name, task, kind)
            elif task == "sequence":
                found[f"{name}/sequence"] = Family(name, task, kind)
    return found


FAMILIES = families()
TABLE = Path(__file__).with_suffix(".json")


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


def _line(name: str):
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    kind, what = outcome(name, verify=False)
    print(name, kind, flush=True)
    return name, {kind: what} if kind in ("unbuilt", "refused") else kind


def main(processes: int) -> None:
    with multiprocessing.get_context("spawn").Pool(processes, maxtasksperchild=50) as pool:
        lines = dict(pool.imap_unordered(_line, FAMILIES))
    table = {"transformers": transformers.__version__, "families": dict(sorted(lines.items()))}
    TABLE.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
