# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny Hugging Face models that differ in how they attend: name -> function that returns (model, batch), seeded."""
from __future__ import annotations

import torch
import transformers

TOKENS = 16
IDS = torch.randint(4, 96, (2, TOKENS), generator=torch.Generator().manual_seed(1))
CAUSAL = {"input_ids": IDS, "labels": IDS}
PAIRS = {"input_ids": IDS, "decoder_input_ids": IDS.flip(1).contiguous(), "labels": IDS.flip(1).roll(-1, 1).contiguous()}

LLAMA = dict(vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=64, bos_token_id=0, eos_token_id=1, pad_token_id=None)
BERT = dict(vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=1, num_attention_heads=4, max_position_embeddings=64,
            pad_token_id=0, bos_token_id=1)
BART = dict(vocab_size=96, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
            encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=64, dropout=0.0, attention_dropout=0.0, activation_dropout=0.0,
            pad_token_id=1, decoder_start_token_id=2, scale_embedding=False)
T5 = dict(vocab_size=96, d_model=32, d_kv=8, d_ff=48, num_layers=1, num_decoder_layers=1, num_heads=4, dropout_rate=0.0,
          decoder_start_token_id=0)
GPT = dict(vocab_size=96, n_embd=32, n_layer=1, n_head=4, n_positions=64, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
FALCON = dict(vocab_size=96, hidden_size=32, num_hidden_layers=1, num_attention_heads=4)
MLA = {**LLAMA, "num_key_value_heads": 4, "num_hidden_layers": 1, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 8,
       "qk_rope_head_dim": 4, "v_head_dim": 8}
MIXED = ["sliding_attention", "full_attention"]


def build(name, batch=CAUSAL, kind="ForCausalLM", config=None, **options):
    config = getattr(transformers, config or name + "Config")(**options)
    model = getattr(transformers, name + kind)(config)
    torch.manual_seed(5)
    for p in model.parameters():
        # Biases and tables that start at zero would not show.
        torch.nn.init.normal_(p, std=0.15)
    return model.train(), batch


def without(options, *names):
    return {key: value for key, value in options.items() if key not in names}


# Models whose code for attention, or whose mask, is not Llama's.
FAMILIES = {
    "bloom": lambda: build("Bloom", vocab_size=96, hidden_size=32, n_layer=1, n_head=4, hidden_dropout=0.0, attention_dropout=0.0),
    "xglm": lambda: build("XGLM", vocab_size=96, d_model=32, ffn_dim=48, num_layers=1, attention_heads=4, max_position_embeddings=64,
                          dropout=0.0, attention_dropout=0.0, activation_dropout=0.0),
    "trocr-decoder": lambda: build("TrOCR", vocab_size=96, d_model=32, decoder_layers=1, decoder_attention_heads=4, decoder_ffn_dim=48,
                                   max_position_embeddings=64, dropout=0.0),
    "mpt": lambda: build("Mpt", vocab_size=96, d_model=32, n_layers=1, n_heads=4, max_seq_len=64),
    "falcon": lambda: build("Falcon", **FALCON),
    "falcon-alibi": lambda: build("Falcon", **FALCON, alibi=True),
    "gpt-neox": lambda: build("GPTNeoX", **LLAMA),
    "gpt-neo": lambda: build("GPTNeo", vocab_size=96, hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]],
                             window_size=4, max_position_embeddings=64),
    "gptj": lambda: build("GPTJ", **GPT, rotary_dim=4),
    "t5": lambda: build("T5", PAIRS, "ForConditionalGeneration", **T5),
    "mt5": lambda: build("MT5", PAIRS, "ForConditionalGeneration", **T5),
    "bart": lambda: build("Bart", PAIRS, "ForConditionalGeneration", **BART),
    "bart-decoder": lambda: build("Bart", **BART),
    "mbart-decoder": lambda: build("MBart", **BART),
    "pegasus-decoder": lambda: build("Pegasus", **BART),
    "marian-decoder": lambda: build("Marian", **BART),
    "mvp-decoder": lambda: build("Mvp", **BART),
    "opt": lambda: build("OPT", vocab_size=96, hidden_size=32, ffn_dim=48, num_hidden_layers=1, num_attention_heads=4, pad_token_id=1,
                         max_position_embeddings=64, dropout=0.0, word_embed_proj_dim=32),
    # Attention sinks.
    "flint": lambda: build("Flint", **LLAMA, head_dim=8, mlp_only_layers=[0, 1], sliding_window=4, layer_types=MIXED),
    "granite-swa": lambda: build("GraniteSWA", **{**LLAMA, "num_hidden_layers": 1}, sliding_window=4, layer_types=MIXED[:1]),
    "minicpm3": lambda: build("MiniCPM3", **MLA),
    "deepseek-v3": lambda: build("DeepseekV3", **MLA, first_k_dense_replace=1),
    "roformer": lambda: build("RoFormer", kind="ForMaskedLM", **BERT, embedding_size=32, hidden_dropout_prob=0.0,
                              attention_probs_dropout_prob=0.0),
}

# What a family is still refused for, and nothing else.
LACKS = {"falcon": "aten.index.Tensor", "falcon-alibi": "aten.cumsum.default",
         "gptj": "aten.gather.default", "granite-swa": "aten.logsumexp.default", "opt": "aten.cumsum.default"}

# Of models with a window: one that takes in the whole sequence or not, attention of PyTorch or eager.
WINDOWED = {
    "mistral": lambda window, **how: build("Mistral", **{**LLAMA, "num_hidden_layers": 1}, sliding_window=window, **how),
    "phi3": lambda window, **how: build("Phi3", **{**LLAMA, "num_hidden_layers": 1}, sliding_window=window, **how),
    "starcoder2": lambda window, **how: build("Starcoder2", **{**LLAMA, "num_hidden_layers": 1}, sliding_window=window, **how),
    "gemma2": lambda window, **how: build("Gemma2", **LLAMA, head_dim=8, sliding_window=window, attn_implementation="eager"),
    "gemma3": lambda window, **how: build("Gemma3", config="Gemma3TextConfig", **LLAMA, head_dim=8, sliding_window=window,
                                          layer_types=MIXED, **how),
    "cohere2": lambda window, **how: build("Cohere2", **LLAMA, sliding_window=window, layer_types=MIXED, **how),
    # A window on both sides; layers take turns.
    "modernbert": lambda window, **how: build("ModernBert", kind="ForMaskedLM", **{**BERT, "num_hidden_layers": 2}, cls_token_id=1,
                                              sep_token_id=2, local_attention=2 * window, global_attn_every_n_layers=2, **how),
}

ENCODERS = {
    "eurobert": lambda **how: build("EuroBert", kind="ForMaskedLM", **{**LLAMA, "pad_token_id": 0, "num_hidden_layers": 1}, **how),
    "modernbert": lambda **how: WINDOWED["modernbert"](64, **how),
}
