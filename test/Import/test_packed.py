# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of several lengths, packed for recurrent layers: steps are verified against PyTorch's own packing, and what
would
need to know how many elements there are is refused. Models of every sort are trainings (test/tools/trainings)."""
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import prec

D = 4


class Net(nn.Module):
    def __init__(self, read, layer=None):
        super().__init__()
        torch.manual_seed(0)
        self.read, self.words, self.layer, self.head = read, nn.Embedding(9, D), layer or nn.GRU(D, D, batch_first=True), nn.Linear(D, D)

    def forward(self, x, n):
        return self.read(self, pack_padded_sequence(self.words(x), n, batch_first=True, enforce_sorted=False))


def imported(read, lengths=(3, 1), layer=None):
    model = Net(read, layer)
    batch = {"x": torch.arange(6).view(2, 3), "n": torch.tensor(lengths)}
    return prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), batch)


@pytest.mark.parametrize("layer", [nn.LSTM(D, D), nn.RNN(D, D, bidirectional=True)])
@pytest.mark.long
def test_last_states_are_those_of_each_row(layer):
    def read(m, packed):
        last = m.layer(packed)[1]
        return m.head(last[0] if isinstance(last, tuple) else last).square().sum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert imported(read, layer=layer).verified == "verified"


def test_as_many_steps_as_the_longest_row_has():
    with pytest.warns(UserWarning, match=r"agree with the one given .*have a row of 3 steps in test_packed.py:\d+: "):
        assert imported(lambda m, packed: pad_packed_sequence(m.layer(packed)[0])[0].square().sum()).verified == "verified"


@pytest.mark.long
def test_as_many_steps_as_are_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step = imported(lambda m, packed: pad_packed_sequence(m.layer(packed)[0], total_length=3)[0].square().sum(), lengths=(2, 1))
    assert step.verified == "verified"


@pytest.mark.long
def test_what_each_row_computes_by_itself():
    step = imported(lambda m, packed: F.softmax(m.head(packed.data), -1).square().mean())
    assert step.verified == "verified"


@pytest.mark.parametrize("read, message", [
    (lambda m, packed: packed.data.flip(0)[0].sum(), "but that of aten._pack_padded_sequence.default's result depends on them in test_packed.py:"),
    (lambda m, packed: F.relu(m.head(packed.data), inplace=True).sum(), "aten._pack_padded_sequence.default's result depends on them"),
])
@pytest.mark.cases(1)
def test_what_needs_the_number_of_elements_is_refused(read, message):
    with pytest.raises(prec.ImportFailure, match=message):
        imported(read)


def test_dropout_of_a_layer_is_refused():
    with pytest.raises(prec.ImportFailure, match=r"must have no dropout of its own but has 0.5 \(test_packed.py:.*: make layers"):
        imported(lambda m, packed: m.layer(packed)[1].sum(), layer=nn.GRU(D, D, 2, dropout=0.5))
