#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs the wheel of prec: utils/wheel builds the programs and calls this.

usage: make_wheel.py INSTALLED OUT

INSTALLED holds bin/prec-tools, bin/prec-run, lib/libprec-rt.so and include/, as `cmake --install` put them there. They
are laid into a copy of the Python package, with OpenBLAS (the build of SciPy's developers, as NumPy and SciPy hold
copies of it), recipes, targets, schemas and the licenses of all that is inside. scikit-build-core packs the copy, and
auditwheel checks that its programs need nothing but the C library, and names the oldest one that they run on. OUT gets
the wheel.
"""
from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from prec.tools import COMPILER_TOOLS  # noqa: E402

# Debian 12 and later, Ubuntu 24.04 and later.
PLATFORM = "manylinux_2_36_x86_64"
# What package indexes take at most.
MOST_BYTES = 100 << 20
# Debian's packages of what is linked, by what is inside.
LICENSES = {
    "llvm-mlir-lld": "llvm-22-dev",
    "nlohmann-json": "nlohmann-json3-dev",
    "cli11": "libcli11-dev",
    "zstd": "libzstd-dev",
    "zlib": "zlib1g-dev",
    "gcc-runtime": "libstdc++-12-dev",
}


class WheelFailure(Exception):
    """One line: a rule, and what broke it."""


def stage(installed: Path, openblas: Path, licenses: dict[str, Path], folder: Path) -> None:
    """Lays everything that the wheel has into a folder, which scikit-build-core can pack."""
    package = folder / "prec"
    shutil.copytree(ROOT / "python" / "prec", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("bin", "lib", "include"):
        shutil.copytree(installed / name, package / name)
    shutil.copy(openblas, package / "lib" / openblas.name)
    for name in ("recipes", "targets", "docs/schemas"):
        shutil.copytree(ROOT / name, package / "share" / Path(name).name)
    (folder / "licenses").mkdir()
    for name, path in licenses.items():
        shutil.copy(path, folder / "licenses" / f"{name}.txt")
    (folder / "pyproject.toml").write_text(describe((ROOT / "python" / "pyproject.toml").read_text()))
    shutil.copy(ROOT / "README.md", folder)


def describe(text: str) -> str:
    """pyproject.toml of the package that holds the compiler as well."""
    for old, new in (
        ('dynamic = ["version"]\n', 'dynamic = ["version"]\nreadme = "README.md"\nlicense = "Apache-2.0 WITH LLVM-exception"\n'
         'license-files = ["licenses/*.txt"]\n'),
        ('[project.scripts]\n', "[project.scripts]\n" + "".join(f'{name} = "prec.tools:main"\n' for name in COMPILER_TOOLS)),
        ('wheel.install-dir = "prec"\n', 'wheel.cmake = false\nwheel.platlib = true\nwheel.py-api = "py3"\n'),
    ):
        if text.count(old) != 1:
            raise WheelFailure(f"python/pyproject.toml must hold {old.strip()!r} once, but got it {text.count(old)} times")
        text = text.replace(old, new)
    # What builds the runtime alone is not asked for.
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("cmake."))


def find_licenses(openblas: Path) -> dict[str, Path]:
    """The license of prec, and those of what is linked into its programs or lies beside them."""
    found = {"prec": ROOT / "LICENSE", "openblas": openblas}
    found |= {name: Path("/usr/share/doc", package, "copyright") for name, package in LICENSES.items()}
    missing = [str(path) for path in found.values() if not path.is_file()]
    if missing:
        raise WheelFailure("licenses of all that is inside must be there, but got none in " + ", ".join(missing))
    return found


def pack(folder: Path, out: Path) -> Path:
    """Makes a wheel of a staged folder, for this system."""
    run("pip wheel", sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation",
        "--wheel-dir", out, folder)
    (wheel,) = out.glob("*.whl")
    return wheel


def check(wheel: Path, out: Path) -> Path:
    """The wheel, if it runs on the systems of PLATFORM, under a name that says so."""
    with tempfile.TemporaryDirectory() as made:
        run("auditwheel", sys.executable, "-m", "auditwheel", "repair", "--plat", PLATFORM, "--only-plat", "--wheel-dir", made, wheel)
        (checked,) = Path(made).glob("*.whl")
        if checked.stat().st_size > MOST_BYTES:
            raise WheelFailure(f"a wheel must have at most {MOST_BYTES} bytes, but got {checked.stat().st_size}")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(checked, out / checked.name))


def run(name: str, *command: str | Path) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise WheelFailure(f"{name} must succeed, but got exit code {done.returncode}: " + (done.stderr.strip() or done.stdout.strip())[-2000:])


def find_openblas() -> tuple[Path, Path]:
    """The library of the package scipy-openblas32, and its license."""
    import importlib.metadata

    files = importlib.metadata.files("scipy-openblas32") or []
    (library,) = [file for file in files if file.name == "libscipy_openblas.so"]
    (license_,) = [file for file in files if file.name == "LICENSE.txt"]
    return Path(str(library.locate())), Path(str(license_.locate()))


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 1
    installed, out = map(Path, sys.argv[1:])
    try:
        openblas, license_ = find_openblas()
        with tempfile.TemporaryDirectory() as folder:
            stage(installed, openblas, find_licenses(license_), Path(folder, "prec"))
            wheel = check(pack(Path(folder, "prec"), Path(folder)), out)
    except (WheelFailure, OSError) as failure:
        print(f"wheel: error: {failure}", file=sys.stderr)
        return 1
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
