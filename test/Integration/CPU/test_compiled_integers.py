# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole numbers in compiled steps against PyTorch, bit for bit, and indices that a step checks itself."""
import json
import subprocess

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import prec
from prec.module import RuntimeFailure

FUNCTIONS = {
    "sums": lambda x, y: x * 3 + y - 5, "products": lambda x, y: x * y,
    "extremes": lambda x, y: torch.maximum(x, y) - torch.minimum(x, 7 - y),
    "floored": lambda x, y: x // (y.abs().clamp(min=1, max=50) + 1), "rest": lambda x, y: x % 7, "rest8": lambda x, y: (x - 3) % 8,
    "truncated": lambda x, y: torch.div(x, 7, rounding_mode="trunc") + y % (y.abs().clamp(1, 9)),
    "negative": lambda x, y: x // -3 + torch.fmod(x, -5), "bits": lambda x, y: (x & y) | (x ^ 6), "not": lambda x, y: ~x,
    "left": lambda x, y: x << (y & 3), "right": lambda x, y: x >> (y & 3), "far": lambda x, y: x << y, "abs": lambda x, y: abs(x),
    "sign": lambda x, y: x.sign(), "cube": lambda x, y: x**3, "power": lambda x, y: x ** (y & 7), "two": lambda x, y: 2 ** (y & 31),
    "chosen": lambda x, y: torch.where(x > y, x, 3), "filled": lambda x, y: x.masked_fill(x == y, 9),
    "compared": lambda x, y: (x <= y).to(x.dtype) + (x != 3), "clamped": lambda x, y: x.clamp(3, 100),
    "logical": lambda x, y: x.bool() ^ (y > 2),
    "bytes": lambda x, y: (x * 40).to(torch.uint8) // 3, "shorts": lambda x, y: x.to(torch.int16) * 3,
    "chars": lambda x, y: -x.to(torch.int8),
    "ints": lambda x, y: x.to(torch.int32) + y.to(torch.int32), "longs": lambda x, y: x.long() * 3_000_000_000,
    "back": lambda x, y: (x % 100 * 1.5).long(), "float": lambda x, y: (x / 3 > 100.5).long() + (x.float() * 0.5 < y).long(),
    "total": lambda x, y: x.sum(0, keepdim=True).expand_as(x) + y.max(), "turned": lambda x, y: torch.cat([x[1:], -x[:1]]),
    "places": lambda x, y: torch.arange(len(x)) * 5_000_000_000 + 1, "any": lambda x, y: (x > 2).all() | (y > 5).any() | (x < 0),
}


class Bits(torch.nn.Module):
    """Gradients of its weights are the numbers that functions compute, 16 bits in each column: exact in float32."""

    def __init__(self, functions, length, dtype):
        super().__init__()
        self.w = torch.nn.ParameterDict({"of_" + name: torch.nn.Parameter(torch.zeros(length, 4)) for name in functions})
        self.functions, self.dtype = functions, dtype

    def forward(self, x, y):
        x, y = x.to(self.dtype), y.to(self.dtype)
        numbers = {name: f(x, y).long() for name, f in self.functions.items()}
        pieces = {name: torch.stack([(v >> 16 * i & 0xFFFF).float() for i in range(4)], 1) for name, v in numbers.items()}
        return sum((self.w["of_" + name] * v).sum() for name, v in pieces.items())


def operands(dtype):
    info = torch.iinfo(dtype)
    negative = [v for v in (-100, -7, -1) if v >= info.min]
    x = [info.min, info.min + 1, info.max, info.max - 1, info.max // 3, *negative, 0, 1, 2, 3, 7, 31, 100]
    x = torch.tensor(x, dtype=dtype).long()
    return x.repeat(len(x)), x.repeat_interleave(len(x))


def import_bits(dtype):
    x, y = operands(dtype)
    # Numbers beside a tensor must fit its dtype.
    model = Bits({name: f for name, f in FUNCTIONS.items() if name != "negative" or dtype != torch.uint8}, len(x), dtype)
    return model, {"x": x, "y": y}, prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=1.0), {"x": x, "y": y}, verify=False)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8, torch.int8], ids=str)
def test_compiled(compile_module, dtype):
    model, batch, imported = import_bits(dtype)
    path, weights = compile_module(imported, "fp32")
    module = prec.Module(path)
    module.load(weights)
    assert module.binding("x").dtype == module.binding("y").dtype == "int64"
    module.step(batch)
    model(**batch).backward()
    got = module.weights()
    for name, parameter in model.w.items():
        np.testing.assert_array_equal(-got[f"w.{name}"], parameter.grad.numpy(), err_msg=name)


def compile_for_a_gpu(tool, folder):
    command = [tool("prec-compile"), folder / "graph.mlir", "--recipe=fp32", "--target=sm_90a", "-o", folder / "step.so"]
    subprocess.run(command, check=True)


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8], ids=str)
def test_compiled_for_a_gpu(tool, tmp_path, dtype):
    import_bits(dtype)[2].write(tmp_path / "graph.mlir")
    compile_for_a_gpu(tool, tmp_path)


class Sums(torch.nn.Module):
    """As `Bits`, of reductions along rows, columns and both."""

    def __init__(self, rows, columns):
        super().__init__()
        self.w = torch.nn.ParameterDict({f"{name}_{size}": torch.nn.Parameter(torch.zeros(max(size, 1), 4))
                                         for name in ("sum", "max", "min") for size in (rows, columns, 0)})
        self.sizes = {rows: 1, columns: 0, 0: (0, 1)}

    def forward(self, x):
        loss = 0
        for name, w in self.w.items():
            kind, size = name.split("_")
            v = {"sum": torch.sum, "max": torch.amax, "min": torch.amin}[kind](x, self.sizes[int(size)]).reshape(-1)
            loss = loss + (w * torch.stack([(v >> 16 * i & 0xFFFF).float() for i in range(4)], 1)).sum()
        return loss


@pytest.mark.parametrize("rows,columns", [(3, 700), (600, 5), (4, 150_000)])
def test_reductions(compile_module, tool, tmp_path, rows, columns):
    model = Sums(rows, columns)
    batch = {"x": torch.randint(-2**62, 2**62, (rows, columns), generator=torch.Generator().manual_seed(0))}
    imported = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=1.0), batch, verify=False)
    path, weights = compile_module(imported, "fp32")
    module = prec.Module(path)
    module.load(weights)
    module.step(batch)
    model(**batch).backward()
    got = module.weights()
    for name, parameter in model.w.items():
        np.testing.assert_array_equal(-got[f"w.{name}"], parameter.grad.numpy(), err_msg=name)
    imported.write(tmp_path / "graph.mlir")
    compile_for_a_gpu(tool, tmp_path)


def test_buffers_and_arguments_of_64_bits(compile_module):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l = torch.nn.Linear(4, 4)
            self.register_buffer("big", torch.tensor([3_000_000_000, -2**40, 5]))

        def forward(self, x, n):
            return (self.l(x) * (n[:, None] + self.big.sum()).float()).sum() * 1e-12

    torch.manual_seed(0)
    model = Net()
    batch = {"x": torch.randn(3, 4), "n": torch.tensor([2**40, -2**35, 7])}
    path, weights = compile_module(prec.import_torch(model, torch.optim.SGD(model.parameters()), batch, verify=False), "fp32")
    module = prec.Module(path)
    module.load(weights)
    assert module.binding("n").dtype == module.binding("big").dtype == "int64"
    assert module.eval(batch)["loss"] == pytest.approx(float(model(**batch).detach()), rel=1e-6)
    with pytest.raises(RuntimeFailure, match="must stay in the range that it had at import"):
        module.set("big", np.array([0, 0, 2**50]))


class Looked(torch.nn.Module):
    """Indices of a table of 8 rows that the batch decides, and labels that it decides."""

    def __init__(self, labels=False):
        super().__init__()
        torch.manual_seed(0)
        self.words, self.rel, self.head = torch.nn.Embedding(64, 8), torch.nn.Embedding(8, 8), torch.nn.Linear(8, 6)
        self.labels = labels

    def forward(self, ids):
        x = self.words(ids) + self.rel(ids * 2 - 3)
        return F.cross_entropy(self.head(x).flatten(0, 1), (ids - 1 if self.labels else ids % 6).flatten())


def open_looked(compile_module, *options, recipe="fp32", **more):
    model = Looked(**more)
    batch = {"ids": torch.full((2, 4), 3)}
    path, weights = compile_module(prec.import_torch(model, torch.optim.AdamW(model.parameters()), batch, verify=False), recipe, *options)
    module = prec.Module(path)
    module.load(weights)
    return model, module


GOOD, FAR, LOW = torch.tensor([[2, 3, 4, 5]] * 2), torch.tensor([[2, 3, 4, 40]] * 2), torch.tensor([[2, 3, 4, 1]] * 2)
BESIDE = "index into rel.weight (8 rows)"


@pytest.mark.parametrize("recipe", ["fp32", "bf16", "fp16"])
def test_a_step_beside_its_table_changes_nothing(compile_module, recipe):
    model, module = open_looked(compile_module, recipe=recipe)
    assert module.eval({"ids": GOOD})["loss"] == pytest.approx(float(model(GOOD).detach()), rel=1e-6 if recipe == "fp32" else 1e-2)
    before = module.weights()
    for ids in (FAR, LOW):
        result = module.step({"ids": ids})
        assert result["skipped"] == BESIDE and not result["finite"]
        for name, weight in module.weights().items():
            np.testing.assert_array_equal(weight, before[name])
        with pytest.raises(RuntimeFailure, match=r"index into rel.weight \(8 rows\) is out of range"):
            module.eval({"ids": ids})
    _, other = open_looked(compile_module, recipe=recipe)
    if recipe != "fp16":  # A dynamic loss scale has come down.
        assert module.step({"ids": GOOD})["skipped"] is None and other.step({"ids": GOOD})["skipped"] is None
        for name, weight in other.weights().items():
            np.testing.assert_array_equal(module.weights()[name], weight)


def test_labels_that_are_computed(compile_module):
    _, module = open_looked(compile_module, labels=True)
    assert module.step({"ids": GOOD})["skipped"] is None
    # 0 - 1 is no class, but the table says no first.
    assert module.step({"ids": torch.tensor([[2, 3, 4, 0]] * 2)})["skipped"] == BESIDE
    module.close()


def test_micro_batches(compile_module):
    _, module = open_looked(compile_module, "--accumulate")
    before = module.weights()
    assert module.accumulate({"ids": GOOD})["finite"]
    assert not module.accumulate({"ids": FAR})["finite"]
    assert module.accumulate({"ids": GOOD})["finite"]
    assert module.apply()["skipped"] == BESIDE
    for name, weight in module.weights().items():
        np.testing.assert_array_equal(weight, before[name])
    module.accumulate({"ids": GOOD})
    assert module.apply()["skipped"] is None


def test_without_a_guard(compile_module):
    _, module = open_looked(compile_module, "--guard-updates=false")
    assert module.step({"ids": GOOD})["finite"]
    with pytest.raises(RuntimeFailure, match="is out of range in step 2, and no guard kept it from changing weights"):
        module.step({"ids": FAR})


def test_prec_run_says_which_table(compile_module, tool, tmp_path):
    model = Looked()
    path, weights = compile_module(prec.import_torch(model, torch.optim.AdamW(model.parameters()), {"ids": GOOD}, verify=False), "fp32")
    np.tile(np.concatenate([GOOD.flatten().numpy(), FAR.flatten().numpy()]), 2).astype(np.uint16).tofile(tmp_path / "tokens.bin")
    run = subprocess.run([tool("prec-run"), path, "--weights", weights, "--tokens", tmp_path / "tokens.bin", "--steps", "2",
                          "--metrics", tmp_path / "m.jsonl"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert f"step 2 skipped: {BESIDE} is out of range" in run.stdout + run.stderr
    assert [json.loads(line).get("skipped") for line in open(tmp_path / "m.jsonl")] == [None, BESIDE]


def test_no_check_where_indices_are_known(compile_module):
    """Nothing is computed for indices that the host checks, or that are proven."""
    class Known(Looked):
        def forward(self, ids):
            x = self.words(ids) + self.rel(ids // 8) + self.rel((ids - 40) % 8) + self.rel(torch.arange(4))
            return F.cross_entropy(self.head(x).flatten(0, 1), (ids % 6).flatten())

    model = Known()
    path, _ = compile_module(prec.import_torch(model, torch.optim.SGD(model.parameters()), {"ids": GOOD}, verify=False), "fp32")
    assert [b["name"] for b in prec.Module(path).manifest["bindings"] if b["role"] == "guard"] == ["first_not_finite"]


class Divided(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(4))

    def forward(self, x, y):
        return (self.w * (x // y + x % y).float()).sum()


def test_a_divisor_of_zero_changes_nothing(compile_module):
    """PyTorch raises on the CPU where a divisor is zero."""
    model = Divided()
    x, y = torch.tensor([7, -7, 9, 5]), torch.tensor([2, 2, -4, 3])
    with pytest.warns(UserWarning, match="divided by some that may be zero"):
        step = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.5), {"x": x, "y": y})
    assert step.verified == "verified"
    path, weights = compile_module(step, "fp32")
    module = prec.Module(path)
    module.load(weights)
    given = {"x": x.int().numpy(), "y": y.int().numpy()}
    assert module.eval(given)["loss"] == model(x, y).item()
    assert np.isnan(module.step({**given, "y": np.array([2, 0, 1, 1], np.int32)})["loss"])
    assert module.get("w").tolist() == [1] * 4
    assert module.step(given)["loss"] == model(x, y).item()
    assert module.get("w").tolist() == (1 - 0.5 * (x // y + x % y)).tolist()
