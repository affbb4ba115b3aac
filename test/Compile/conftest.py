# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import sys

import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "Compile"), str(ROOT / "test" / "tools")]
sys.dont_write_bytecode = True
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """One folder of compiled steps for all tests of a process."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def compiled(cache):
    """prec.compile for the CPU, into the tests' own cache, without what import_torch's own tests check."""
    import prec

    def compile_(model, optimizer, batch, **options):
        options = {"recipe": "fp32", "target": "cpu", "verify": False, "threads": 1, "log": lambda line: None} | options
        return prec.compile(model, optimizer, batch, cache=cache, **options)
    return compile_
