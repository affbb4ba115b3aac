# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step is compiled while its graph is compared with PyTorch. Whatever the comparison says, what is opened is a
compiled graph of this verdict, and no process is left behind."""
import subprocess
import sys
import threading
import time

import pytest
import small

import prec
from prec.torch import importer
from prec.torch.compile import program
from prec.torch.compile.ahead import Ahead
from prec.torch.graph_side import Unverified

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def sleeping(started, ended):
    """A compiler that sleeps until it is ended."""
    def compile(note):
        with subprocess.Popen(SLEEP) as process:
            note(process)
            started.set()
            ended.append(process.wait())
    return compile


def test_both_run_at_the_same_time():
    ahead, begun, compared = Ahead(), threading.Event(), threading.Event()

    def compile(note):
        begun.set()
        assert compared.wait(60)
    with ahead.during("text", compile):
        assert begun.wait(60)  # While the block is not over.
        compared.set()
    ahead.finish("text")


def test_what_was_never_begun_is_finished():
    Ahead().finish("text")


def test_an_error_of_the_comparison_ends_the_compiler():
    started, ended = threading.Event(), []
    with pytest.raises(KeyboardInterrupt), Ahead().during("text", sleeping(started, ended)):
        assert started.wait(60)
        raise KeyboardInterrupt
    assert len(ended) == 1 and ended[0] != 0


def test_a_compiler_that_starts_too_late_is_ended():
    before, ended = threading.Event(), []

    def compile(note):
        assert before.wait(60)
        sleeping(threading.Event(), ended)(note)
    ahead = Ahead()
    with pytest.raises(ZeroDivisionError), ahead.during("text", compile):
        threading.Timer(0.2, before.set).start()
        raise ZeroDivisionError
    assert len(ended) == 1 and ended[0] != 0


def test_another_text_ends_the_compiler():
    started, ended, ahead = threading.Event(), [], Ahead()
    with ahead.during("verified", sleeping(started, ended)):
        assert started.wait(60)
    ahead.finish("not verified")
    assert len(ended) == 1 and ended[0] != 0


def test_an_error_of_the_compiler_is_raised_behind_the_comparison():
    ahead = Ahead()

    def compile(note):
        raise prec.CompileFailure("no such recipe")
    with ahead.during("text", compile):
        time.sleep(0.01)
    with pytest.raises(prec.CompileFailure, match="no such recipe"):
        ahead.finish("text")


@pytest.fixture
def compiled(monkeypatch):
    """The texts of graphs that are compiled."""
    texts, original = [], program.run_tool

    def run_tool(name, arguments, *rest):
        texts.append(arguments[0].read_text())
        return original(name, arguments, *rest)
    monkeypatch.setattr(program, "run_tool", run_tool)
    return texts


def make(tmp_path, **options):
    model = small.make()
    batch = next(small.tokens(1))
    step = prec.compile(model, small.adamw(model), batch, recipe="fp32", target="cpu", threads=1, cache=tmp_path / "cache", log=lambda line: None,
                        **options)
    return step, batch


def test_a_graph_that_agrees_is_compiled_once(tmp_path, compiled):
    step, batch = make(tmp_path)
    assert step(batch).isfinite() and len(compiled) == 1
    assert 'prec_train.verified = "verified"' in compiled[0]


def test_a_graph_that_cannot_be_compared_says_so(tmp_path, compiled, monkeypatch):
    def compare(*given):
        raise Unverified("of a test")
    monkeypatch.setattr(importer, "compare", compare)
    step, batch = make(tmp_path)
    assert step(batch).isfinite() and "not verified: of a test" in step.report()
    assert "not verified: of a test" in compiled[-1]


def test_a_graph_that_differs_is_refused(tmp_path, compiled, monkeypatch):
    def compare(*given):
        raise prec.ImportFailure("of a test")
    monkeypatch.setattr(importer, "compare", compare)
    with pytest.raises(prec.ImportFailure, match="of a test"):
        make(tmp_path)
    assert threading.active_count() == 1 or all(t.name != "prec-compile" for t in threading.enumerate())
    monkeypatch.undo()
    # Whatever is in the cache: it is compared again.
    calls, original = [], importer.compare
    monkeypatch.setattr(importer, "compare", lambda *given: (calls.append(1), original(*given))[1])
    make(tmp_path)
    assert calls


def test_what_the_compiler_refuses_is_refused(tmp_path):
    with pytest.raises(prec.CompileFailure):
        make(tmp_path, compiler_options=["--no-such-option"])
