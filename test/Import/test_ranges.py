# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What import makes of whole numbers: 32 bits where they are enough, and indices that are known to lie in their
tables."""
import pytest
import torch
import torch.nn.functional as F

import prec
from prec.errors import ImportFailure


class Looked(torch.nn.Module):
    """Rows of a table by indices that `index` makes of a batch, whose ids index another."""

    def __init__(self, index, rows=32, **buffers):
        super().__init__()
        self.words, self.places, self.index = torch.nn.Embedding(64, 8), torch.nn.Embedding(rows, 8), index
        for name, value in buffers.items():
            self.register_buffer(name, value)

    def forward(self, ids):
        return (self.words(ids) + self.places(self.index(self, ids))).square().mean()


def imported(index, rows=32, batch=None, **buffers):
    model = Looked(index, rows, **buffers)
    batch = {"ids": torch.zeros(2, 16, dtype=torch.int64)} if batch is None else batch
    return prec.import_torch(model, torch.optim.SGD(model.parameters()), batch)


def dtypes(step, name):
    return {v.dtype for op in step.graph.ops if op.name == name for v in (*op.operands, *op.results)} & {"i32", "i64"}


@pytest.mark.parametrize("index", [
    lambda m, ids: torch.arange(ids.shape[1]),
    lambda m, ids: (torch.arange(16)[:, None] - torch.arange(2)[None]).abs().T,
    lambda m, ids: torch.arange(16) * 2 + 1,
    lambda m, ids: ids % 32,
    lambda m, ids: ids // 2,
    lambda m, ids: (ids - 40) % 7,
    lambda m, ids: ids & 31,
    lambda m, ids: ids.clamp(max=31),
    lambda m, ids: (ids > 5).long(),
    lambda m, ids: torch.where(ids > 31, 0, ids).clamp(0, 31),
    lambda m, ids: (ids * 1000 + 12).clamp(0, 31),
    lambda m, ids: 31 - ids // 2,
])
def test_known_indices_take_32_bits(index):
    step = imported(index)
    assert "i64" not in step.mlir.replace(": i64", "")


@pytest.mark.parametrize("index", [
    lambda m, ids: (ids * 2**40) % 32,
    lambda m, ids: ids ** 12 % 32,
    lambda m, ids: (ids.float() * 0.5).long(),
    lambda m, ids: m.big % 7 + ids // 4,
])
def test_what_may_need_64_bits_keeps_them(index):
    step = imported(index, big=torch.tensor([3_000_000_000]))
    assert "xi64>" in step.mlir
    # Indices themselves are of 32, whatever computed them.
    assert dtypes(step, "prec_train.embedding") == {"i32"}


def test_a_batch_that_indexes_no_table_keeps_64_bits():
    step = imported(lambda m, ids: torch.arange(16), batch={"ids": torch.zeros(2, 16, dtype=torch.int64)})
    assert [a.value.dtype for a in step.graph.arguments if a.role == "batch"] == ["i32"]

    class Weighted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l = torch.nn.Linear(4, 4)

        def forward(self, x, n):
            return (self.l(x) * n[:, None]).sum()

    model = Weighted()
    batch = {"x": torch.zeros(3, 4), "n": torch.zeros(3, dtype=torch.int64)}
    graph = prec.import_torch(model, torch.optim.SGD(model.parameters()), batch, verify=False).graph
    assert [a.value.dtype for a in graph.arguments if a.role == "batch"] == ["f32", "i64"]


@pytest.mark.parametrize("index,got", [
    (lambda m, ids: torch.arange(16) + 17, "17 to 32"),
    (lambda m, ids: torch.arange(16) - 1, "-1 to 14"),
    (lambda m, ids: torch.arange(16) * 3, "0 to 45"),
    (lambda m, ids: m.place, "5 to 40"),
    (lambda m, ids: (torch.arange(16)[:, None] - torch.arange(2)[None] * 40).abs().T, "0 to 40"),
    (lambda m, ids: ids + 32, "32 to 95"),
    (lambda m, ids: -1 - ids, "-64 to -1"),
])
def test_indices_beside_their_table_are_refused(index, got):
    message = f"indices into places.weight must be 0 to 31, one of its 32 rows, but the model computes {got} in places "
    with pytest.raises(ImportFailure, match=message):
        imported(index, place=torch.tensor([[5] * 15 + [40]]))


def test_labels_beside_the_classes_are_refused():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l = torch.nn.Linear(4, 4)

        def forward(self, x):
            return F.cross_entropy(self.l(x), torch.arange(6) - 1)

    model = Model()
    with pytest.raises(ImportFailure, match=r"labels must be 0 to 3 \(or the ignored -100\) but the model computes -1 to 4"):
        prec.import_torch(model, torch.optim.SGD(model.parameters()), {"x": torch.zeros(6, 4)})


class Bytes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.l(x.to(torch.int32) / 255).sum()


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.uint16])
def test_batch_dtypes_that_are_refused(dtype):
    model = Bytes()
    with pytest.raises(ImportFailure, match="whole numbers must be"):
        prec.import_torch(model, torch.optim.SGD(model.parameters()), {"x": torch.zeros(3, 4, dtype=dtype)})


def test_a_batch_of_bytes_is_checked_by_the_host():
    model = Bytes()
    graph = prec.import_torch(model, torch.optim.SGD(model.parameters()), {"x": torch.zeros(3, 4, dtype=torch.uint8)}, verify=False).graph
    argument, = (a for a in graph.arguments if a.role == "batch")
    assert argument.value.dtype == "i32" and argument.attrs == {"vocabulary": 256, "shift": 0}


def test_a_buffer_that_the_step_updates_has_no_range():
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l = torch.nn.Linear(4, 4)
            self.register_buffer("seen", torch.tensor(0))
            self.register_buffer("last", torch.tensor([5, 6, 7]))

        def forward(self, x):
            self.seen += 3_000_000
            self.last = torch.arange(3)
            return self.l(x).sum() * self.seen

    model = Counting()
    step = prec.import_torch(model, torch.optim.SGD(model.parameters()), {"x": torch.zeros(3, 4)})
    arguments = {a.path: a for a in step.graph.arguments}
    for name in ("seen", "last"):
        result, = (r for r in step.graph.results if r.path == name)
        # A result is of the type of what it replaces, whatever it may be.
        assert arguments[name].value.dtype == result.value.dtype == "i64" and "range" not in arguments[name].attrs


def test_values_beyond_float32_are_refused():
    class Far(torch.nn.Module):
        def __init__(self, kept):
            super().__init__()
            self.l = torch.nn.Linear(4, 4)
            self.far = torch.tensor([1.0, 1e300], dtype=torch.float64)
            if kept:
                far = self.far
                del self.far
                self.register_buffer("far", far)

        def forward(self, x):
            return self.l(x).sum() * self.far.log().sum()

    for kept, what in ((True, "buffer far"), (False, "a tensor that forward reads")):
        model = Far(kept)
        with pytest.raises(ImportFailure, match=f"{what}.* must fit float32 but got 1e"):
            prec.import_torch(model, torch.optim.SGD(model.parameters()), {"x": torch.zeros(3, 4)})
