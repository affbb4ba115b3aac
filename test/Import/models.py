# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny models for tests: name -> function that returns (model, batch), seeded."""
from __future__ import annotations

import torch
from torch.overrides import TorchFunctionMode

from prec.interpreter import Program, Torch


def hf_llama(batch=2, dtype="float32", **options):
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(1)
    size = dict(vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                max_position_embeddings=64, bos_token_id=0, eos_token_id=0)
    model = LlamaForCausalLM(LlamaConfig(**{**size, **options})).to(getattr(torch, dtype))
    ids = torch.randint(0, 96, (batch, 16))
    labels = ids.clone()
    labels[0, 5:9] = -100
    return model, {"input_ids": ids, "labels": labels}


def hf_gpt2(**options):
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(2)
    size = dict(vocab_size=96, n_positions=64, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(GPT2Config(**{**size, **options}))
    for p in model.parameters():
        # Biases start at zero and norms at one: a lost or doubled one would not show.
        torch.nn.init.normal_(p, std=0.2)
    ids = torch.randint(0, 96, (2, 16))
    return model, {"input_ids": ids, "labels": ids}


# Not promised, but their families hold: a change that loses one should be a decision.
OTHERS = {"Qwen2": {}, "Qwen3": {"head_dim": 16}, "Mistral": {"sliding_window": None}, "Gemma": {"head_dim": 8}, "Olmo2": {}, "Phi3": {},
          "GPTNeoX": {}, "Starcoder2": {}, "SmolLM3": {}}


def hf_other(name, **more):
    import transformers

    torch.manual_seed(4)
    config = getattr(transformers, name + "Config")(vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
                                                    num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
                                                    bos_token_id=0, eos_token_id=0, pad_token_id=None, **more)
    ids = torch.randint(0, 96, (2, 16))
    return transformers.AutoModelForCausalLM.from_config(config), {"input_ids": ids, "labels": ids}


def bench_llama():
    import bench_llama as example

    model, _, batch, _ = example._step((2, 32, 4, 2, 48, 96, 2, 16), weights=True)
    torch.manual_seed(3)
    return model, {name: torch.randint(0, 96, t.shape) for name, t in batch.items()}


def checkpointed(build):
    def built():
        model, batch = build()
        model.activation_checkpointing_enable()
        return model, batch
    return built


MODELS = {
    "llama": hf_llama,
    "llama-tied": lambda: hf_llama(tie_word_embeddings=True),
    "llama-bias": lambda: hf_llama(attention_bias=True, mlp_bias=True),
    "llama-eager": lambda: hf_llama(attn_implementation="eager"),
    "llama-mha": lambda: hf_llama(num_key_value_heads=4),
    "llama3-rope": lambda: hf_llama(rope_parameters=dict(rope_type="llama3", rope_theta=5e5, factor=8.0, low_freq_factor=1.0,
                                                         high_freq_factor=4.0, original_max_position_embeddings=32)),
    "llama-one": lambda: hf_llama(num_hidden_layers=1, num_key_value_heads=1, batch=1),
    "llama-bf16": lambda: hf_llama(dtype="bfloat16"),
    "llama-checkpointed": checkpointed(hf_llama),
    "gpt2-checkpointed": checkpointed(hf_gpt2),
    "llama-pad": lambda: hf_llama(pad_token_id=3),
    "gpt2": hf_gpt2,
    "gpt2-gelu": lambda: hf_gpt2(activation_function="gelu"),
    "gpt2-relu": lambda: hf_gpt2(activation_function="relu", n_inner=48),
    "bench": bench_llama,
    **{name: lambda name=name, more=more: hf_other(name, **more) for name, more in OTHERS.items()},
}


class Erased(TorchFunctionMode):
    """Runs a model in float64 throughout: casts between float types do nothing, as in an imported graph."""

    floats = {torch.Tensor.float, torch.Tensor.double, torch.Tensor.half, torch.Tensor.bfloat16}
    casts = floats | {torch.Tensor.to, torch.Tensor.type}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function is torch.nn.functional.softmax and kwargs.get("dtype") is not None:
            kwargs["dtype"] = torch.float64
        if function in self.casts:
            x = args[0]
            named = [v for v in (*args[1:], *kwargs.values()) if isinstance(v, torch.dtype)]
            if x.dtype == torch.float64 and (not named or named[0].is_floating_point):
                return x
            if not named and function in self.floats or named and named[0].is_floating_point:
                with torch._C.DisableTorchFunction():
                    return x.to(torch.float64)
        return function(*args, **kwargs)


def reference(model, batch):
    """Loss and gradients by name from PyTorch itself in float64, with new tensors in float64 as well."""
    model = model.double()
    model.zero_grad()
    if getattr(model, "is_activation_checkpointing", False):
        model.activation_checkpointing_disable()
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with Erased():
            out = model(**batch)
            loss = out if isinstance(out, torch.Tensor) else out.loss
            loss.backward()
    finally:
        torch.set_default_dtype(default)
    return loss.detach(), {name: p.grad for name, p in model.named_parameters() if p.grad is not None}


def loss_and_gradients(graph, inputs):
    """In float64, by parameter path."""
    program = Program.of_graph(graph)
    loss, gradients = next(r.value for r in graph.results if r.role == "loss"), program.gradients()
    values = program.run(inputs, wanted=[loss, *gradients.values()], backend=Torch(torch.float64))
    return values[loss], {path: values[v] for path, v in gradients.items()}
