# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def make_map(graph, recipe, output, options=""):
    tool = ROOT / "build/bin/prec-opt"
    if not tool.exists():
        pytest.fail(f"{tool} must be built")
    passes = f"--assign-precision=recipe={recipe} target=cpu map-file={output} {options}"
    subprocess.run([tool, graph, passes, "-o", "/dev/null"], check=True, capture_output=True, text=True)
    return output


def check_stands_alone(page):
    """All of it is in one file."""
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    # The name of a namespace is no address that is opened.
    assert not re.search(r"https?://|<link|\bsrc=|@import|url\(|fetch\(|XMLHttpRequest|import\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "@data@" not in page


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="session")
def page(folder):
    return make_map(ROOT / "examples/llama_tiny.mlir", "fp8-hybrid", folder / "map.html")


@pytest.fixture(scope="session")
def comparison(folder):
    graph = ROOT / "examples/llama_tiny.mlir"
    maps = [make_map(graph, recipe, folder / f"{recipe}.json") for recipe in ("fp8-hybrid", "bf16")]
    output = folder / "comparison.html"
    done = subprocess.run([ROOT / "build/bin/prec-opt", "--diff-precision", *maps, "-o", output])
    assert done.returncode == 1
    return output


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    from selenium import webdriver

    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.fail("chromium and chromium-driver must be installed; utils/check installs them")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", "--window-size=1400,1000",
                 f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=driver)
    with webdriver.Chrome(options=options, service=service) as started:
        yield started
