# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import shutil
import subprocess

import pytest
from pages import ROOT, make_map


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
