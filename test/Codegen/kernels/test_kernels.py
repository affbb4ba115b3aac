# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the generated CPU kernels against numpy."""

import harness
import pytest
from cases import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_cpu(case, tmp_path):
    harness.build(case, "cpu", tmp_path)
    arrays = harness.make_inputs(case)
    whole = harness.run_cpu(case, tmp_path, arrays)
    harness.compare(case, whole, case.reference(*arrays), arrays)
    # Results do not depend on the split.
    case = harness.dataclasses.replace(case, tolerance=0)
    harness.compare(case, harness.run_cpu(case, tmp_path, arrays, pieces=3), whole, arrays)
