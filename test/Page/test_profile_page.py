# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A profile as a page, in a real browser."""
import json
import subprocess

import numpy as np
import pytest
from pages import ROOT, cells, check_stands_alone
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


def make_profile(folder, name, *options):
    """A page, and what it shows."""
    for tool in ("bin/prec-compile", "runtime/prec-run"):
        if not (ROOT / "build" / tool).exists():
            pytest.fail(f"build/{tool} must be built")
    np.random.default_rng(0).integers(0, 256, 200).astype(np.uint16).tofile(folder / "tokens.bin")
    subprocess.run([ROOT / "build/bin/prec-compile", ROOT / "examples/llama_tiny.mlir", "--recipe=fp8-hybrid", "-o", folder / "step.so"], check=True)
    subprocess.run([ROOT / "build/runtime/prec-run", "step.so", "--init", "random", "--tokens", "tokens.bin", "--profile", "--profile-json",
                    f"{name}.json", "--profile-html", f"{name}.html", *map(str, options)], cwd=folder, check=True, capture_output=True)
    return folder / f"{name}.html", json.loads((folder / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def limited(folder):
    return make_profile(folder, "limited", "--profile-machine", ROOT / "targets/cpu.json")


@pytest.fixture(scope="module")
def plain(folder):
    return make_profile(folder, "plain")


@pytest.fixture(scope="module")
def floored(folder):
    return make_profile(folder, "floored", "--profile-floor")


@pytest.fixture
def opened(browser, limited):
    browser.get(f"file://{limited[0]}")
    yield browser
    log = browser.get_log("browser")
    assert not [entry for entry in log if entry["level"] == "SEVERE"], log


def frames(browser):
    """Labels, places and widths as parts of the whole."""
    return [(label, text, float(x[:-1]) / 100, float(width[:-1]) / 100) for label, text, x, width in browser.execute_script("""
        return [...document.querySelectorAll(".frame")].map(frame => [frame.getAttribute("aria-label"),
            frame.querySelector("text").textContent, frame.getAttribute("x"), frame.getAttribute("width")])""")]


def find_frame(browser, name):
    return next(frame for frame in browser.find_elements(By.CSS_SELECTOR, ".frame") if frame.get_attribute("aria-label").startswith(name + ": "))


def hover(browser, frame):
    """From elsewhere: a pointer that is there already, since an earlier page, enters nothing. Onto the bar, as the
    label's box may reach over bars beside it."""
    bar = frame.find_element(By.CSS_SELECTOR, "rect")
    ActionChains(browser).move_to_element(browser.find_element(By.ID, "about")).move_to_element(bar).perform()


def details(browser):
    return browser.find_element(By.ID, "details").text


def test_page_needs_nothing_else(limited):
    check_stands_alone(limited[0].read_text())


def test_widths_are_times(opened, limited):
    profile = limited[1]
    shown = {label.split(":")[0]: (left, width) for label, _, left, width in frames(opened)}
    assert shown["step"] == (0, 1)
    left = 0
    phases = list(dict.fromkeys(command["phase"] for command in profile["commands"]))
    assert {"forward", "backward", "optimizer"} <= set(phases)
    for phase in phases:
        share = sum(c["seconds"] for c in profile["commands"] if c["phase"] == phase) / profile["seconds"]
        assert shown[phase] == pytest.approx((left, share), abs=1e-6)
        left += share
    share = sum(c["seconds"] for c in profile["commands"] if c["phase"] == "forward" and c["path"].startswith("model.layers.0.")) / profile["seconds"]
    assert shown["forward model.layers.0"][1] >= share - 1e-6
    wide = [c for c in profile["commands"] if c["seconds"] > 2e-3 * profile["seconds"]]
    assert wide and {f"{c['phase']} {c['command']} ({c['op']})" for c in wide} <= set(shown)


def test_hover_shows_numbers(opened, limited):
    command = max((c for c in limited[1]["commands"] if c["flops"]), key=lambda c: c["seconds"])
    frame = find_frame(opened, f"{command['phase']} {command['command']} ({command['op']})")
    hover(opened, frame)
    text = details(opened)
    assert command["command"] in text and f"{command['seconds'] * 1e3:.3f} ms" in text
    assert f"{command['flops'] / command['seconds'] / 1e12:.3f} TFLOP/s" in text
    assert f"{command['bytes'] / command['seconds'] / 1e12:.3f} TB/s" in text
    assert f"{100 * command['limit']['seconds'] / command['seconds']:.1f} % {command['limit']['bound']}" in text
    assert command["graph_ops"] and text.endswith(" + ".join(command["graph_ops"]))


def test_engine(browser, limited, folder):
    """A page of a GPU's profile, which has engines."""
    algorithm = {
        "id": 66,
        "tile": "128x256",
        "stages": "64x4",
        "cluster": "2x1x1",
        "split_k": 2,
        "swizzle": 1,
        "milliseconds": 0.125,
        "candidates": 12,
    }
    text = limited[0].read_text().replace('"engine": null', '"engine": ' + json.dumps({"name": "cuBLASLt 13.0.2", "algorithm": algorithm}))
    (folder / "engine.html").write_text(text.replace('"engines": []', '"engines": ["cuBLASLt 13.0.2: 66", "another"]'))
    browser.get(f"file://{folder / 'engine.html'}")
    command = max((c for c in limited[1]["commands"] if c["flops"]), key=lambda c: c["seconds"])
    ActionChains(browser).move_to_element(find_frame(browser, f"{command['phase']} {command['command']} ({command['op']})")).perform()
    assert details(browser).endswith(" by cuBLASLt 13.0.2: algorithm 66, tile 128x256, stages 64x4, cluster 2x1x1, split-k 2, swizzle 1, "
                                     "0.1250 ms when chosen of 12")
    row = browser.find_elements(By.CSS_SELECTOR, "#modules tr")[1]
    assert row.find_elements(By.CSS_SELECTOR, "td")[-1].text == "cuBLASLt 13.0.2: 66; another"


@pytest.mark.long
def test_zoom_and_back(opened):
    before = frames(opened)
    find_frame(opened, "backward").click()
    inside = {label.split(":")[0]: width for label, _, _, width in frames(opened)}
    assert inside["step"] == inside["backward"] == 1 and "forward" not in inside
    opened.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert frames(opened) == before
    find_frame(opened, "optimizer").send_keys(Keys.ENTER)
    assert "forward" not in {label.split(":")[0] for label, *_ in frames(opened)}


def fills_of_frames(browser):
    return set(browser.execute_script("return [...document.querySelectorAll('.frame rect')].map(rect => getComputedStyle(rect).fill)"))


def test_color_is_the_share_of_the_limit(opened, limited, browser, plain):
    fills = fills_of_frames(opened)
    assert len(fills) > 5 and opened.find_element(By.ID, "legend").is_displayed()
    browser.get(f"file://{plain[0]}")
    fills = fills_of_frames(browser)
    assert len(fills) == 1 and not browser.find_element(By.ID, "legend").is_displayed()
    assert "%" in details(browser) and "bytes" not in details(browser)


def test_table(opened, limited):
    rows = cells(opened, "modules")[1:]
    assert [[row[2], *row[7:]] for row in rows] == [[str(g["count"]), g["phase"], g["op"], g["module"], " + ".join(g["graph_ops"]), ""]
                                                    for g in limited[1]["modules"]]
    first, group = rows[0], limited[1]["modules"][0]
    assert first[0] == f"{group['seconds'] * 1e3:.3f}" and first[1] == f"{100 * group['seconds'] / limited[1]['seconds']:.1f} %"


def test_floor(browser, floored, plain):
    profile = floored[1]
    browser.get(f"file://{floored[0]}")
    heads = cells(browser, "modules", "th")[0]
    assert heads[6:] == ["of limit", "floor ms", "of floor", "phase", "op", "module", "operations of the graph", "engine"]
    for row, group in zip(cells(browser, "modules")[1:], profile["modules"], strict=True):
        share = f"{100 * group['floor']['seconds'] / group['seconds']:.1f} %" if group["seconds"] else "–"
        assert row[7:] == [f"{group['floor']['seconds'] * 1e3:.3f}", share, group["phase"], group["op"], group["module"],
                           " + ".join(group["graph_ops"]), ""]
    assert f"floor {profile['floor']['seconds'] * 1e3:.3f} ms" in browser.find_element(By.ID, "about").text
    assert "of the time" in details(browser)
    browser.get(f"file://{plain[0]}")
    assert "floor" not in browser.find_element(By.TAG_NAME, "body").text
