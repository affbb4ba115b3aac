# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nn.RNN, nn.LSTM, nn.GRU and their cells: written out over their steps, verified."""
import pytest
import torch
from torch import nn

import prec


class Recurrent(nn.Module):
    def __init__(self, make, call):
        super().__init__()
        torch.manual_seed(0)
        self.rows, self.layer, self.call = nn.Embedding(32, 8), make(), call

    def forward(self, ids):
        y = self.call(self.layer, self.rows(ids))
        return (y * torch.arange(1, y.shape[-1] + 1)).square().mean()


def cell(m, x):
    h = torch.zeros(x.shape[0], 6)
    for t in range(x.shape[1]):
        h = m(x[:, t], h)
    return h


def lstm_cell(m, x):
    h = None
    for t in range(x.shape[1]):
        h = m(x[:, t], h)
    return h[0]


CASES = {
    "rnn": (lambda: nn.RNN(8, 6, batch_first=True), lambda m, x: m(x)[0]),
    "rnn of relu": (lambda: nn.RNN(8, 6, 2, nonlinearity="relu", batch_first=True), lambda m, x: m(x)[0]),
    "lstm": (lambda: nn.LSTM(8, 6, batch_first=True), lambda m, x: m(x)[0]),
    "lstm of both ways": (lambda: nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True), lambda m, x: m(x)[0]),
    "lstm with a projection": (lambda: nn.LSTM(8, 6, proj_size=4), lambda m, x: m(x.transpose(0, 1))[1][1]),
    "lstm from a state": (lambda: nn.LSTM(8, 6, batch_first=True, bias=False), lambda m, x: m(x, (torch.ones(1, 2, 6), torch.zeros(1, 2, 6)))[0]),
    "gru": (lambda: nn.GRU(8, 6, batch_first=True), lambda m, x: m(x)[0]),
    "gru of both ways": (lambda: nn.GRU(8, 6, 2, batch_first=True, bidirectional=True), lambda m, x: m(x)[1].sum(0)),
    "rnn cell": (lambda: nn.RNNCell(8, 6), cell), "gru cell": (lambda: nn.GRUCell(8, 6), cell), "lstm cell": (lambda: nn.LSTMCell(8, 6), lstm_cell),
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", CASES)
def test_a_recurrent_layer(name):
    model = Recurrent(*CASES[name])
    imported = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"ids": torch.arange(10).view(2, 5)})
    assert imported.verified == "verified"
