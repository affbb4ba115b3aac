# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "tools"), str(pathlib.Path(__file__).resolve().parent)]


def pytest_addoption(parser):
    parser.addoption("--runtime-build", default=str(ROOT / "build" / "runtime"),
                     help="build folder of the runtime: libprec-rt.so, prec-run and the test programs")


@pytest.fixture(scope="session")
def build(request) -> pathlib.Path:
    path = pathlib.Path(request.config.getoption("--runtime-build"))
    if not (path / "libprec-rt.so").is_file():
        pytest.fail(f"{path} must hold libprec-rt.so; give --runtime-build")
    return path


@pytest.fixture(scope="session")
def library(build) -> pathlib.Path:
    return build / "libprec-rt.so"


@pytest.fixture(scope="session")
def kill_at(tmp_path_factory) -> pathlib.Path:
    """A library to preload: the process is killed before one of its calls that change files (kill_at.c)."""
    library = tmp_path_factory.mktemp("kill") / "kill_at.so"
    source = ROOT / "test" / "Runtime" / "kill_at.c"
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture
def open_module(library):
    """Opens a module with the library under test and closes it after the test."""
    from prec.module import Module
    opened = []

    def open_(path, **options):
        opened.append(Module(path, library=library, **options))
        return opened[-1]

    yield open_
    for module in opened:
        module.close()
