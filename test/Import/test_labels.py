"""What a graph says about ids and labels."""
import torch
import torch.nn.functional as F

import prec


class NextToken(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = torch.nn.Embedding(64, 32), torch.nn.Linear(32, 64)

    def forward(self, ids, labels):
        return F.cross_entropy(self.head(self.embed(ids))[:, :-1].reshape(-1, 64), labels[:, 1:].reshape(-1))


class OneArgument(NextToken):
    def forward(self, ids):
        return super().forward(ids, ids)


def batch_attributes(model, names):
    batch = {name: torch.zeros(2, 16, dtype=torch.int64) for name in names}
    graph = prec.import_torch(model, torch.optim.AdamW(model.parameters()), batch).graph
    return [a.attrs for a in graph.arguments if a.role == "batch"]


def test_labels_may_be_ignored():
    ids, labels = batch_attributes(NextToken(), ["ids", "labels"])
    assert ids == {"vocabulary": 64} and labels == {"vocabulary": 64, "ignore_index": -100, "shift": 0}


def test_labels_that_are_ids_may_not_be_ignored():
    """The table has no row for them."""
    both, = batch_attributes(OneArgument(), ["ids"])
    assert both == {"vocabulary": 64, "shift": 0}
