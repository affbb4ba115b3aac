# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec-run --generate: the likeliest tokens are those of the framework and of prec.generate, drawn ones follow the
logits' probabilities, and modules and prompts that cannot be continued are refused."""
import collections
import subprocess

import numpy as np
import pytest
import torch
import transformers

import prec
from prec.generate import generate

ROWS, LENGTH, VOCABULARY = 2, 12, 64


class WithoutNames(torch.nn.Module):
    """As nanoGPT: inputs of other names, logits of a tuple's second place."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.head = torch.nn.Embedding(VOCABULARY, 16), torch.nn.Linear(16, VOCABULARY)

    def forward(self, idx, targets):
        logits = self.head(self.embed(idx).cumsum(1))
        return {"logits": logits, "loss": torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)}


def imported(outputs=("logits",), model=None, given=None, **options):
    torch.manual_seed(0)
    if model is None:
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
            max_position_embeddings=64))
    ids = torch.randint(0, VOCABULARY, (ROWS, LENGTH))
    given = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids} if given is None else given
    def loss(output):
        return output["loss"]
    return model, prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=1e-2), given, outputs=outputs, loss=loss, **options)


@pytest.fixture(scope="module")
def llama(compile_module):
    model, step = imported()
    return model, *compile_module(step, "fp32")


@pytest.fixture
def run(tool):
    def start(path, weights, *options):
        return subprocess.run([tool("prec-run"), path, "--weights", weights, *map(str, options)], capture_output=True, text=True)
    return start


def texts_of(done):
    assert done.returncode == 0, done.stderr
    return [[int(id) for id in line.split(",")] for line in done.stdout.splitlines()]


def likeliest(model, prompt, count):
    text = list(prompt)
    with torch.no_grad():
        for _ in range(count):
            text.append(int(model(input_ids=torch.tensor([text[-LENGTH:]])).logits[0, -1].argmax()))
    return text


def test_the_likeliest_tokens(llama, run):
    """Beyond the length of a row, too."""
    model, path, weights = llama
    prompts = [[1, 2, 3], [7]]
    done = run(path, weights, "--generate", 14, "--prompt", "1,2,3", "--prompt", "7")
    assert texts_of(done) == [likeliest(model, prompt, 14) for prompt in prompts]
    with prec.Module(path) as module:
        module.load(weights)
        assert generate(module, prompts, 14) == texts_of(done)
    assert texts_of(run(path, weights, "--generate", 3, "--prompt", "7")) == [likeliest(model, [7], 3)]


def test_a_token_ends_a_text(llama, run):
    model, path, weights = llama
    right = likeliest(model, [1, 2, 3], 6)
    stop = right[5]
    assert texts_of(run(path, weights, "--generate", 6, "--prompt", "1,2,3", "--stop", stop)) == [right[:right.index(stop, 3) + 1]]


def test_drawn_tokens(llama, run):
    model, path, weights = llama
    greedy = texts_of(run(path, weights, "--generate", 4, "--prompt", "1,2,3"))
    for options in (("--temperature", "1e-6"), ("--temperature", "1", "--top-k", "1")):
        assert texts_of(run(path, weights, "--generate", 4, "--prompt", "1,2,3", *options)) == greedy
    drawn = [texts_of(run(path, weights, "--generate", 8, "--prompt", "1,2,3", "--temperature", "2", "--seed", seed)) for seed in (3, 3, 4)]
    assert drawn[0] == drawn[1] != drawn[2] and all(0 <= id < VOCABULARY for text in drawn[0] for id in text)


def test_drawn_tokens_follow_the_logits(run, compile_module):
    """Two rows of 300 tokens of a model that sees no token before the last: how often each follows, by chi squared."""
    class Fixed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(1)
            self.logits, self.scale = torch.nn.Parameter(torch.randn(8)), torch.nn.Embedding(8, 1)
            with torch.no_grad():
                self.scale.weight.fill_(1.0)

        def forward(self, input_ids, labels):
            logits = self.logits * self.scale(input_ids)
            return {"logits": logits, "loss": torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())}

    ids = torch.zeros(2, 4, dtype=torch.int64)
    model, step = imported(model=Fixed(), given={"input_ids": ids, "labels": ids})
    path, weights = compile_module(step, "fp32")
    options = ("--generate", 300, "--prompt", "0", "--prompt", "1", "--temperature", "1.5", "--seed", 2)
    for top_k in (None, 3):
        texts = texts_of(run(path, weights, *options, *(() if top_k is None else ("--top-k", top_k))))
        counts = collections.Counter(id for text in texts for id in text[1:])
        logits = model.logits.detach().double().numpy() / 1.5
        if top_k is not None:
            logits = np.where(logits < np.sort(logits)[-top_k], -np.inf, logits)
        expected = 600 * np.exp(logits) / np.exp(logits).sum()
        assert set(counts) <= set(np.flatnonzero(expected))
        kept = expected > 0
        chi = (((np.array([counts[i] for i in range(8)]) - expected)[kept]) ** 2 / expected[kept]).sum()
        # Of 7 degrees of freedom one in a thousand is above 24.3.
        assert chi < 24.3, (top_k, counts, expected)


def test_inputs_of_other_names(run, compile_module):
    ids = torch.randint(0, VOCABULARY, (ROWS, LENGTH))
    model, step = imported(model=WithoutNames(), given={"idx": ids, "targets": ids})
    path, weights = compile_module(step, "fp32")
    text, done = [5, 9], run(path, weights, "--generate", 4, "--prompt", "5,9")
    for _ in range(4):
        with torch.no_grad():
            text.append(int(model.head(model.embed(torch.tensor([text])).cumsum(1))[0, -1].argmax()))
    assert texts_of(done) == [text]


@pytest.mark.parametrize("options,message", [
    (("--prompt", "1"), "--prompt requires --generate"),
    (("--generate", 1), "there must be 1 to 2 of --prompt, as a batch has rows, but got 0"),
    (("--generate", 1, *["--prompt", "1"] * 3), "there must be 1 to 2 of --prompt, as a batch has rows, but got 3"),
    (("--generate", 1, "--prompt", "1,64"), "a prompt must be numbers of tokens below 64 with commas between, but got '1,64'"),
    (("--generate", 1, "--prompt", "1,,2"), "but got '1,,2'"),
    (("--generate", 1, "--prompt", "1,"), "but got '1,'"),
    (("--generate", 1, "--prompt", "-1"), "but got '-1'"),
    (("--generate", 1, "--prompt", "one"), "but got 'one'"),
    (("--generate", 0, "--prompt", "1"), "--generate"),
    (("--generate", 1, "--prompt", "1", "--temperature", "-1"), "a temperature must lie in [0, 1e6], but got -1"),
    (("--generate", 1, "--prompt", "1", "--temperature", "nan"), "a temperature must lie in [0, 1e6], but got nan"),
    (("--generate", 1, "--prompt", "1", "--top-k", 0), "--top-k"),
    (("--generate", 1, "--prompt", "1", "--stop", -2), "--stop"),
    (("--generate", 1, "--prompt", "1", "--tokens", "x"), "excludes"),
])
def test_what_is_not_continued(options, message, llama, run):
    done = run(*llama[1:], *options)
    assert done.returncode == 1 and message in done.stderr and not done.stdout, done.stderr


@pytest.mark.long
def test_modules_that_write_no_text(run, compile_module, tool):
    _, step = imported(outputs=())
    done = run(*compile_module(step, "fp32"), "--generate", 1, "--prompt", "1")
    assert "to generate, a module must have the output 'logits', but got no outputs: import it with outputs=[\"logits\"]" in done.stderr
    _, step = imported(outputs=("model.norm",))
    done = run(*compile_module(step, "fp32"), "--generate", 1, "--prompt", "1")
    assert "must have the output 'logits', but got model.norm:" in done.stderr
    layer = torch.nn.Linear(4, 4)

    class Numbers(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x):
            return {"logits": self.layer(x), "loss": self.layer(x).square().mean()}
    _, step = imported(model=Numbers(), given={"x": torch.ones(2, 4)})
    path, weights = compile_module(step, "fp32")
    done = run(path, weights, "--generate", 1, "--prompt", "1")
    assert "a module must have one input [rows, tokens] of token ids, or one named input_ids, but got 0" in done.stderr

    class Last(WithoutNames):
        def forward(self, idx, targets):
            found = super().forward(idx, targets)
            return {"logits": found["logits"][:, -1], "loss": found["loss"]}
    ids = torch.randint(0, VOCABULARY, (ROWS, LENGTH))
    _, step = imported(model=Last(), given={"idx": ids, "targets": ids})
    done = run(*compile_module(step, "fp32"), "--generate", 1, "--prompt", "1")
    assert "logits must be of every token of [2, 12], but got [2, 64]" in done.stderr
    path, _ = compile_module(imported()[1], "fp32")
    done = subprocess.run([tool("prec-run"), path, "--generate", "1", "--prompt", "1"], capture_output=True, text=True)
    assert "start weights must be given with --weights" in done.stderr


def test_logits_that_are_no_numbers(llama, run, tmp_path):
    from safetensors.torch import load_file, save_file
    weights = load_file(llama[2])
    weights["model.norm.weight"][:] = 3e38
    save_file(weights, tmp_path / "bad.safetensors")
    done = run(llama[1], tmp_path / "bad.safetensors", "--generate", 1, "--prompt", "1")
    assert done.returncode == 1 and "to generate, logits must be numbers, but those of text 0 are not" in done.stderr
