# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The closed set of PyTorch's operations: nothing in it is unknown, and the written list is what the importer does."""
import json
from pathlib import Path

import pytest
import torch

from prec.torch import operations
from prec.torch.refused import REFUSED
from prec.torch.registry import lowered

WRITTEN = json.loads(Path(operations.__file__).with_suffix(".json").read_text())
ANEW = "write the list anew: python -m prec.torch.operations > python/prec/torch/operations.json, then utils/update-docs"


def test_every_core_operation_and_every_backward_is_known():
    unknown = [name for name, entry in operations.closed_set().items() if entry.how == "unknown"]
    assert not unknown, "lower, decompose or refuse (prec.torch.operations) what PyTorch has: " + ", ".join(unknown)
    assert len(operations.members()) > 200


def test_the_list_is_what_the_importer_does():
    if WRITTEN["torch"] != torch.__version__.partition("+")[0]:
        pytest.skip(f"the list is of PyTorch {WRITTEN['torch']}")
    found = {name: [part for part in entry if part] for name, entry in operations.closed_set().items()}
    assert found == WRITTEN["operations"], ANEW


def test_what_is_refused_has_no_lowering():
    assert not set(lowered()) & set(REFUSED)
