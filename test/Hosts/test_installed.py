# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The installed package, by programs that know nothing else: find_package, pkg-config, the C API, the plugin."""
import os
import re
import subprocess
from pathlib import Path

import pytest
from host_tools import BUILD, INPUTS, LLVM, ROOT, run

from prec import _version

TWO_LAYERS = ROOT / "test/Tools/Inputs/two_layers.mlir"
LINKER = LLVM / "bin/ld.lld"


def losses(text: str) -> list[float]:
    return [float(word) for word in re.findall(r"^(?:loss )?(-?[0-9.e+-]+)$", text, re.M)]


def test_what_is_installed(installed):
    expected = {
        "bin": {"prec-opt", "prec-compile", "prec-bench", "prec-lsp-server", "prec-run"},
        "lib": {"libPrec.a", "libPrecC.so", "PrecPlugin.so", "libprec-rt.so", "libprec-rt.so.2", "libprec-rt.a",
                "libprec-rt-gloo.so"},
        "lib/cmake/Prec": {"PrecConfig.cmake", "PrecConfigVersion.cmake", "PrecTargets.cmake", "PrecRuntimeTargets.cmake"},
        "lib/pkgconfig": {"prec-rt.pc"},
        "include/prec": {"InitAll.h", "Version.h"},
        "include/prec-c": {"Compile.h", "Dialects.h", "Registration.h"},
        "include/prec-rt": {"prec-rt.h", "version.h", "enums.def"},
        "include/prec/Dialect/Train": {"TrainOps.td", "TrainOps.h.inc", "PrimitiveBuilder.h"},
    }
    for folder, names in expected.items():
        assert names <= set(os.listdir(installed / folder)), folder
    # Every public header, and no private one.
    for kind in ("*.h", "*.td"):
        sources = {path.relative_to(ROOT / "include") for path in (ROOT / "include").rglob(kind)}
        found = {path.relative_to(installed / "include") for path in (installed / "include").rglob(kind)}
        assert sources <= found, sources - found
        assert {path for path in found - sources if path.parts[0] == "prec"} == ({Path("prec/Version.h")} if kind == "*.h" else set())
    # An installation is moved, and a tree of sources may be gone.
    for path in (installed / "lib/cmake").rglob("*.cmake"):
        assert str(ROOT) not in path.read_text(), path


@pytest.mark.parametrize("name", ["prec-opt", "prec-compile", "prec-bench", "prec-lsp-server", "prec-run"])
def test_one_version(installed, name):
    done = run(installed / "bin" / name, "--version")
    assert re.fullmatch(rf"prec {re.escape(_version.__version__)}(, LLVM 22\.\d+\.\d+)?\n", done.stdout), done


def test_sonames_have_versions(installed):
    def soname(name):
        return re.search(r"SONAME.*\[(.*)\]", run("readelf", "-d", installed / "lib" / name).stdout)[1]
    header = (ROOT / "runtime/include/prec-rt/prec-rt.h").read_text()
    abi = re.search(r"^#define PREC_RT_ABI (\d+)$", header, re.M)[1]
    assert soname("libprec-rt.so") == f"libprec-rt.so.{abi}"
    assert soname("libPrecC.so") == "libPrecC.so." + _version.__version__.rpartition(".")[0]


def test_pkg_config(moved, tmp_path):
    """The runtime alone, without CMake; the file says where it is by where it lies."""
    environment = os.environ | {"PKG_CONFIG_PATH": str(moved / "lib/pkgconfig")}
    try:
        flags = run("pkg-config", "--cflags", "--libs", "prec-rt", env=environment).stdout.split()
    except FileNotFoundError:
        pytest.skip("needs pkg-config")
    assert run("pkg-config", "--modversion", "prec-rt", env=environment).stdout.strip() == _version.__version__
    (tmp_path / "program.c").write_text('#include "prec-rt/prec-rt.h"\nint main(void) { return prec_rt_abi() != PREC_RT_ABI; }\n')
    run("cc", tmp_path / "program.c", "-o", tmp_path / "program", *flags, f"-Wl,-rpath,{moved}/lib")
    run(tmp_path / "program")


def configure(folder: Path, installed: Path, text: str, *options: str) -> subprocess.CompletedProcess:
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.24)\nproject(asked LANGUAGES C)\n" + text)
    return subprocess.run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={installed}", *options], capture_output=True,
                          text=True)


def test_the_runtime_asks_for_no_llvm(moved, tmp_path):
    """A component; and a program in C links the archive of C++."""
    text = """find_package(Prec REQUIRED COMPONENTS Runtime)
      if(MLIR_FOUND OR TARGET Prec::Prec)
        message(FATAL_ERROR "the compiler was looked for")
      endif()
      file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/program.c "#include <prec-rt/prec-rt.h>\\nint main(void) { return prec_rt_abi() != PREC_RT_ABI; }\\n")
      add_executable(program ${CMAKE_CURRENT_BINARY_DIR}/program.c)
      target_link_libraries(program PRIVATE Prec::RuntimeStatic)"""
    done = configure(tmp_path / "c", moved, text)
    assert done.returncode == 0, done.stderr
    run("cmake", "--build", tmp_path / "c/build")
    run(tmp_path / "c/build/program")
    assert "libprec-rt" not in run("readelf", "-d", tmp_path / "c/build/program").stdout


def test_what_a_package_refuses(moved, tmp_path):
    done = configure(tmp_path / "later", moved, "find_package(Prec 0.2 REQUIRED COMPONENTS Runtime)")
    assert done.returncode != 0 and f"version: {_version.__version__}" in done.stderr
    done = configure(tmp_path / "part", moved, "find_package(Prec REQUIRED COMPONENTS Optimizer)")
    assert done.returncode != 0 and "components must be Runtime or Compiler and installed, but got Optimizer" in " ".join(done.stderr.split())
    done = configure(tmp_path / "other", moved, "set(MLIR_FOUND ON)\nset(LLVM_VERSION_MAJOR 21)\nfind_package(Prec REQUIRED)")
    assert done.returncode != 0 and "prec must be used with LLVM 22, which it was built with, but got 21" in " ".join(done.stderr.split())


@pytest.mark.parametrize("fetch", ["ON", pytest.param("OFF", marks=pytest.mark.long)])
def test_within_another_project(tmp_path, fetch):
    """Flags of the project around it stay, and its programs may link prec."""
    done = run("cmake", "-G", "Ninja", "-S", INPUTS / "around", "-B", tmp_path, f"-DPREC={ROOT}", f"-DFETCH={fetch}", f"-DCMAKE_PREFIX_PATH={LLVM}",
               f"-DCMAKE_C_COMPILER={LLVM}/bin/clang", f"-DCMAKE_CXX_COMPILER={LLVM}/bin/clang++", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    assert "Generating done" in done.stdout
    commands = (tmp_path / "compile_commands.json").read_text()
    assert "InitAll.cpp" in commands and "gtest" not in commands and '-Werror ' not in commands
    needed = run("ninja", "-C", tmp_path, "-t", "inputs", "around").stdout
    assert "libPrec.a" in needed and "libprec-rt.a" in needed and "prec-opt" not in needed


def test_a_host_in_cpp_tags_linalg(hosts):
    printed = run(hosts / "cpp-host", "tag").stdout
    products = [line for line in printed.splitlines() if "linalg.matmul" in line]
    assert len(products) == 2 and all("prec.operand_tags = [#prec.tag<e4m3, " in line for line in products), printed


@pytest.fixture(scope="module")
def in_bf16(tmp_path_factory):
    """Losses of the same step by the tools of the build."""
    import numpy as np

    import prec
    step = tmp_path_factory.mktemp("step") / "step.so"
    run(BUILD / "bin/prec-compile", TWO_LAYERS, "--recipe=bf16", "-o", step)
    x = ((np.arange(64 * 32) % 13 - 6) / 8).astype(np.float32).reshape(64, 32)
    with prec.Module(step) as module:
        module.init_random(seed=1, stddev=0.1)
        return [module.step({"x": x})["loss"] for _ in range(10)]


def test_a_host_in_cpp_compiles_to_memory(hosts, in_bf16, tmp_path):
    """In two threads, linked by a function, run from the archive of the runtime. No file is left."""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = run(hosts / "cpp-host", "train", TWO_LAYERS, LINKER, env=environment)
    assert losses(done.stdout) == pytest.approx(in_bf16, rel=1e-8) and not os.listdir(tmp_path)


def test_a_host_in_cpp_links_to_a_file(hosts, tmp_path):
    """By its own function; what was there before survives a failure."""
    run(hosts / "cpp-host", "write", TWO_LAYERS, LINKER, tmp_path / "step.so")
    run(BUILD / "bin/prec-compile", TWO_LAYERS, "--recipe=bf16", "-o", tmp_path / "own.so")
    import prec
    with prec.Module(tmp_path / "step.so") as ours, prec.Module(tmp_path / "own.so") as theirs:
        assert [b.name for b in ours.bindings] == [b.name for b in theirs.bindings]
    before = (tmp_path / "step.so").read_bytes()
    for linker, output, text in (("/bin/false", "step.so", "the linker must succeed, but got exit code 1 from /bin/false"),
                                 (LINKER, ".", "a step module must be written, but got '.': it is no regular file"),
                                 (LINKER, "none/step.so", "a step module must be written, but got 'none/step.so': No such file or directory")):
        done = subprocess.run([hosts / "cpp-host", "write", TWO_LAYERS, linker, output], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 1 and text in done.stderr, done.stderr
    assert (tmp_path / "step.so").read_bytes() == before and sorted(os.listdir(tmp_path)) == ["own.so", "step.so"]


def test_a_host_in_c(hosts, in_bf16, tmp_path):
    printed = run(hosts / "c-host", TWO_LAYERS, LINKER, cwd=tmp_path).stdout
    for line in ("dialect prec_sched", "operand e4m3", "result bf16", "scaling tensor_current", "accumulator fast",
                 "error: recipe must be one of 'fp32', 'bf16', 'fp16', 'fp8-hybrid', 'fp8-e4m3', 'fp8-rowwise', 'fp8-block', 'mxfp8', "
                 "'nvfp4', 'torchao-tensorwise', but got 'fp9' (recipe-file= takes a recipe of your own)",
                 "error: no such option recpie; the nearest is 'recipe'",
                 "error: format of a tag must be a known one, but got 'f99'",
                 "error: scaling of a tag must be a known one, but got 'huge'",
                 "error: accumulator of a tag must be a known one, but got 'slow'",
                 "error: all phases must have one target, but got 'sm_90a' and 'cpu'",
                 "error: chunk-loss must not be negative, but got -1",
                 "error: the link callback must succeed, but got a failure"):
        assert line in printed.splitlines(), (line, printed)
    assert re.search(r"^error: options must have a size of at most \d+ bytes, but got 1048576$", printed, re.M)
    assert re.search(r"^rule fp8-hybrid fprop: ", printed, re.M)
    assert [float(loss) for loss in re.findall(r"^loss (.*)$", printed, re.M)] == pytest.approx(in_bf16[:3], rel=1e-8)


def test_plugin_of_a_stock_mlir_opt(installed, tmp_path):
    """The installed one, as docs/Hosts.md says; test/Plugin compares each phase with prec-opt, byte for byte."""
    (command,) = re.findall(r"^```sh\n(mlir-opt .*?)^```", (ROOT / "docs/Hosts.md").read_text(), re.M | re.S)
    (tmp_path / "two_layers.mlir").write_text(TWO_LAYERS.read_text())
    run("bash", "-c", command.replace("PrecPlugin.so", str(installed / "lib/PrecPlugin.so")), cwd=tmp_path,
        env=os.environ | {"PATH": f"{LLVM}/bin:{os.environ['PATH']}"})
    assert "llvm.func @prec_" in (tmp_path / "code.mlir").read_text()
