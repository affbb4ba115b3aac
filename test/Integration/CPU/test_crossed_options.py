# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Features crossed: of every two options of a step there is a tiny one that has both, which compiles and, on the CPU,
learns what it
learns in FP32; what cannot be is refused by one check of the compiler, which the table of refusals lists."""
import re

import pytest
from conftest import ROOT
from crossed_options import BOUNDS, DEFAULTS, FACTORS, REFUSALS, Crossing, Refused, far_off
from pairwise import allows, covering, pairs_of, sample

ROWS = covering(FACTORS, REFUSALS, preferred={"target": "cpu"})
FEW = 4


@pytest.fixture(scope="module")
def crossing(tool, tmp_path_factory):
    return Crossing(tool, tmp_path_factory.mktemp("crossed"))


def follows(row, crossing):
    try:
        module = crossing.compile(row)
    except Refused as refusal:
        pytest.fail(f"{row} must compile, but\n{refusal}")
    if row["target"] == "cpu":
        loss, turned = far_off(row, crossing, module)
        most_loss, most_turned = BOUNDS[row["recipe"]]
        assert loss <= most_loss and turned <= most_turned, row


def named(row):
    return "-".join(level for name, level in row.items() if level != DEFAULTS[name]).replace(" ", "_") or "defaults"


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_every_pair_of_options_can_be(row, crossing):
    follows(row, crossing)


@pytest.mark.parametrize("row", sample(FACTORS, REFUSALS, FEW, seed=29), ids=named)
def test_options_at_random_can_be(row, crossing):
    follows(row, crossing)


@pytest.mark.parametrize("together", REFUSALS, ids=lambda together: "-".join(sorted(level for _, level in together)))
def test_what_cannot_be_is_refused(together, crossing):
    check, message = REFUSALS[together]
    with pytest.raises(Refused) as refusal:
        crossing.compile(DEFAULTS | dict(together))
    assert re.search(message, str(refusal.value)), refusal.value
    places = [path for path in (ROOT / "lib").rglob("*.cpp") if re.search(rf"// {check}\b", path.read_text())]
    assert len(places) == 1, f"{check} must be in one place"


def test_rows_have_every_pair():
    seen = set().union(*map(pairs_of, ROWS))
    for a, first in FACTORS.items():
        for b, second in FACTORS.items():
            for x, y in ((x, y) for x in first for y in second if a < b):
                assert frozenset({(a, x), (b, y)}) in seen | set(REFUSALS), f"{a} {x} with {b} {y}"
    assert all(allows(REFUSALS, row) for row in ROWS)
