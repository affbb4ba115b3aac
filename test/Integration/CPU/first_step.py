# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of the tiny models, and the gradients inside of a step."""
import functools

import numpy as np
import torch
from test_against_pytorch import BATCH, SEQUENCE

import prec

OPTIONS = {"lr": 1e-3, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1}
MAX_NORM = 1.0


def adamw(parameters):
    return torch.optim.AdamW(parameters, **OPTIONS)


def _build(build):
    torch.manual_seed(0)
    return build()


@functools.cache
def _imported(build, max_norm, make_optimizer):
    """Of a model that no test gets to train. test/Import compares imports with PyTorch; here steps are."""
    model = _build(build)
    ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
    return prec.import_torch(model, make_optimizer(model.parameters()), {"input_ids": ids, "labels": ids}, clip_grad_norm=max_norm, verify=False)


def import_step(build, max_norm=MAX_NORM, make_optimizer=adamw):
    """A PyTorch model and the import of its step."""
    imported = _imported(build, max_norm, make_optimizer)
    return _build(build), imported


def inputs(batch):
    tokens = batch.astype(np.int32)
    return {"input_ids": tokens, "labels": tokens}


def moments(module, slot):
    return {b.parameter: module.get(b) for b in module.bindings if b.slot == slot}


def read_gradients(module, batch):
    """The gradients of a step, exactly, by parameter; the module's weights and moments are spent. From a first moment
    of zero, with beta1 0 and a norm that clips nothing, the new first moment is the gradient: g * 1 and 0 + (g - 0) *
    (1 - 0) round nothing."""
    for binding in module.bindings:
        if binding.slot == "exp_avg":
            module.set(binding, np.zeros(binding.shape, np.float32))
    module.step(inputs(batch), beta1=0.0, max_norm=1e30)
    return {name: gradient.astype(np.float64) for name, gradient in moments(module, "exp_avg").items()}
