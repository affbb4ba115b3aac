# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))


@pytest.fixture(scope="session")
def tool():
    def find(name):
        path = ROOT / "build" / "bin" / name
        assert path.is_file(), f"{name} must be built in {ROOT / 'build'}"
        return path
    return find


@pytest.fixture(scope="session")
def full_disk(tmp_path_factory):
    """Environment in which regular files take a number of bytes, then the disk is full."""
    folder = tmp_path_factory.mktemp("full-disk")
    library = folder / "full_disk.so"
    source = pathlib.Path(__file__).parent / "full_disk.c"
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
    return lambda size: {"LD_PRELOAD": str(library), "FULL_DISK_AFTER": str(size)}
