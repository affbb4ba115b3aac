# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What AdamW means to add to a parameter, in NumPy."""
import numpy as np


def f32_update(parameter, first, second, step, *, lr, betas, eps, weight_decay):
    """From the parameter before and the moments after, rounded as `update` of prec_train.adamw is: scalars in f64 from
    f32 numbers, then f32."""
    lr, weight_decay, beta1, beta2 = (np.float64(np.float32(value)) for value in (lr, weight_decay, *betas))
    negative_decay = np.float32(-(lr * weight_decay))
    negative_step = np.float32(-(lr / (1 - beta1 ** step)))
    correction = np.float32(np.sqrt(1 - beta2 ** step))
    denominator = np.sqrt(second) / correction + np.float32(eps)
    return parameter * negative_decay + negative_step * first / denominator
