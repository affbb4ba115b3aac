# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of models and training scripts (test/tools/trainings): the fp32 step follows PyTorch's losses over ten
steps."""
import warnings

import pytest
from trainings import TRAININGS
from trainings.following import compare

import prec

STEPS = 10


@pytest.mark.parametrize("name", [name for name, training in TRAININGS.items() if not training.refused])
def test_a_training_follows_pytorch(name, compile_module):
    training = TRAININGS[name]
    model = training.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step = prec.import_torch(model, training.optimizer(model), training.batch(0), verify=False)
    path, weights = compile_module(step, "fp32")
    module = prec.Module(path)
    module.load(weights)
    followed = compare(training, module, STEPS)
    assert followed["within"], followed
