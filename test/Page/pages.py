# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How pages are made, and what all of them have."""
import re
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


def cells(browser, table, tag="td"):
    """The texts of a table's cells, by row: one question to the browser, where one for each cell takes seconds."""
    return browser.execute_script("""return [...document.querySelectorAll("#" + arguments[0] + " tr")].map(
        row => [...row.querySelectorAll(arguments[1])].map(cell => cell.innerText.trim()))""", table, tag)
