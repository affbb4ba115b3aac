# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prec.compile relies on of PyTorch that is not public."""
import pathlib
import re

import pytest
import torch

import prec
from prec.torch.compile import private


def test_batches_go_to_the_cpu():
    batch = private.on_cpu({"a": (torch.ones(2), 1), "b": "word"})
    assert torch.equal(batch["a"][0], torch.ones(2)) and batch["b"] == "word"


def test_data_are_an_attribute_of_all_tensors():
    p = torch.nn.Parameter(torch.ones(2))
    assert private.DATA.__get__(p).data_ptr() == p.data_ptr() and not private.DATA.__get__(p).requires_grad


def test_where_parameters_have_hooks():
    p = torch.nn.Parameter(torch.ones(2))
    assert all(getattr(p, key) is None for key in private.GRADIENT_HOOKS)
    hook, other = (lambda g: g), (lambda t: None)
    p.register_hook(hook), p.register_post_accumulate_grad_hook(other)
    assert [list(getattr(p, key).values()) for key in private.GRADIENT_HOOKS] == [[hook], [other]]


def test_versions_count_writes_of_all_views():
    t = torch.zeros(4)
    before = private.version_of(t)
    t[1:].add_(1)
    with torch.no_grad():
        t.mul_(2)
    assert private.version_of(t) == before + 2
    t.data.add_(1)
    assert private.version_of(t) == before + 2
    torch.autograd.graph.increment_version([t])
    assert private.version_of(t) == before + 3


def test_a_scheduler_does_not_warn_of_a_step_that_is_marked(recwarn):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    private.mark_stepped(optimizer)
    scheduler.step()
    assert not recwarn.list


def test_parameters_change_their_class():
    kind = type("Other", (torch.nn.Parameter,), {})
    p = torch.nn.Parameter(torch.zeros(2))
    private.change_class(p, kind)
    (p * 2).sum().backward()
    assert type(p) is kind and torch.equal(private.GRADIENT.__get__(p), torch.full((2,), 2.0))
    private.GRADIENT.__set__(p, None)
    assert private.GRADIENT.__get__(p) is None
    private.change_class(p, torch.nn.Parameter)
    assert type(p) is torch.nn.Parameter


def test_modules_register_in_dictionaries():
    layer = torch.nn.BatchNorm1d(3)
    parameters, buffers = private.registered(layer)
    assert parameters["weight"] is layer.weight and buffers["running_mean"] is layer.running_mean
    layer.weight = torch.nn.Parameter(torch.zeros(3))
    assert parameters["weight"] is layer.weight


def test_clipping_reads_gradients_in_its_module():
    assert torch.nn.utils.clip_grad_norm_.__module__ == private.CLIPPING


def test_indices_are_checked_before_they_are_read():
    table, rows = torch.zeros(4, 2), torch.tensor([0, 4])
    reads = {
        "embedding": lambda: torch.nn.functional.embedding(rows, table),
        "select": lambda: table.index_select(0, rows),
        "gather": lambda: table.gather(0, rows[:, None]),
        "index": lambda: table[rows],
        "negative": lambda: table[rows - 5],
    }
    for read in reads.values():
        with private.checked_indices(), pytest.raises(IndexError, match="a row of its table of 4, but got"):
            read()
    with private.checked_indices():
        assert table[torch.tensor([-4, 3])].shape == (2, 2) and table[torch.tensor([True, False, True, False])].shape == (2, 2)
        assert table[torch.zeros(0, dtype=torch.int64)].shape == (0, 2)


def test_what_is_not_public_is_in_one_file():
    """Nothing else of prec.compile uses names of PyTorch that begin with an underscore."""
    named = r"\btorch(?:\.\w+)*\._\w+|(?<!self)\.(?:_version|_modules|_parameters|_buffers|_cdata|_opt_called)\b"
    for path in sorted(pathlib.Path(private.__file__).parent.glob("*.py")):
        found = re.findall(named, path.read_text())
        assert path.name == "private.py" or not found, (path.name, found)


def test_what_layers_drop_with():
    for layer in (torch.nn.Dropout(0.1), torch.nn.Dropout2d(0.1), torch.nn.AlphaDropout(0.1)):
        assert private.is_dropout(layer) and vars(layer)["p"] == 0.1
    assert not private.is_dropout(torch.nn.Linear(1, 1))


def test_modules_hold_modules_in_a_dictionary():
    block = torch.nn.Sequential(torch.nn.Linear(1, 1))
    held = private.children_of(block)
    assert list(held.values()) == [block[0]]
    block[0] = torch.nn.Identity()
    assert private.children_of(block) is held and held["0"] is block[0]


def test_tensors_of_one_memory():
    t = torch.zeros(2)
    assert private.is_same_memory(t, t[1:].detach()) and not private.is_same_memory(t, t.clone())
    steps = [torch.zeros(()), torch.ones(())]
    private.count_on(steps)
    assert [float(s) for s in steps] == [1, 2]


def test_gradients_are_known_as_such():
    """Each operation of the backward says so, and of which module's forward; sums of gradients, too. Formats of
    gradients follow from it."""
    class Residual(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

        def forward(self, x):
            x = x + torch.tanh(self.first(x))
            return (x + torch.tanh(self.second(x))).square().mean()
    model = Residual()
    text = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), (torch.ones(4, 8),), verify=False).mlir
    products = [line for line in text.splitlines() if "prec_train.matmul" in line]
    assert [re.search(r'loc\("(\w+)"\)', line)[1] for line in products] == ["first", "second", "second", "second", "first"]
    assert ["phase<backward>" in line for line in products] == [False, False, True, True, True]
    # What first's output gets of both of its readers.
    assert any("arith.addf" in line and "phase<backward>" in line for line in text.splitlines())
