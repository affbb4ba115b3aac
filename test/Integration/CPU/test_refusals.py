# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call that is refused has changed nothing."""
import llama_tiny
import numpy as np
import pytest

import prec
from prec.module import RuntimeFailure


@pytest.fixture(scope="module")
def compiled(compile_module):
    model, optimizer, batch, options = llama_tiny.build()
    path, weights = compile_module(prec.import_torch(model, optimizer, batch, **options), "fp32")
    return path, weights, {name: np.asarray(value) for name, value in batch.items()}


def opened(path, weights):
    module = prec.Module(path)
    module.load(weights)
    return module


def test_a_refused_batch_leaves_the_last_one(compiled):
    path, weights, batch = compiled
    refused, other = opened(path, weights), opened(path, weights)
    for module in (refused, other):
        module.step(batch)
    bad = {"input_ids": (batch["input_ids"] + 7) % 200, "labels": np.full_like(batch["labels"], 256)}
    with pytest.raises(RuntimeFailure, match=r"token ids must lie in \[0, 256\), but got 256"):
        refused.step(bad, lr=0.5)
    assert refused.step() == other.step()
    assert refused.step(lr=0.25) == other.step(lr=0.25)


def test_a_batch_without_weights_is_not_kept(compiled):
    path, weights, batch = compiled
    module = prec.Module(path)
    with pytest.raises(RuntimeFailure, match="every input must be set before 'step', but 20 are not"):
        module.step(batch)
    module.load(weights)
    with pytest.raises(RuntimeFailure, match="every input must be set before 'step', but 2 are not: 'input_ids', 'labels'"):
        module.step()


def test_nothing_is_saved_without_weights(compiled, tmp_path):
    module = prec.Module(compiled[0])
    for save in (module.save, module.save_checkpoint):
        with pytest.raises(RuntimeFailure, match="every weight must be set before they are saved, but 20 are not"):
            save(tmp_path / "blank")
    assert not list(tmp_path.iterdir())


def test_small_integers_are_tokens(compiled):
    path, weights, batch = compiled
    first, second = opened(path, weights), opened(path, weights)
    assert first.step(batch) == second.step({name: value.astype(np.uint16) for name, value in batch.items()})
