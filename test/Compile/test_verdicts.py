# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph that was compared with PyTorch is not compared again: not in the next process, not for other lengths. Another
graph and changed code are."""
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
sys.path[:0] = [{root!r} + "/python", {root!r} + "/test/Compile", {here!r}]
import small
from users import Net
from prec.torch import importer
import prec

compared = []
original = importer.compare
importer.compare = lambda *a: (compared.append(1), original(*a))
model = small.make(Net)
for length in map(int, sys.argv[1:]):
    batch = next(small.tokens(1, length=length))
    if length == int(sys.argv[1]):
        step = prec.compile(model, small.adamw(model), batch, recipe="fp32", target="cpu", threads=1, cache={cache!r}, log=lambda line: None)
    step(batch)
print(len(compared))
"""
NET = """
import small

def helper(x):
    return x * 2

class Net(small.Bigram):
    def forward(self, ids, labels):
        return helper(super().forward(ids, labels))
"""


@pytest.fixture
def compared(tmp_path):
    """How many graphs a process compares with PyTorch that trains with batches of these lengths."""
    def run(*lengths, net=NET):
        (tmp_path / "users.py").write_text(net)
        script = tmp_path / "train.py"
        script.write_text(SCRIPT.format(root=str(ROOT), here=str(tmp_path), cache=str(tmp_path / "cache")))
        done = subprocess.run([sys.executable, "-B", str(script), *map(str, lengths)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return int(done.stdout.split()[0])
    return run


@pytest.mark.long
def test_what_was_compared_is_not_compared_again(compared):
    assert compared(8, 12) == 1  # The longer one differs in extents alone.
    assert compared(8) == 0


@pytest.mark.long
def test_changed_code_is_compared(compared):
    """What a file of the user's holds has changed, whether or not the graph has."""
    assert compared(8) == 1
    assert compared(8, net=NET.replace("x * 2", "2 * x")) == 1
    assert compared(8, net=NET.replace("x * 2", "x * 3")) == 1
    assert compared(8) == 0
