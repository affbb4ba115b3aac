# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that --prec-split-layers divides compute what whole ones do: the interpreter runs both, as the pass leaves
them
and as sums over ranks are decomposed."""
from pathlib import Path

import numpy as np
import pytest

from prec.interpreter import Program, generic_form, ranks

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# Divided parameters of two and of four ranks. Llama's two heads of keys and values are divided by two, not by four:
# then feed-forward layers and the table alone are. GPT-2's products make queries, keys and values at once.
DIVIDED = {"llama": {2: 15, 4: 7}, "gpt2": {2: 14, 4: 14}}


def slices(attributes, tensor: np.ndarray, count: int) -> list[np.ndarray]:
    """What each rank has of a whole tensor: its slice of each part."""
    dim = attributes["prec_train.shard_dim"]
    parts = np.split(tensor, np.cumsum(attributes.get("prec_train.shard_parts", [tensor.shape[dim]]))[:-1], dim)
    return [np.concatenate(own, dim) for own in zip(*(np.split(part, count, dim) for part in parts))]


def whole_of(attributes, parts: list[np.ndarray], count: int) -> np.ndarray:
    """The tensor whose slices these are."""
    dim = attributes["prec_train.shard_dim"]
    ends = np.cumsum(attributes.get("prec_train.shard_parts", [parts[0].shape[dim] * count]))[:-1] // count
    return np.concatenate([piece for pieces in zip(*(np.split(part, ends, dim) for part in parts)) for piece in pieces], dim)


@pytest.mark.parametrize("model", list(DIVIDED))
@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.long)])
@pytest.mark.parametrize("passes", [[], ["--prec-decompose=attention-library=none"]], ids=["composites", "primitives"])
def test_ranks_compute_what_one_process_does(prec_opt, count, passes, model):
    def program(*more: str) -> Program:
        return Program.of_text(generic_form((EXAMPLES / f"{model}_tiny.mlir").read_text(), prec_opt, ["--prec-raise-composites", *more, *passes]))
    one, several = program(), program(f"--prec-split-layers=mesh=tp={count}")
    random = np.random.default_rng(0)
    tokens = random.integers(0, 256, (2, 32)).astype(np.int32)
    whole = {a.name: random.standard_normal(a.type.shape).astype(np.float32) * 0.1 for a in one.function().arguments if a.role == "parameter"}
    batch = {"input_ids": tokens, "labels": tokens}
    arguments = several.function().arguments
    given = []
    for rank in range(count):
        own = dict(batch)
        for a in arguments:
            if a.role != "parameter":
                continue
            divided = "prec_train.shard" in a.attributes
            own[a.name] = slices(a.attributes, whole[a.name], count)[rank] if divided else whole[a.name]
        given.append(own)
    expected = one.run({**whole, **batch})
    found = ranks.run(several, given)
    divided = 0
    for index, binding in enumerate(several.function().results):
        parts = [np.asarray(list(results)[index]) for results in found]
        to = binding.attributes.get("prec_train.donated_to")
        attributes = {} if to is None else arguments[to].attributes
        if "prec_train.shard" in attributes:
            divided += 1
            parts = [whole_of(attributes, parts, count)]
        for part in parts:
            np.testing.assert_array_equal(part, parts[0])
        # The first step of AdamW is of the gradient's sign: where that is next to nothing, of rounding.
        wanted = np.asarray(list(expected)[index])
        assert part.shape == wanted.shape
        assert np.quantile(np.abs(part - wanted), 0.999) <= 2e-5 * max(1, np.abs(wanted).max()), binding.name
    assert divided == 3 * DIVIDED[model][count]
