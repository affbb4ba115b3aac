# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is installed, and programs of other compilers that are built with nothing but that. Both are kept in the build
folder, so that only what changed is compiled again."""
import fcntl
import os
import shutil
from pathlib import Path

import pytest
from host_tools import BUILD, INPUTS, LLVM, run


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """Calls what fills a folder in one of the processes of this run of tests."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def fill(name: str, make) -> None:
        with open(shared / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (shared / f"{name}.done").is_file():
                make()
                (shared / f"{name}.done").touch()
    return fill


@pytest.fixture(scope="session")
def installed(once) -> Path:
    """`cmake --install`, of files that keep their times."""
    if not (BUILD / "lib/libPrecC.so").exists():
        pytest.skip("needs a build of everything")
    folder = BUILD / "hosts/prec"

    def make() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        run("cmake", "--install", BUILD, "--prefix", folder)
    once("installed", make)
    return folder


@pytest.fixture(scope="module")
def moved(installed, tmp_path_factory) -> Path:
    """The package in another place than it was installed to."""
    return shutil.copytree(installed, tmp_path_factory.mktemp("moved") / "prec", symlinks=True)


@pytest.fixture(scope="session")
def hosts(installed, once) -> Path:
    """The programs of Inputs/hosts."""
    folder = BUILD / "hosts/programs"

    def make() -> None:
        run("cmake", "-G", "Ninja", "-S", INPUTS / "hosts", "-B", folder, f"-DCMAKE_PREFIX_PATH={installed};{LLVM}", "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_FLAGS_RELEASE=-O0")
        run("cmake", "--build", folder)
    once("hosts", make)
    return folder
