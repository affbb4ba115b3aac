# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said of the memory of a step with a mesh is of one rank: the table before anything is compiled, the report of
the module, the placements that prec-run prints, and the arena that the module asks for."""
import json
import subprocess

import pytest


@pytest.mark.parametrize(("mesh", "share"), [("dp=2,tp=2", 2)] + [
    pytest.param(*given, marks=pytest.mark.long) for given in (("dp=2", 2), ("tp=2", 2), ("dp=4", 4))])
def test_tables_are_of_one_rank(tool, mesh, share, tmp_path):
    table, report, module = (tmp_path / name for name in ("table.json", "report.json", "step.so"))
    subprocess.run([tool("prec-compile"), "examples/llama_tiny.mlir", "--recipe=fp8-hybrid", "--target=cpu", f"--mesh={mesh}",
                    f"--assign=memory-file={table}", f"--memory-report={report}", "-o", module], check=True, capture_output=True)
    memory = json.loads(table.read_text())["functions"][0]["memory"]
    rows = {kind: sum(row["peak_bytes"] for row in memory["rows"] if row["what"] == kind) for kind in ("masters", "moments")}
    written = json.loads(report.read_text())
    held = {kind: sum(one["bytes"] for one in written["residents"] if one["what"] == kind) for kind in ("parameters", "optimizer state")}
    printed = tmp_path / "placements.html"
    subprocess.run([tool("prec-run"), module, "--placements", "--placements-html", printed], check=True, capture_output=True)
    data = json.loads(printed.read_text().split('id="data">')[1].split("</script>")[0])
    assert rows["masters"] == held["parameters"] == sum(one["held_bytes"] for one in data["parameters"])
    assert rows["moments"] == held["optimizer state"] == sum(one["held_state_bytes"] for one in data["parameters"])
    whole = sum(one["bytes"] for one in data["parameters"])
    # Norms that tensor parallelism keeps whole.
    assert whole / share <= rows["masters"] <= whole / share * 1.01
    # Everything of a rank lies in its arena, each at a multiple of 256 bytes.
    state = [one for one in written["residents"] if one["segment"] == "state"]
    assert written["segments"]["state"] == max(-(-(one["offset"] + one["bytes"]) // 256) * 256 for one in state)
    assert sum(one["bytes"] for one in state) <= written["segments"]["state"] <= sum(one["bytes"] + 255 for one in state)
