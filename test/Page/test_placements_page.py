# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who of several ranks holds and sends what: as text, as data and as a page in a real browser."""
import json
import re
import subprocess

import pytest
from pages import ROOT, check_stands_alone
from selenium.webdriver.common.by import By

RUN = ROOT / "build/runtime/prec-run"


def compile_step(folder, *options, model="llama"):
    module = folder / f"{model}{''.join(options).replace('=', '').replace(',', '')}.so"
    subprocess.run([ROOT / "build/bin/prec-compile", ROOT / f"examples/{model}_tiny.mlir", "--recipe=fp8-hybrid", *options, "-o", module], check=True,
                   capture_output=True)
    return module


@pytest.fixture(scope="module")
def shown(folder):
    """What is printed, the page, and the data inside of it."""
    page = folder / "placements.html"
    done = subprocess.run([RUN, compile_step(folder, "--mesh=dp=2,tp=2"), "--placements", "--placements-html", page], check=True,
                          capture_output=True, text=True)
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL).group(1)
    return done.stdout, page, json.loads(data)


def parameters_of_graph():
    """Names and shapes, as the graph's arguments have them."""
    text = (ROOT / "examples/llama_tiny.mlir").read_text()
    found = re.findall(r'tensor<([0-9x]+)xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "([^"]+)"', text)
    return {name: [int(size) for size in shape.split("x")] for shape, name in found}


def test_every_parameter_is_there_in_its_shape(shown):
    graph = parameters_of_graph()
    assert graph
    of_names = {one["name"]: one for one in shown[2]["parameters"]}
    assert len(graph) == sum(one["count"] for one in of_names.values())
    for name, shape in graph.items():
        assert of_names[re.sub(r"\.\d+\.", ".*.", name)]["shape"] == shape


def test_slices_of_ranks_are_the_whole_once(shown):
    data = shown[2]
    assert data["mesh"] == {"dp": 2, "tp": 2} and data["ranks"] == 4
    for one in data["parameters"]:
        if not one["shard"]:
            assert one["held_bytes"] == one["bytes"] and one["reason"]
            continue
        places = data["places"][one["shard"]["axis"]]
        assert sorted(places) == [0, 0, 1, 1]
        assert one["held_bytes"] * 2 == one["bytes"]
        assert one["held_state_bytes"] * 2 == one["state_bytes"]
    # The last axis of a mesh is the first that ranks are numbered by.
    assert data["places"]["tp"] == [0, 1, 0, 1] and data["places"]["dp"] == [0, 0, 1, 1]


def test_layers_are_divided_as_megatron_divides_them(shown):
    """Reasons and dimensions by the role of a weight, which is known beforehand."""
    expected = {"q_proj": (0, "columns of a product"), "up_proj": (0, "columns of a product"), "o_proj": (1, "rows of a product"),
                "down_proj": (1, "rows of a product"), "embed_tokens": (0, "rows of a table")}
    seen = set()
    for one in shown[2]["parameters"]:
        for part, (dim, reason) in expected.items():
            if part in one["name"]:
                assert (one["shard"]["axis"], one["shard"]["dim"], one["reason"]) == ("tp", dim, reason)
                seen.add(part)
    assert seen == set(expected)


def test_exchanges_are_those_of_the_commands(shown):
    """A row of activations is exchanged among the ranks along tp, gradients along dp."""
    exchanges = shown[2]["exchanges"]
    assert {one["axis"] for one in exchanges} == {"dp", "tp"}
    assert all(one["received_bytes"] > 0 for one in exchanges)
    assert {one["entry_point"] for one in exchanges} >= {"step"}
    assert {one["phase"] for one in exchanges if one["axis"] == "tp"} >= {"forward", "backward"}


def test_formats_of_what_is_sent_have_reasons(shown, folder):
    exchanges = shown[2]["exchanges"]
    assert all(one["reason"] for one in exchanges)

    def reasons(one, **of):
        return {e["reason"] for e in one if all(e[key] == value for key, value in of.items())}
    assert reasons(exchanges, dtype="f8E4M3FN", axis="tp") == {"quantized by one scale of all ranks before it is gathered"}
    assert "the format in which terms of the sum are stored" in reasons(exchanges, axis="tp", phase="forward")
    assert reasons(exchanges, op="all_to_all", axis="dp") == {"the format in which the gradient is computed"}
    assert "the largest of all ranks is of these" in reasons(exchanges)
    module = compile_step(folder, "--mesh=dp=2", "--exchange-wire=fp8")
    text = subprocess.run([RUN, module, "--placements"], check=True, capture_output=True, text=True).stdout
    assert re.search(r"all_to_all  dp  f8E4M3FN  .*; asked for by --exchange-wire=fp8$", text, re.MULTILINE), text
    assert "it has no whole blocks for --exchange-wire=fp8" in text


def test_text_and_page_say_the_same(shown, browser):
    text, page, data = shown
    assert text.startswith("4 ranks (dp=2,tp=2); each holds ")
    browser.get(f"file://{page}")
    rows = browser.find_elements(By.CSS_SELECTOR, "#parameters tr")[1:]
    assert len(rows) == len(data["parameters"])
    for row, one in zip(rows, data["parameters"]):
        assert row.find_elements(By.TAG_NAME, "td")[-1].text == one["reason"]
        assert f"{one['name']} {one['dtype']}[" in text
    assert len(browser.find_elements(By.CSS_SELECTOR, "#exchanges tr")) - 1 == len(data["exchanges"])
    log = browser.get_log("browser")
    assert not [entry for entry in log if entry["level"] == "SEVERE"], log


def test_a_box_is_colored_where_its_rank_has_rows(shown, browser):
    browser.get(f"file://{shown[1]}")
    divided = next(i for i, one in enumerate(shown[2]["parameters"]) if one["shard"] and one["shard"]["axis"] == "tp")
    boxes = browser.find_elements(By.CSS_SELECTOR, "#parameters tr")[1 + divided].find_elements(By.CSS_SELECTOR, ".rank")
    assert len(boxes) == 4
    places = [box.find_element(By.CSS_SELECTOR, ".slice").rect["x"] - box.rect["x"] > box.rect["width"] / 4 for box in boxes]
    assert places == [False, True, False, True]


def test_it_stands_alone(shown):
    check_stands_alone(shown[1].read_text())


def test_parts_of_a_fused_projection(folder, browser):
    """GPT-2 has one product for queries, keys and values: a rank has a slice of each."""
    page = folder / "parts.html"
    done = subprocess.run([RUN, compile_step(folder, "--mesh=tp=2", model="gpt2"), "--placements", "--placements-html", page], check=True,
                          capture_output=True, text=True)
    assert ", of each of 3 parts; columns of a product" in done.stdout
    browser.get(f"file://{page}")
    row = next(row for row in browser.find_elements(By.CSS_SELECTOR, "#parameters tr") if "c_attn.weight" in row.text)
    for rank, box in enumerate(row.find_elements(By.CSS_SELECTOR, ".rank")):
        starts = [(piece.rect["x"] - box.rect["x"]) / box.rect["width"] for piece in box.find_elements(By.CSS_SELECTOR, ".slice")]
        assert starts == pytest.approx([rank / 6, 2 / 6 + rank / 6, 4 / 6 + rank / 6], abs=0.02)


@pytest.mark.parametrize("options,message", [
    (["--placements"], "--placements is of a module for several ranks, but '.*' was compiled without --mesh"),
    (["--placements-html", "a.html"], "--placements-html requires --placements")])
def test_refused(folder, options, message):
    done = subprocess.run([RUN, compile_step(folder), *options], capture_output=True, text=True, cwd=folder)
    assert done.returncode != 0 and re.search(message, done.stderr), done.stderr
    assert not (folder / "a.html").exists()


def test_a_page_is_not_written_over_the_module(folder):
    module = compile_step(folder, "--mesh=dp=2")
    before = module.read_bytes()
    done = subprocess.run([RUN, module, "--placements", "--placements-html", module], capture_output=True, text=True)
    assert done.returncode != 0 and "must be written to a file of its own" in done.stderr
    assert module.read_bytes() == before
