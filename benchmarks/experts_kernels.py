# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of experts beside one dense product of as many operations: prec-import
benchmarks/experts_kernels.py:grouped_128.

Rows are spread evenly over the experts. `dense_*` multiplies all rows by one matrix of the same size. Each step has the
forward product and both of its gradients, which `prec-run --profile` times command by command:

    prec-import benchmarks/experts_kernels.py:grouped_128 -o grouped_128.mlir
    prec-compile grouped_128.mlir --recipe=fp8-hybrid --assign=tensor-scaling=delayed --target=sm_90a -o grouped_128.so
    prec-run grouped_128.so --init random --tokens train.bin --steps 3 --profile
"""
import functools

import torch

import prec

# Name: experts, rows of each, contracted, columns.
SIZES = {"128": (128, 512, 2048, 1536), "128_down": (128, 1024, 768, 2048), "128_up": (128, 1024, 2048, 1536), "8": (8, 4096, 4096, 14336)}


class Products(torch.nn.Module):
    """What a product reads comes from a table, so that it has a gradient."""

    def __init__(self, experts, rows, contracted, columns, is_grouped):
        super().__init__()
        self.table = torch.nn.Embedding(512, contracted)
        self.weight = torch.nn.Parameter(torch.empty(*((experts,) if is_grouped else ()), columns, contracted))
        ends = torch.arange(1, experts + 1, dtype=torch.int32) * rows
        self.register_buffer("ends", ends, persistent=False)
        self.is_grouped = is_grouped

    def forward(self, ids):
        rows = self.table(ids)
        if self.is_grouped:
            result = torch._grouped_mm(rows.bfloat16(), self.weight.bfloat16().transpose(1, 2), offs=self.ends).float()
        else:
            result = torch.nn.functional.linear(rows, self.weight)
        return (result * result).mean()


def step(size, is_grouped):
    experts, rows, contracted, columns = SIZES[size]
    with prec.weightless():
        model = Products(experts, rows, contracted, columns, is_grouped)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    return model, optimizer, {"ids": torch.zeros(experts * rows, dtype=torch.int64)}, {}


for _size in SIZES:
    globals()[f"grouped_{_size}"] = functools.partial(step, _size, True)
    globals()[f"dense_{_size}"] = functools.partial(step, _size, False)
