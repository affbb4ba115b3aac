# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own samples of its operations (opinfo.py): those that a step can have are verified, all but a few."""
from collections import Counter

import opinfo
import pytest

LEAST = 0.97
SHARDS = 32


def run(**options):
    kinds, failed = Counter(), []
    for name, function, sample in opinfo.samples(**options):
        kind, text = opinfo.judged(function, sample)
        kinds[kind] += 1
        if kind == "failed":
            failed.append(f"{name}: {text}")
    return kinds, failed


def test_some_samples_of_a_few_operations():
    kinds, failed = run(part=0.02, per_op=1, seed=5)
    assert kinds["verified"] >= 5 and len(failed) <= 1, failed


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS))
def test_all_samples(shard):
    """Each shard may have an operation of many samples that are not; of all together `LEAST` must be."""
    kinds, failed = run(shard=(shard, SHARDS))
    assert opinfo.share(kinds) >= LEAST - 0.05, failed
