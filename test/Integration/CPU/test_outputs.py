# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the forward pass that an import is asked for: `eval` gives them, a step leaves them, and text is written
from logits."""
import numpy as np
import pytest
import torch
import transformers

import prec
from prec import ImportFailure
from prec.errors import InvalidArgument
from prec.generate import generate

ROWS, LENGTH, VOCABULARY = 2, 12, 64


def llama():
    torch.manual_seed(0)
    config = transformers.LlamaConfig(vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
                                      num_key_value_heads=2, max_position_embeddings=64)
    return transformers.LlamaForCausalLM(config)


def batch(seed=1):
    ids = torch.randint(0, VOCABULARY, (ROWS, LENGTH), generator=torch.Generator().manual_seed(seed))
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids}


def imported(outputs, model=None, **options):
    model = llama() if model is None else model
    # A large eps: without it AdamW makes whole steps of gradients that are rounding alone, which is another one on each
    # machine.
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, eps=1e-3)
    step = prec.import_torch(model, optimizer, batch(), outputs=outputs, **options)
    assert step.verified == "verified"
    return model, optimizer, step


def opened(compile_module, step, recipe="fp32", *options):
    path, weights = compile_module(step, recipe, *options)
    module = prec.Module(path)
    module.load(weights)
    return module


def arrays(given):
    return {name: t.numpy() for name, t in given.items()}


def right(model, given):
    with torch.no_grad():
        output = model(**given, output_hidden_states=True)
    return {"logits": output.logits, "model.norm": output.hidden_states[-1]}, output.loss.item()


def test_eval_gives_them_and_steps_leave_them(compile_module):
    model, optimizer, step = imported(("logits", "model.norm"))
    module = opened(compile_module, step)
    for seed in range(3):
        expected, loss = right(model, batch(seed))
        got = module.eval(arrays(batch(seed)))
        assert got["loss"] == pytest.approx(loss, rel=1e-5)
        for name, value in expected.items():
            np.testing.assert_allclose(got[name], value.numpy(), rtol=2e-4, atol=2e-5)
        result = module.step(arrays(batch(seed)))
        assert "logits" not in result and "grad_norm" not in result
        np.testing.assert_allclose(module.get("logits"), expected["logits"].numpy(), rtol=2e-4, atol=2e-5)
        model(**batch(seed)).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
def test_they_are_near_in_other_recipes(recipe, compile_module):
    model, _, step = imported(("logits",))
    got = opened(compile_module, step, recipe).eval(arrays(batch()))["logits"]
    expected = right(model, batch())[0]["logits"].numpy()
    assert got.dtype == np.float32 and got.shape == expected.shape
    assert np.linalg.norm(got - expected) < 0.1 * np.linalg.norm(expected)


@pytest.mark.long
def test_steps_in_parts_train_the_same(compile_module):
    _, _, step = imported(("logits",))
    _, _, plain = imported(())
    options = "--accumulate"
    with_outputs, without = (opened(compile_module, s, "fp32", options) for s in (step, plain))
    for module in (with_outputs, without):
        for seed in range(2):
            module.accumulate(arrays(batch(seed)))
            if module is with_outputs:
                # Of this micro-batch.
                np.testing.assert_array_equal(module.get("logits"), module.eval(arrays(batch(seed)))["logits"])
        module.apply()
    for name, value in without.weights().items():
        np.testing.assert_array_equal(with_outputs.weights()[name], value)
    assert "logits" in with_outputs.eval(arrays(batch()))


def test_names_that_stand_for_nothing():
    with pytest.raises(ImportFailure, match="an output must be a tensor .* but 'scores' is nothing: forward returns loss, logits"):
        imported(("scores",))
    with pytest.raises(ImportFailure, match="an output must have a dimension but 'aux' is one number"):
        model = llama()
        own = model.forward
        model.forward = lambda **given: own(**given) | {"aux": own(**given).loss * 2}
        imported(("aux",), model, loss=lambda output: output["loss"])
    for names in ("logits", ("logits", "logits"), ("loss",), (1,)):
        with pytest.raises(ImportFailure, match="outputs must"):
            imported(names)
    with pytest.raises(ImportFailure, match="an output must be computed but 'ids' is an input"):
        model = llama()
        model.forward = lambda input_ids, own=model.forward, **given: {"loss": own(input_ids, **given).loss, "ids": input_ids}
        imported(("ids",), model, loss=lambda output: output["loss"])


def written(model, prompts, count):
    """By PyTorch, without a cache."""
    texts = [list(p) for p in prompts]
    for text in texts:
        for _ in range(count):
            with torch.no_grad():
                text.append(int(model(torch.tensor([text[-LENGTH:]])).logits[0, -1].argmax()))
    return texts


def test_text_is_what_pytorch_writes(compile_module):
    model, _, step = imported(("logits",))
    module = opened(compile_module, step)
    prompts = [[1, 2, 3], [7]]
    texts = written(model, prompts, 6)
    assert generate(module, prompts, 6) == texts
    assert generate(module, prompts[:1], 6, stop=texts[0][4])[0] == texts[0][:texts[0].index(texts[0][4], 3) + 1]
    assert generate(module, prompts, 6, temperature=1e-6) == texts and generate(module, prompts, 6, temperature=1.0, top_k=1) == texts
    drawn = generate(module, prompts, 20, temperature=2.0, seed=3)
    assert drawn == generate(module, prompts, 20, temperature=2.0, seed=3) != generate(module, prompts, 20, temperature=2.0, seed=4)
    assert [len(t) for t in drawn] == [23, 21] and all(0 <= token < VOCABULARY for text in drawn for token in text)


def test_what_writes_no_text(compile_module):
    module = opened(compile_module, imported(("logits",))[2])
    for prompts in ([], [[]], [[1]] * 3):
        with pytest.raises(InvalidArgument, match="there must be 1 to 2 prompts of at least one token"):
            generate(module, prompts, 1)
    with pytest.raises(InvalidArgument, match="temperature must be 0 or positive"):
        generate(module, [[1]], 1, temperature=-1)
    with pytest.raises(InvalidArgument, match="'scores' must be an output, which the import was asked for"):
        generate(module, [[1]], 1, logits="scores")
