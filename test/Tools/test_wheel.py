# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel: what is laid into it, how the installed package finds its parts, and that it trains where there is no
LLVM."""
from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile

import pytest

from prec import CompileFailure, _version, libraries, tools

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Prints which program it is, and its words.
PROGRAM = '#!/bin/sh\necho "program {name}: $0 $*"\n'


@pytest.fixture(scope="module")
def make_wheel():
    spec = importlib.util.spec_from_file_location("make_wheel", ROOT / "utils/lib/make_wheel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def wheel(make_wheel, tmp_path_factory):
    """Of programs that only print, laid out as `cmake --install` leaves them."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("bin", "lib", "include/prec-rt"):
        (folder / "installed" / name).mkdir(parents=True)
    for name in ("prec-tools", "prec-run"):
        (folder / "installed/bin" / name).write_text(PROGRAM.format(name=name))
        (folder / "installed/bin" / name).chmod(0o755)
    (folder / "installed/lib/libprec-rt.so").write_bytes(b"a library")
    (folder / "installed/include/prec-rt/prec-rt.h").write_text("/* a header */")
    (folder / "libscipy_openblas.so").write_bytes(b"a library")
    (folder / "LICENSE.txt").write_text("a license")
    make_wheel.stage(folder / "installed", folder / "libscipy_openblas.so", {"prec": ROOT / "LICENSE", "openblas": folder / "LICENSE.txt"},
                     folder / "staged")
    return make_wheel.pack(folder / "staged", folder / "out")


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    """The wheel as pip installs it, and the scripts that it writes."""
    folder = tmp_path_factory.mktemp("unpacked")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--target", folder, wheel], check=True)
    return folder


@pytest.fixture
def site(unpacked, tmp_path):
    """One to change."""
    return shutil.copytree(unpacked, tmp_path / "site")


def test_what_a_wheel_holds(wheel):
    archive = zipfile.ZipFile(wheel)
    names = set(archive.namelist())
    version = _version.__version__
    assert re.fullmatch(rf"prec-{re.escape(version)}-py3-none-linux_x86_64\.whl", wheel.name)
    about = f"prec-{version}.dist-info"
    expected = {"prec/py.typed", "prec/_version.py", "prec/torch/operations.json", "prec/bin/prec-tools", "prec/bin/prec-run",
                "prec/lib/libprec-rt.so", "prec/lib/libscipy_openblas.so", "prec/include/prec-rt/prec-rt.h", "prec/share/recipes/fp8-hybrid.json",
                "prec/share/targets/sm_90a.json", "prec/share/schemas/target.schema.json", f"{about}/licenses/licenses/prec.txt",
                f"{about}/licenses/licenses/openblas.txt"}
    assert expected <= names, expected - names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    # Every source of the package, and no program that cannot be run.
    sources = {f"prec/{path.relative_to(ROOT / 'python/prec')}" for path in (ROOT / "python/prec").rglob("*.py")}
    assert sources <= names, sources - names
    for program in ("prec-tools", "prec-run"):
        assert archive.getinfo(f"prec/bin/{program}").external_attr >> 16 & 0o111
    entries = archive.read(f"{about}/entry_points.txt").decode()
    assert dict(re.findall(r"^(\S+) ?= ?(\S+)$", entries, re.M)) == {
        "prec-import": "prec.cli:main", "prec-tensorboard": "prec.tensorboard:main", "prec-tune": "prec.tuning:main",
        **dict.fromkeys(("prec-bench", "prec-compile", "prec-opt", "prec-run"), "prec.tools:main")}
    described = archive.read(f"{about}/METADATA").decode()
    for line in (f"Version: {version}", "License-Expression: Apache-2.0 WITH LLVM-exception", "Requires-Dist: numpy", "Provides-Extra: torch",
                 "Provides-Extra: cuda"):
        assert line in described.splitlines(), described[:2000]
    assert "Root-Is-Purelib: false" in archive.read(f"{about}/WHEEL").decode()


def test_what_must_be_there(make_wheel, tmp_path):
    with pytest.raises(make_wheel.WheelFailure, match=r"python/pyproject.toml must hold 'dynamic = \[\"version\"\]' once, but got it 0 times"):
        make_wheel.describe("[project]\n")
    with pytest.raises(make_wheel.WheelFailure, match="licenses of all that is inside must be there, but got none in .*none.txt"):
        make_wheel.find_licenses(tmp_path / "none.txt")
    with pytest.raises(make_wheel.WheelFailure, match="false must succeed, but got exit code 1: why"):
        make_wheel.run("false", "sh", "-c", "echo why >&2; exit 1")
    done = subprocess.run([sys.executable, ROOT / "utils/lib/make_wheel.py"], capture_output=True, text=True)
    assert done.returncode == 1 and "usage: make_wheel.py INSTALLED OUT" in done.stderr


def call(site, name, *words, **environment):
    return subprocess.run([site / "bin" / name, *words], capture_output=True, text=True, env={"PYTHONPATH": str(site), "PATH": "/usr/bin:/bin"}
                          | environment)


def test_scripts_become_the_programs(site):
    for name in ("prec-opt", "prec-compile", "prec-bench", "prec-run"):
        done = call(site, name, "a b", "--c=d")
        program = "prec-run" if name == "prec-run" else "prec-tools"
        assert done.returncode == 0 and done.stdout == f"program {program}: {site}/prec/bin/{program} a b --c=d\n", done


def test_scripts_give_what_other_packages_bring(site):
    (site / "nvidia/cu13/bin").mkdir(parents=True)
    ptxas = site / "nvidia/cu13/bin/ptxas"
    ptxas.write_text("")
    assert call(site, "prec-compile", "g.mlir").stdout.endswith(f"prec-tools g.mlir --ptxas={ptxas}\n")
    assert call(site, "prec-opt", "g.mlir").stdout.endswith("prec-tools g.mlir\n")
    assert call(site, "prec-run", "step.so").stdout.endswith(f"prec-run step.so --cuda-libraries {site}/nvidia\n")
    # What is given stays.
    for name, word in (("prec-compile", "--ptxas=mine"), ("prec-compile", "-ptxas=mine"), ("prec-run", "--cuda-libraries=mine")):
        assert call(site, name, word).stdout.endswith(f" {word}\n")


def test_a_script_without_its_program(site):
    (site / "prec/bin/prec-tools").unlink()
    done = call(site, "prec-compile")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("prec-compile: error: the package must hold the program, but got none of ")


def test_tools_of_the_package(site, monkeypatch):
    monkeypatch.setattr(tools, "__file__", str(site / "prec/tools.py"))
    assert tools.find_tool("prec-compile") == tools.find_tool("prec-opt") == site / "prec/bin/prec-tools"
    assert tools.find_tool("prec-run") == site / "prec/bin/prec-run"
    assert tools.run_tool("prec-compile", ["x"]).startswith("program prec-tools")
    (site / "prec/bin/prec-tools").write_text("#!/bin/sh\necho 'g.mlir:1:1: error: a rule' >&2\nexit 1\n")
    with pytest.raises(CompileFailure, match="^prec-compile must compile the step but failed: g.mlir:1:1: error: a rule$"):
        tools.run_tool("prec-compile", ["x"])
    monkeypatch.setenv("PATH", "")
    (site / "prec/bin/prec-tools").unlink()
    with pytest.raises(CompileFailure, match="prec-compile must be in the package, in the build beside it or on the path, but is in none of"):
        tools.find_tool("prec-compile")


def test_ptxas_of_each_layout(tmp_path, monkeypatch):
    monkeypatch.setattr(libraries, "nvidia_folders", lambda: [tmp_path])
    assert libraries.find_ptxas() is None
    for folder in ("cuda_nvcc", "cu13"):
        (tmp_path / folder / "bin").mkdir(parents=True)
        (tmp_path / folder / "bin/ptxas").write_text("")
        assert libraries.find_ptxas() == tmp_path / folder / "bin/ptxas"


@pytest.mark.parametrize("name", ("prec-opt", "prec-compile", "prec-bench"))
def test_versions(tool, name):
    done = subprocess.run([tool(name), "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and re.fullmatch(rf"prec {re.escape(_version.__version__)}, LLVM 22\.\d+\.\d+\n", done.stdout), done


def test_version_of_prec_run():
    done = subprocess.run([ROOT / "build/runtime/prec-run", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"prec {_version.__version__}\n")


@pytest.mark.parametrize("module", ["cli", "tensorboard"])
def test_versions_of_programs_in_python(module):
    done = subprocess.run([sys.executable, "-c", f"import sys; from prec.{module} import main; sys.exit(main())", "--version"], capture_output=True,
                          text=True, env=os.environ | {"PYTHONPATH": str(ROOT / "python")})
    assert (done.returncode, done.stdout) == (0, f"prec {_version.__version__}\n"), done


MODEL = """
import torch, prec
model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.GELU(), torch.nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
batch = (torch.randn(32, 16),)
step = prec.compile(model, optimizer, batch, loss=lambda output: output.square().mean(), recipe="fp8-hybrid", target="cpu", cache="cache")
losses = [step(batch).item() for _ in range(50)]
print(prec.__file__, losses[0], losses[-1], *prec.TokenDataset("tokens.bin", 8)[0]["input_ids"].tolist())
"""

GRAPH = """
import sys, numpy as np, prec
module = prec.Module(sys.argv[1])
module.init_random(seed=1)
inputs = {b.name: np.ones(b.shape, np.int64) for b in module.bindings if b.role == "batch"}
print(*[module.step(inputs)["loss"] for _ in range(3)])
"""


@pytest.mark.long
def test_installed_where_there_is_no_llvm(tmp_path):
    """Builds the wheel, hides LLVM and OpenBLAS, and goes from `pip install` in an empty environment to a trained step:
    of a graph, and of a model with a PyTorch that is there already."""
    subprocess.run([ROOT / "utils/wheel", tmp_path / "dist"], check=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert wheel.stat().st_size < 60e6 and wheel.name.endswith("py3-none-manylinux_2_36_x86_64.whl")
    torch = pathlib.Path(importlib.util.find_spec("torch").origin).parents[1]
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "graph.py").write_text(GRAPH)
    (tmp_path / "tokens.bin").write_bytes(bytes(range(64)))
    script = textwrap.dedent(f"""
        set -e
        for folder in /usr/lib/llvm-22 /usr/lib/x86_64-linux-gnu/openblas-pthread; do
          if [ -d $folder ]; then mount -t tmpfs none $folder; fi
        done
        cd {tmp_path}
        {sys.executable} -m venv empty
        date +%s.%N
        empty/bin/pip install -q --disable-pip-version-check {wheel}
        empty/bin/prec-compile {ROOT}/examples/llama_tiny.mlir --recipe=fp8-hybrid --target=cpu -o cpu.so
        empty/bin/python graph.py cpu.so
        date +%s.%N
        empty/bin/prec-compile {ROOT}/examples/llama_tiny.mlir --recipe=fp8-hybrid --target=sm_90a -o gpu.so
        empty/bin/prec-run gpu.so --inspect >inspected
        for tool in prec-opt prec-compile prec-run prec-bench; do empty/bin/$tool --version; done
        {sys.executable} -m venv other
        echo {torch} >$(echo other/lib/python*/site-packages)/torch.pth
        date +%s.%N
        other/bin/pip install -q --disable-pip-version-check --no-deps {wheel}
        other/bin/python model.py
        date +%s.%N
        """)
    done = subprocess.run(["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"]), "bash", "-c", script], capture_output=True,
                          text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line for line in done.stdout.splitlines() if line]
    begin, losses, end, *versions, second, trained, last = lines
    assert len(set(versions)) == 2 and all(line.startswith(f"prec {_version.__version__}") for line in versions)
    losses = [float(loss) for loss in losses.split()]
    assert losses[2] < losses[0]
    where, first_loss, last_loss, *ids = trained.split()
    assert where.startswith(str(tmp_path / "other")) and float(last_loss) < float(first_loss) / 10
    assert len(ids) == 8
    report = {"megabytes": wheel.stat().st_size / 1e6, "seconds of a graph": float(end) - float(begin),
              "seconds of a model": float(last) - float(second)}
    print(json.dumps(report))
    assert report["seconds of a graph"] < 60 and report["seconds of a model"] < 60, report
