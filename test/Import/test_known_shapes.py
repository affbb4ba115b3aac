# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes that depend on values are known where the values are: of constants, and of sizes of images in a batch. Checks
of torch._check compute nothing."""
import pytest
import torch
import torch.nn.functional as F

import prec
from prec import ImportFailure

KEEP = torch.tensor([True, False, True, True, False, True])
GRID = torch.tensor([[1, 2, 3], [2, 1, 4]])


def put(x):
    y = torch.zeros(6, 3)
    y[KEEP] = 2 * x[KEEP]
    return y


def put_in_place(x):
    y = x.clone()
    y[torch.arange(6) > 2] = x[torch.arange(6) < 3]
    return y


def lengths(x):
    counts = torch.repeat_interleave(GRID[:, 1] * GRID[:, 2], GRID[:, 0])
    ends = F.pad(counts.cumsum(0), (1, 0)).tolist()
    return x * ends[-1] + torch.repeat_interleave(torch.arange(2.0), torch.tensor([2, 4]))[:, None]


class Net(torch.nn.Module):
    def __init__(self, compute):
        super().__init__()
        torch.manual_seed(0)
        self.w, self.compute = torch.nn.Parameter(torch.randn(6, 3)), compute

    def forward(self, x, **more):
        return self.compute(self.w * x, **more).square().sum()


def imported(compute, **more):
    model = Net(compute)
    return prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"x": torch.randn(6, 3), **more})


@pytest.mark.parametrize("compute", [
    lambda x: x[KEEP], lambda x: x[torch.arange(6) > 2], lambda x: x[torch.arange(6).gt(1).nonzero()[:, 0]],
    lambda x: x[KEEP, torch.tensor([0, 2, 1, 0])], put, put_in_place, lengths])
def test_of_constants(compute):
    assert imported(compute).verified == "verified"


def test_what_depends_on_the_batch_is_refused():
    with pytest.raises(ImportFailure, match="every shape must be known before values are but that of aten.index.Tensor's result"):
        imported(lambda x: x[x[:, 0] > 0].flip(0))


def test_sums_of_what_computed_numbers_select():
    """The hard examples of a batch."""
    def compute(x):
        return x + x[x > x.mean()].mean() + x[x[:, 0] > 0].sum(0) + (x * 2).masked_select(x < 0.3).square().sum()
    assert imported(compute).verified == "verified"


def test_as_many_as_the_batch_selects():
    with pytest.warns(UserWarning, match=r"agree with the one given .*select 4 of 6 in test_known_shapes.py:\d+: "):
        step = imported(lambda x, keep: x[keep].flip(0) * keep.nonzero()[:, :1], keep=KEEP)
    assert step.verified == "verified"
    with pytest.warns(UserWarning, match="select 4 of 18"):
        assert imported(lambda x, keep: x.masked_select(keep).flip(0), keep=torch.arange(18).view(6, 3) % 5 == 2).verified == "verified"


def test_a_batch_without_values_selects_nothing_known():
    with pytest.raises(ImportFailure, match="every shape must be known before values are"):
        imported(lambda x, keep: x[keep].flip(0), keep=KEEP.to("meta"))


def test_one_value_at_all_places_of_a_mask():
    def compute(x, keep):
        y = x.clone()
        y[keep] = x[0] * 2
        return y
    assert imported(compute, keep=KEEP).verified == "verified"


def by_sizes(x, sizes, scale):
    parts = x.split([h * w for h, w in sizes.tolist()])
    return torch.cat([part.mean(0, keepdim=True) for part in parts]) * scale * torch.repeat_interleave(sizes[:, 0], sizes[:, 1]).sum()


def test_sizes_of_images_are_part_of_the_step():
    sizes, scale = torch.tensor([[1, 2], [2, 2]]), torch.tensor([[2, 3]])
    with pytest.warns(UserWarning, match="forward reads the values of sizes: they are part of the step and no input of it"):
        step = imported(by_sizes, sizes=sizes, scale=scale[:, :1])
    assert step.verified == "verified"
    assert [a.path for a in step.graph.arguments if a.role == "batch"] == ["x", "scale"]


def test_other_values_that_forward_reads_are_refused():
    with pytest.raises(ImportFailure, match="forward must not read a computed value"):
        imported(lambda x, count: x[:int(count)], count=torch.tensor(3))
    with pytest.raises(ImportFailure, match="forward must not read a computed value"):
        imported(lambda x, sizes, count: by_sizes(x, sizes, 1)[:int(count)], sizes=torch.tensor([[1, 2], [2, 2]]), count=torch.tensor(1))


def written_and_made_anew(x):
    """What is made behind constants that something was written into, which are gone, may have their places in
    memory."""
    for _ in range(50):
        gone = torch.zeros(3)
        gone[:2] = x[0, :2]
        del gone
        made = torch.ones(3)
        x = x * 1.01 if made.all() else x
    return x


def test_a_constant_in_the_place_of_one_that_was_written():
    assert imported(written_and_made_anew).verified == "verified"


def check(x, keep):
    torch._check_tensor_all((keep.sum(1) > 0), lambda: "every row must keep something")
    return torch.where(keep, x, 0)


def test_checks_of_the_framework_compute_nothing():
    assert imported(check, keep=torch.ones(6, 3, dtype=torch.bool)).verified == "verified"


def raises(x, count):
    if count.max() >= 9:
        raise ValueError("too many")
    if not count.any():
        raise ValueError("none")
    assert count.sum().item() <= 90
    return x * count[:, None]


def test_a_check_of_values_is_one_that_passes():
    with pytest.warns(UserWarning, match="forward checks values that a step does not check: test_known_shapes.py:.*count.max"):
        assert imported(raises, count=torch.arange(6)).verified == "verified"


def branches(x, count):
    if count.max() >= 9:
        x = x * 2
    return x


def numbers(x, count):
    assert count.sum().item() == 15
    return x


@pytest.mark.parametrize("compute", [branches, numbers])
def test_a_branch_is_no_check(compute):
    with pytest.raises(ImportFailure, match="forward must not read a computed value"):
        imported(compute, count=torch.arange(6))

class Degrees(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x, ids, weights):
        count = torch.bincount(ids, minlength=6)
        return (self.layer(x) / count.clamp(min=1)[:, None] + ids.bincount(weights, 6)[:, None]).pow(2).sum()


def test_counts_of_a_known_length():
    model, g = Degrees(), torch.Generator().manual_seed(0)
    batch = {"x": torch.randn(6, 8, generator=g), "ids": torch.tensor([0, 1, 1, 4, 2, 1, 4]), "weights": torch.rand(7, generator=g)}
    assert prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), batch).verified == "verified"
