# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/compare-builds on stand-ins for the compiler."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The module is the last argument; those in mxfp8 are refused.
MAKES = 'for output; do :; done\ncase "$*" in *mxfp8*) echo "no such product" >&2; exit 1;; esac\necho {} > "$output"\n'


def build(folder: pathlib.Path, body: str) -> pathlib.Path:
    (folder / "bin").mkdir(parents=True)
    tool = folder / "bin/prec-compile"
    tool.write_text("#!/bin/sh\n" + body)
    tool.chmod(0o755)
    return folder


def compare(*builds: pathlib.Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, ROOT / "utils/compare-builds", *builds], capture_output=True, text=True)


def test_the_same_modules(tmp_path):
    done = compare(build(tmp_path / "a", MAKES.format("module")), build(tmp_path / "b", MAKES.format("module")))
    assert done.returncode == 0 and done.stderr == ""
    assert "modules are the same, 6 are refused in the same words" in done.stdout


def test_a_module_that_differs_is_named(tmp_path):
    differs = MAKES.format("module") + 'case "$*" in *gpt2_tiny*bf16*sm_90a*) echo more >> "$output";; esac\n'
    done = compare(build(tmp_path / "a", MAKES.format("module")), build(tmp_path / "b", differs))
    assert done.returncode == 1
    assert done.stderr == "compare-builds: error: modules must be the same, but those of gpt2_tiny in bf16 for sm_90a differ\n"


def test_builds_that_make_nothing_are_not_the_same(tmp_path):
    done = compare(*(build(tmp_path / name, "echo broken >&2\nexit 1\n") for name in "ab"))
    assert done.returncode == 1 and "builds must make modules, but both make none" in done.stderr


def test_two_builds_are_wanted(tmp_path):
    done = compare(tmp_path)
    assert done.returncode == 1 and done.stderr == "compare-builds: error: the arguments must be two build folders\n"
