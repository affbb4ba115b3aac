# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""find_package as projects around the package call it: what packages of others fell on by their public trackers. None
of it is built, but for what says so."""
import shutil
import subprocess

import pytest
from host_tools import LLVM, run

IN_C = """file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/program.c
  "#include <prec-rt/prec-rt.h>\\nint main(void) { return prec_rt_abi() != PREC_RT_ABI; }\\n")
add_executable(program ${CMAKE_CURRENT_BINARY_DIR}/program.c)
"""
LINKED = """get_target_property(linked Prec::Prec INTERFACE_LINK_LIBRARIES)
if(NOT "MLIR" IN_LIST linked)
  message(FATAL_ERROR "Prec::Prec must link MLIR but got ${linked}")
endif()
"""


def configured(folder, package, text, languages="C CXX", **files):
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.24)\nproject(asks LANGUAGES {languages})\n{text}")
    for name, content in files.items():
        (folder / name).mkdir()
        (folder / name / "CMakeLists.txt").write_text(content)
    return subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={package};{LLVM}"],
                          capture_output=True, text=True)


@pytest.mark.parametrize("text, languages", [
    ("find_package(Prec REQUIRED)\n" + LINKED, "CXX"),
    ("find_package(MLIR REQUIRED CONFIG)\nfind_package(Prec REQUIRED)\n" + LINKED, "C CXX"),
    # Variables of a function end with it, and targets do not.
    ("function(finds)\n  find_package(Prec REQUIRED)\nendfunction()\nfinds()\nfinds()\nfind_package(Prec REQUIRED)\n" + LINKED, "C CXX"),
    ("set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)\nadd_subdirectory(one)\nadd_subdirectory(two)\n" + LINKED, "C CXX"),
    ("add_subdirectory(one)\nadd_subdirectory(two)\n", "C CXX"),
    ("find_package(Prec REQUIRED COMPONENTS Runtime)\nfind_package(Prec 0.1...<0.2 REQUIRED COMPONENTS Compiler)\n" + LINKED, "C CXX"),
    # What is not there is said to be not there, and no error.
    ("set(CMAKE_DISABLE_FIND_PACKAGE_MLIR ON)\nfind_package(Prec QUIET)\nif(Prec_FOUND)\n  message(FATAL_ERROR found)\nendif()\n", "C CXX"),
], ids=["CXX alone", "MLIR first", "functions", "global", "siblings", "parts", "quiet"])
def test_projects_find_it(installed, tmp_path, text, languages):
    part = "find_package(Prec REQUIRED)\n" + LINKED
    done = configured(tmp_path / "asks", installed, text, languages, one=part, two=part)
    assert done.returncode == 0, done.stderr


def test_a_place_with_a_blank(installed, tmp_path):
    """Built and run; CMake and pkg-config."""
    package = shutil.copytree(installed, tmp_path / "a place" / "prec", symlinks=True)
    done = configured(tmp_path / "asks", package, "find_package(Prec REQUIRED)\n" + IN_C + "target_link_libraries(program PRIVATE Prec::Runtime)\n")
    assert done.returncode == 0, done.stderr
    run("cmake", "--build", tmp_path / "asks/build")
    run(tmp_path / "asks/build/program")


def test_a_library_in_c_of_the_archive(installed, tmp_path):
    """The archive is of code that may lie anywhere, and a project in C alone links it beside the C API. Built."""
    text = """target_link_libraries(program PRIVATE Prec::C Prec::RuntimeStatic)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/part.c "int part(void) { return 0; }\\n")
add_library(part SHARED ${CMAKE_CURRENT_BINARY_DIR}/part.c)
target_link_libraries(part PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,Prec::RuntimeStatic>)
"""
    done = configured(tmp_path / "asks", installed, "find_package(Prec REQUIRED)\n" + IN_C + text, "C")
    assert done.returncode == 0, done.stderr
    run("cmake", "--build", tmp_path / "asks/build")
    run(tmp_path / "asks/build/program")
