# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PEFT's models through prec.compile beside PyTorch's own loop: losses, adapters, files, merging, and that nothing of a
frozen base is trained, doubled or quantized again."""
import copy

import peft
import pytest
import torch
import transformers
from small import assert_same_weights

import prec

TARGETS = ["q_proj", "v_proj", "down_proj"]
LORA = {
    "plain": {},
    "all-linear": {"target_modules": "all-linear", "use_rslora": True},
    "saved": {"modules_to_save": ["lm_head", "norm"], "bias": "lora_only"},
    "dropout": {"lora_dropout": 0.2},
    "dora": {"use_dora": True},
    "embedding": {"target_modules": ["embed_tokens", "q_proj"]},
    "tokens": {"trainable_token_indices": [1, 5, 9]},
    "bias": {"bias": "all", "lora_bias": True},
    "patterns": {"rank_pattern": {"q_proj": 2}, "alpha_pattern": {"v_proj": 3}, "layers_to_transform": [0]},
    "pissa": {"init_lora_weights": "pissa"},
}
OTHERS = {
    "ia3": lambda: peft.IA3Config(target_modules=["k_proj", "v_proj", "down_proj"], feedforward_modules=["down_proj"]),
    "loha": lambda: peft.LoHaConfig(r=4, target_modules=TARGETS),
    "lokr": lambda: peft.LoKrConfig(r=4, target_modules=TARGETS),
    "vera": lambda: peft.VeraConfig(r=4, target_modules=["q_proj", "o_proj"]),
    "oft": lambda: peft.OFTConfig(oft_block_size=4, target_modules=["q_proj"]),
    "boft": lambda: peft.BOFTConfig(boft_block_size=4, target_modules=["q_proj"]),
    "norms": lambda: peft.LNTuningConfig(target_modules=["norm", "input_layernorm"]),
    "prompt": lambda: peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=4),
    "prefix": lambda: peft.PrefixTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=4),
    "ptuning": lambda: peft.PromptEncoderConfig(task_type="CAUSAL_LM", num_virtual_tokens=4),
    "fourier": lambda: peft.FourierFTConfig(n_frequency=16, target_modules=["q_proj"]),
    "hra": lambda: peft.HRAConfig(r=4, target_modules=["q_proj"]),
    "adalora": lambda: peft.AdaLoraConfig(target_modules=TARGETS, task_type="CAUSAL_LM", total_step=20),
}
# What cannot be a step, and why.
REFUSED = {name: "must not read a computed value .*torch.rand" for name in ("loha", "lokr")}


def base(dtype=torch.float32, tied=False, layers=1):
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=layers, num_attention_heads=2, num_key_value_heads=1,
        max_position_embeddings=32, tie_word_embeddings=tied)).to(dtype)


def adapted(config=None, dtype=torch.float32, tied=False, **options):
    model = base(dtype, tied)
    torch.manual_seed(1)
    if config is None:
        config = peft.LoraConfig(**{"r": 4, "lora_alpha": 8, "target_modules": TARGETS, "task_type": "CAUSAL_LM"} | options)
    model = peft.get_peft_model(model, config)
    for name, p in model.named_parameters():
        if "lora_B" in name and p.requires_grad:
            torch.nn.init.normal_(p, std=0.02)
    return model.train()


def adamw(model, **options):
    return torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], **{"lr": 1e-2} | options)


def batches(count, seed=1, length=16):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        ids = torch.randint(0, 64, (2, length), generator=generator)
        yield {"input_ids": ids, "labels": ids}


def train_both(compiled, make, steps=4, **options):
    a, b = make(), make()
    oa, ob = adamw(a), adamw(b)
    frozen = {name: p.detach().clone() for name, p in b.named_parameters() if not p.requires_grad}
    step = compiled(b, ob, next(batches(1)), **options)
    for batch in batches(steps):
        loss = step(batch)
        assert loss.item() == pytest.approx(a_loss(a, oa, batch), rel=3e-5)
    assert_same_weights(a, b, rtol=2e-3, atol=2e-5)
    for name, p in b.named_parameters():
        assert name not in frozen or torch.equal(p, frozen[name]), name
        assert p.grad is None
    return a, b, ob, step


def a_loss(model, optimizer, batch):
    loss = model(**batch).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", [name for name in LORA if name != "dropout"])
def test_lora(name, compiled, tmp_path):
    """Trained as PyTorch trains it, saved as PEFT reads it, and merged into what it computes."""
    a, b, optimizer, step = train_both(compiled, lambda: adapted(**LORA[name]))
    trained = sum(p.numel() for p in b.parameters() if p.requires_grad)
    held = sum(t.numel() for state in optimizer.state_dict()["state"].values() for slot, t in state.items() if slot != "step")
    assert held == 2 * trained
    given = next(batches(1, seed=9))
    expected = step.eval(given).item()
    b.save_pretrained(tmp_path)
    loaded = peft.PeftModel.from_pretrained(base(), tmp_path)
    with torch.no_grad():
        assert loaded(**given).loss.item() == pytest.approx(expected, rel=1e-5)
        step.close()
        if "lora_bias" in LORA[name]:
            return  # PEFT merges none of these.
        merged = b.merge_and_unload()
        assert merged(**given).loss.item() == pytest.approx(expected, rel=1e-4)


@pytest.mark.long
def test_dropout_of_adapters(compiled):
    """Another mask in each step, and none in evaluation."""
    model = adapted(lora_dropout=0.5)
    optimizer = adamw(model, lr=0.0)
    step = compiled(model, optimizer, next(batches(1)))
    given = next(batches(1))
    losses = {step(given).item() for _ in range(4)}
    assert len(losses) == 4
    with torch.no_grad():
        plain = model.eval()(**given).loss.item()
    assert step.eval(given).item() == pytest.approx(plain, rel=1e-5) and plain not in losses


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", OTHERS)
def test_other_methods(name, compiled):
    make = lambda: adapted(OTHERS[name]())  # noqa: E731
    if name in REFUSED:
        model = make()
        with pytest.raises(prec.ImportFailure, match=REFUSED[name]):
            compiled(model, adamw(model), next(batches(1)))
        return
    train_both(compiled, make)


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
def test_a_frozen_base_is_held_once(recipe, compiled):
    """A base in BF16 stays as it is, or is quantized once: no command of a step writes it or its copies. No master, no
    moment and no gradient of it is in memory."""
    model = adapted(dtype=torch.bfloat16)
    frozen = {name: p for name, p in model.named_parameters() if not p.requires_grad}
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    step = compiled(model, adamw(model), next(batches(1)), recipe=recipe)
    before = {name: p.detach().clone() for name, p in frozen.items()}
    losses = [step(batch).item() for batch in [*batches(1)] * 8]
    assert losses[-1] < losses[0] and all(torch.equal(p, before[name]) for name, p in frozen.items())
    program = step._programs.first
    of_base = [b for b in program.module.bindings if (b.parameter or b.name) in frozen]
    assert {b.parameter for b in program.module.bindings if b.role == "optimizer_state"} == trained.keys()
    entries = program.manifest["bindings"]
    numbers = {entries[b.index]["buffer"] for b in of_base if b.role != "staged_parameter"}
    state = [program.manifest["buffers"][number] for number in numbers]
    assert state and {one["segment"] for one in state} == {"state"}
    assert not numbers & {number for command in program.manifest["entry_points"]["step"] for number in command["writes"]}
    matrices = [b for b in of_base if b.role == "frozen_parameter" and len(b.shape) == 2]
    assert {b.dtype for b in matrices} == {"bfloat16"}
    copies = {b.dtype for b in of_base if b.role == "work_weight"}
    assert copies == (set() if recipe == "bf16" else {"float8_e4m3fn"})


@pytest.mark.cases(1)
@pytest.mark.parametrize("dtype", [pytest.param(torch.float32, marks=pytest.mark.long), torch.bfloat16])
@pytest.mark.long
def test_an_eager_model_between_steps(dtype, compiled, tmp_path):
    """Evaluation without adapters, merging and taking apart again, other scales: what a step would not know of is
    refused by name while it lasts."""
    model = adapted(dtype=dtype)
    step = compiled(model, adamw(model), next(batches(1)), recipe="bf16" if dtype == torch.bfloat16 else "fp32")
    given = next(batches(1))
    step(given)
    with model.disable_adapter():
        with torch.no_grad():
            model(**given)
        with pytest.raises(prec.StepFailure, match="disable_adapters of .* must be False"):
            step(given)
    step(given)
    model.merge_adapter()
    with pytest.raises(prec.StepFailure, match=r"merged_adapters of .* must be \[\].* call unmerge_adapter\(\) first"):
        step(given)
    model.unmerge_adapter()
    step(given)
    layer = next(m for m in model.modules() if isinstance(m, peft.tuners.lora.Linear))
    layer.set_scale("default", 3.0)
    with pytest.raises(prec.StepFailure, match="scaling of .* must be .* set it back, or compile the step again"):
        step(given)
    layer.set_scale("default", 1.0)
    step(given)
    model.add_adapter("other", peft.LoraConfig(r=2, target_modules=TARGETS))
    with pytest.raises(prec.StepFailure, match="must have the modules that it had when the step was compiled, but other is another"):
        step(given)
    model.delete_adapter("other")
    step(given)
    model.save_pretrained(tmp_path)
    merged = model.merge_and_unload()
    with pytest.raises(prec.StepFailure, match="compile the step again"):
        step(given)
    with torch.no_grad():
        again = peft.PeftModel.from_pretrained(base(dtype), tmp_path)(**given).loss.item()
        assert merged(**given).loss.item() == pytest.approx(again, rel=1e-4 if dtype == torch.float32 else 2e-2)


@pytest.mark.long
def test_probabilities_of_dropout_stay(compiled):
    model = adapted(lora_dropout=0.2)
    step = compiled(model, adamw(model), next(batches(1)))
    given = next(batches(1))
    step(given)
    for m in model.modules():
        if isinstance(m, torch.nn.Dropout):
            m.p = 0.1
    with pytest.raises(prec.StepFailure, match="p of .*lora_dropout.* must be 0.2, .* but is 0.1: set it back"):
        step(given)


@pytest.mark.long
def test_adapters_of_a_checkpoint_are_taken_over(compiled, tmp_path):
    a, b = adapted(), adapted()
    oa, ob = adamw(a), adamw(b)
    step = compiled(b, ob, next(batches(1)))
    other = adapted()
    for p in other.parameters():
        if p.requires_grad:
            torch.nn.init.normal_(p, std=0.1)
    other.save_pretrained(tmp_path)
    for model in (a, b):
        model.load_adapter(tmp_path, "default", is_trainable=True)
    for batch in batches(3):
        assert step(batch).item() == pytest.approx(a_loss(a, oa, batch), rel=3e-5)


@pytest.mark.long
def test_checkpointing_of_activations(compiled):
    def make():
        model = adapted()
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
        return model
    train_both(compiled, make)


def test_a_model_of_8_bits_is_refused_by_name():
    class Quantized(torch.nn.Parameter):
        pass
    model = adapted()
    layer = model.base_model.model.model.layers[0].mlp.up_proj
    layer.weight = Quantized((layer.weight.detach() * 10).to(torch.int8), requires_grad=False)
    with pytest.raises(prec.Error, match="parameters must be float32, .* but .*up_proj.weight is torch.int8"):
        prec.compile(model, adamw(model), next(batches(1)), target="cpu", recipe="fp32", verify=False)


@pytest.mark.long
def test_copies_of_adapters_are_pytorchs_own(compiled):
    model = adapted()
    step = compiled(model, adamw(model), next(batches(1)))
    copied = copy.deepcopy(model)
    step(next(batches(1)))
    assert a_loss(copied, adamw(copied), next(batches(1))) > 0
