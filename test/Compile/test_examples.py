# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Examples with and without a compiled step, and the commands of docs/Compiling.md."""
import importlib
import pathlib
import re
import sys

import numpy as np
import pytest
import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["loop", "accumulate", "run_clm", "accelerate_loop", pytest.param("lightning_fit", marks=pytest.mark.long), "sft"])
def test_losses_of_fifty_steps(name, cache, monkeypatch):
    for package in {"lightning_fit": ["lightning"], "sft": ["trl", "datasets"]}.get(name, ()):
        pytest.importorskip(package)
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "compile"))
    example = importlib.import_module(name)
    _, expected = example.train(False, 50)
    _, losses = example.train(True, 50, cache=cache, threads=1, target="cpu", verify=False)
    assert len(losses) == len(expected) == 50 and expected[-1] < expected[0] - 0.2
    assert losses == pytest.approx(expected, rel=2e-5)
    sys.modules.pop(name)


def test_the_document_runs(cache, tmp_path, monkeypatch):
    import prec
    text = (ROOT / "docs/Compiling.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    compile_ = prec.compile
    monkeypatch.setattr(prec, "compile", lambda *a, **o: compile_(*a, cache=cache, target="cpu", **o), raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokens").mkdir()
    (np.arange(4000, dtype=np.uint16) % 50).tofile(tmp_path / "tokens/first.bin")
    names = {}
    exec(blocks[0], names)
    names["step"].close()
    for block in blocks:
        if "classify =" in block or "train_g =" in block:
            exec(block, dict(names))
    names["micro_batches"] = names["loader"][:3]
    accumulating = next(block for block in blocks if "accumulate=True" in block)
    exec(accumulating.replace("accumulate=True", "loss=lambda output: output.square().mean(), accumulate=True"), names)
    assert names["loss"].item() >= 0 and (tmp_path / "checkpoint.pt").is_file()
    names["step"].close()
    tokens = next(block for block in blocks if "TokenDataset" in block)
    names["model"] = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=64, bos_token_id=0,
        eos_token_id=0))
    names["optimizer"] = torch.optim.AdamW(names["model"].parameters(), lr=1e-3)
    exec(tokens.replace("length=512", "length=32"), names)
    assert names["loss"].item() > 0 and (tmp_path / "data.pt").is_file()
    calls = set(re.findall(r"`step\.(\w+)", text))
    assert not [call for call in calls if not hasattr(type(names["step"]), call)]
