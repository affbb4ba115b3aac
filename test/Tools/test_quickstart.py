# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The quickstart answers for its options before it installs, builds or writes anything."""
import ast
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys

import pytest
import quickstart
import quickstart_options
from quickstart_options import QuickstartFailure

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def answer(tmp_path):
    """Runs utils/quickstart where installing and building only leave a note; Python finds none but its own modules
    there."""
    stubs, work, note = tmp_path / "stubs", tmp_path / "work", tmp_path / "note"
    stubs.mkdir()
    work.mkdir()
    for name in ("dpkg-query", "apt-get", "apt-cache", "sudo", "cmake", "ninja"):
        (stubs / name).write_text(f'#!/bin/sh\necho {name} >>"{note}"\nexit 1\n')
    (stubs / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    for stub in stubs.iterdir():
        stub.chmod(0o755)

    def run(*arguments):
        done = subprocess.run([ROOT / "utils/quickstart", *map(str, arguments)], cwd=work, capture_output=True, text=True,
                              env={"PATH": f"{stubs}:/usr/bin:/bin", "HOME": str(tmp_path)})
        return done, note.read_text().split() if note.exists() else []
    run.folder = work
    return run


def test_help(answer):
    done, called = answer("--help")
    assert (done.returncode, done.stderr, called) == (0, "", [])
    assert all(option in done.stdout for option in ("usage: quickstart", "--recipe", "--steps", "--text", "--target", "--out"))
    assert not list(answer.folder.iterdir())


BAD = {
    "option": (["--nonsense"], "unrecognized arguments: --nonsense"),
    "no value": (["--steps"], "argument --steps: expected one argument"),
    "no number": (["--steps", "many"], "argument --steps: invalid int value: 'many'"),
    "steps": (["--steps", "0"], "--steps must be at least 1, but got 0"),
    "model": (["--model", "bert"], "argument --model: invalid choice: 'bert'"),
    "target": (["--target", "sm_1"], "argument --target: invalid choice: 'sm_1'"),
    "text": (["--text", "none.txt"], "--text must be a file that can be read, but got none.txt"),
    "short text": (["--text", "short.txt"], "the text must have at least 20480 bytes, but got 5"),
    "recipe": (
        ["--recipe", "fp9"],
        "--recipe must be one of bf16, fp16, fp32, fp8-block, fp8-e4m3, fp8-hybrid, fp8-rowwise, mxfp8, nvfp4, torchao-tensorwise or a "
        "recipe file (*.json), but got fp9",
    ),
    "recipe file": (["--recipe", "none.json"], "a recipe file must be a file that can be read, but got none.json"),
    "recipe file's name": (
        ["--recipe", "bf16.json"],
        "a recipe file must not have the name of a recipe that is trained beside it, but got bf16.json",
    ),
    "out": (["--out", "short.txt"], "--out must be a folder that can be made and written, but got short.txt"),
    "out in a file": (["--out", "short.txt/out"], "--out must be a folder that can be made and written, but got short.txt/out"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_option(answer, case):
    arguments, message = BAD[case]
    (answer.folder / "short.txt").write_text("short")
    (answer.folder / "bf16.json").write_text("{}")
    done, called = answer(*arguments)
    assert (done.returncode, done.stdout, called) == (1, "", [])
    assert done.stderr.startswith(f"quickstart: error: {message}") and done.stderr.count("\n") == 1, done.stderr
    assert sorted(path.name for path in answer.folder.iterdir()) == ["bf16.json", "short.txt"]


def test_good_options_go_on(answer):
    (answer.folder / "mine.json").write_text("{}")
    for arguments in ([], ["--recipe", "mine.json", "--out", "new/out", "--target", "sm_90a"]):
        done, called = answer(*arguments)
        assert done.returncode == 1 and called[0] == "dpkg-query" and "quickstart: error" not in done.stderr, done.stderr
    assert [path.name for path in answer.folder.iterdir()] == ["mine.json"]


@pytest.mark.parametrize("recipe,message", [
    ("nvfp4", "the recipe must compile for sm_90a, but got nvfp4: "),
    ("mine.json", "the recipe must compile for sm_90a, but got mine.json: mine.json:1:2: error: "),
])
def test_a_recipe_that_does_not_compile_is_refused_before_the_import(tool, tmp_path, recipe, message):
    (tmp_path / "mine.json").write_text('{"nonsense": 1}')
    done = subprocess.run([sys.executable, ROOT / "examples/quickstart.py", "--build", tool("prec-compile").parents[1], "--recipe", recipe,
                           "--target", "sm_90a"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"quickstart: error: {message}") and done.stderr.count("\n") == 1, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]


def test_main_tells_what_the_functions_raise(tmp_path, monkeypatch, capfd):
    with pytest.raises(QuickstartFailure, match="false must succeed, but got exit code 1"):
        quickstart.run("false")
    monkeypatch.setattr(quickstart, "standard_library_text", lambda: b"short")
    with pytest.raises(QuickstartFailure, match="at least 20480 bytes, but got 5"):
        quickstart.write_tokens(quickstart_options.parse(["--out", str(tmp_path)]))
    assert not list(tmp_path.iterdir())
    capfd.readouterr()
    monkeypatch.setattr(sys, "argv", ["quickstart", "--build", str(tmp_path)])
    assert quickstart.main() == 1
    assert capfd.readouterr() == ("", f"quickstart: error: the build must hold prec-opt, prec-compile, prec-run, but got {tmp_path}\n")


def test_the_least_text_is_twenty_batches():
    import quickstart_model
    assert quickstart_options.LEAST_TEXT == 20 * quickstart_model.BATCH * quickstart_model.SEQUENCE


def load_fetch_cuda():
    loader = importlib.machinery.SourceFileLoader("fetch_cuda", str(ROOT / "utils/fetch-cuda"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch_cuda", loader))
    loader.exec_module(module)
    return module


def test_fetch_cuda_tells_that_a_download_failed(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    fetch_cuda = load_fetch_cuda()
    monkeypatch.setattr(fetch_cuda.subprocess, "run", lambda command: subprocess.CompletedProcess(command, 1))
    monkeypatch.setattr(sys, "argv", ["fetch-cuda", str(tmp_path / "cuda")])
    assert fetch_cuda.main() == 1
    error = "fetch-cuda: error: NVIDIA's wheels must be downloadable, but got an error from pip (above)\n"
    assert capfd.readouterr().err == error
    assert not list((tmp_path / "cuda").iterdir())


@pytest.mark.parametrize("file", ["examples/quickstart.py", "examples/quickstart_options.py", "utils/fetch-cuda"])
def test_only_the_script_itself_exits(file):
    tree = ast.parse((ROOT / file).read_text())
    exits = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.exit", "os._exit")]
    assert [ast.unparse(node) for node in tree.body[-1].body] == ["sys.exit(main())"] and len(exits) == 1
