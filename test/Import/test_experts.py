# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with experts, unmodified, and products of groups of rows as PyTorch has them: the import is verified."""
import pytest
import torch
from families import outcome

import prec
from prec.ir import Kind

FAMILIES = ["mixtral", "qwen2_moe", "qwen3_moe", "olmoe", "deepseek_v2", "deepseek_v3", "glm4_moe", "gpt_oss"]


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore")
def test_a_family_is_verified(name):
    kind, what = outcome(name)
    assert kind == "imports", what
    assert what[3].verified == "verified"
    kinds = [op.name for op in what[3].graph.ops]
    assert Kind.GROUPED_MATMUL in kinds and Kind.GROUPED_MATMUL_GRAD in kinds


ENDS = torch.tensor([2, 2, 7, 12], dtype=torch.int32)
SHAPES = {"rows by matrices": ((12, 8), (4, 8, 16)), "matrices by columns": ((4, 16, 8), (8, 12)), "rows by rows": ((8, 12), (12, 16))}


class Grouped(torch.nn.Module):
    def __init__(self, a, b, ends=ENDS, **more):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b, self.more = torch.nn.Parameter(torch.randn(a)), torch.nn.Parameter(torch.randn(b)), more
        self.register_buffer("ends", ends)

    def forward(self, x):
        y = torch._grouped_mm(self.a * x, self.b, offs=self.ends, **self.more)
        return (y * torch.arange(y.numel()).cos().reshape(y.shape)).sum()


def step(model):
    return prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=1e-3), {"x": torch.ones(())})


@pytest.mark.parametrize("name", SHAPES)
def test_both_operands_may_be_trained(name):
    assert step(Grouped(*SHAPES[name])).verified == "verified"


def test_one_matrix_for_each_matrix_is_a_matmul():
    imported = step(Grouped((4, 3, 8), (4, 8, 16), None))
    assert imported.verified == "verified" and Kind.GROUPED_MATMUL not in [op.name for op in imported.graph.ops]


def test_a_stored_order_is_read_as_it_is():
    class Stored(Grouped):
        def forward(self, x):
            return torch._grouped_mm(self.a * x, self.b.transpose(1, 2), offs=self.ends).square().sum()

    imported = step(Stored((12, 8), (4, 16, 8)))
    (forward,) = (op for op in imported.graph.ops if op.name == Kind.GROUPED_MATMUL and op.result.shape == (12, 16))
    assert imported.verified == "verified" and forward.attrs["transpose_b"] and forward.operands[1].op is None
