# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with experts, unmodified, and products of groups of rows as PyTorch has them: the import is verified."""
import pytest
import torch
from families import FAMILIES as FAMILIES_BY_NAME, adamw, outcome

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


@pytest.mark.parametrize("implementation", ["eager", "sonicmoe"])
@pytest.mark.filterwarnings("ignore")
def test_experts_are_grouped_products_however_they_are_set(implementation):
    """transformers' loop over those that have tokens, compared with its own step; and kernels that are not here."""
    model, batch = FAMILIES_BY_NAME["mixtral"].build()
    model.config._experts_implementation = implementation
    imported = prec.import_torch(model, adamw(model), batch, verify=implementation == "eager")
    assert Kind.GROUPED_MATMUL in [op.name for op in imported.graph.ops]
    if implementation == "eager":
        assert imported.verified == "verified"
    assert model.config._experts_implementation == implementation


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


def kinds(imported):
    assert imported.verified == "verified"
    return [op.name for op in imported.graph.ops]


class Rows(torch.nn.Module):
    """Scores [6, 8] of which forward makes a loss."""

    def __init__(self, forward):
        super().__init__()
        torch.manual_seed(0)
        self.scores, self.formula = torch.nn.Parameter(torch.randn(6, 8)), forward

    def forward(self, x):
        return self.formula(self.scores * x)


def weights_of(scores, k=2):
    values, places = scores.softmax(-1).topk(k)
    return values, places


def there_and_back(scores, divided):
    """Rows of tokens, each `divided` times, in the order of their experts and back."""
    values, places = weights_of(scores, divided)
    order = places.reshape(-1).sort().indices
    inverse = torch.empty_like(order)
    inverse[order] = torch.arange(order.numel())
    rows = scores[order // divided].sin() * values.reshape(-1)[order].unsqueeze(-1)
    return rows[inverse].view(6, divided, 8).sum(1).square().sum()


@pytest.mark.parametrize("divided", (2, 3))
def test_permuted_rows_are_read_in_both_directions(divided):
    """One sort by expert, and one for the inverse; no sums at computed places."""
    found = kinds(step(Rows(lambda scores: there_and_back(scores, divided))))
    assert found.count(Kind.SORT_IDS) == 2 and Kind.SCATTER_ADD not in found


def test_rows_that_are_read_several_times_are_added_up():
    """Not every number of rows that is divided is a permutation's, and not every permutation by what rows share."""
    def halves(scores):
        return scores[torch.tensor([0, 3, 4, 4, 9, 11]) // 2].square().sum() + scores[scores[:, 0].sort().indices // 2].cos().sum()

    assert Kind.SCATTER_ADD in kinds(step(Rows(halves)))


def test_a_permutation_may_be_read_by_another_one():
    def twice(scores):
        first, second = (scores[:, i].sort().indices for i in (0, 1))
        return (scores[first] * torch.arange(6.0).unsqueeze(-1))[second].sin().square().sum()

    kinds(step(Rows(twice)))


@pytest.mark.parametrize("write", ("scatter", "scatter_add"))
@pytest.mark.parametrize("dim", (0, 1, -1))
def test_few_elements_of_a_line_are_written_without_sorting(write, dim):
    def formula(scores):
        values, places = scores.topk(3, dim)
        places = places // 2  # of which several are the same
        return getattr(torch.zeros_like(scores), write)(dim, places, values).sin().square().sum()

    assert not {Kind.SORT_IDS, Kind.SCATTER_ADD} & set(kinds(step(Rows(formula))))


@pytest.mark.parametrize("are_inside", (True, False))
def test_indices_that_may_be_outside_are_checked(are_inside):
    """Which the sum at computed places is for; what is written one by one is known to be inside."""
    def formula(scores):
        places = (scores * 2).round().long()[:, :2]
        places = places.clamp(0, 7) if are_inside else places * 0 + places.abs()
        return torch.zeros_like(scores).scatter_add(1, places, scores[:, :2]).sin().sum()

    assert (Kind.SCATTER_ADD in kinds(step(Rows(formula)))) != are_inside


def test_a_softmax_behind_a_maximum_has_its_gradient_alone():
    """What the largest element of a row would get adds up to zero, and is not computed."""
    def formula(scores):
        return ((scores - scores.max(-1, keepdim=True).values).softmax(-1) * torch.arange(8.0)).square().sum()

    found = kinds(step(Rows(formula)))
    assert not {Kind.SORT_IDS, Kind.SCATTER_ADD} & set(found)


@pytest.mark.parametrize(("count", "largest"), [(2, True), (9, False)])
def test_of_equal_scores_the_first_are_taken(count, largest):
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.router, self.experts = torch.nn.Parameter(torch.zeros(16, 8)), torch.nn.Parameter(torch.randn(16, 8))

        def forward(self, x):
            weights, places = (x @ self.router.T).softmax(-1).topk(count, largest=largest)
            return (weights[..., None] * self.experts[places] * x[:, None]).sum()

    model = Tied()
    x = torch.randn(5, 8)
    # PyTorch takes others.
    assert not torch.equal(torch.zeros(5, 16).topk(count, largest=largest).indices, torch.arange(count).expand(5, count))
    assert prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=1e-3), {"x": x}).verified == "verified"
