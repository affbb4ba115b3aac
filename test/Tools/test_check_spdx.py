# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/check-spdx names each source without its license, and nothing else."""
import shutil
import subprocess

from conftest import ROOT

LICENSE = "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"


def test_sources_without_license(tmp_path):
    files = {"a.py": LICENSE, "b.py": '"""Nothing."""\n', "script": "#!/usr/bin/env bash\n" + LICENSE, "other": "#!/bin/sh\n", "data": "1\n",
             "c.sh": "# One.\n# Two.\n# Three.\n" + LICENSE, "CMakeLists.txt": LICENSE, "lib/CMakeLists.txt": "project(x)\n", "d.json": "{}\n"}
    (tmp_path / "utils").mkdir()
    shutil.copy(ROOT / "utils/check-spdx", tmp_path / "utils")
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    result = subprocess.run([tmp_path / "utils/check-spdx"], capture_output=True, text=True)
    assert result.returncode == 1
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == ["b.py", "c.sh", "lib/CMakeLists.txt", "other"]
    assert "must have 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' in its first three lines, but has none" in result.stdout
