# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of models and training scripts (test/tools/trainings): each imports and is verified, or is refused by name."""
import warnings

import pytest
from trainings import TRAININGS

import prec


@pytest.mark.parametrize("name", TRAININGS)
@pytest.mark.cases(6)
def test_a_training_is_imported(name):
    training = TRAININGS[name]
    model = training.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if training.refused:
            with pytest.raises(prec.ImportFailure, match=training.refused):
                prec.import_torch(model, training.optimizer(model), training.batch(0))
            return
        assert prec.import_torch(model, training.optimizer(model), training.batch(0)).verified == "verified"
