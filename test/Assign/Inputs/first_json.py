# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the first JSON block of a Markdown file, or the first of a kind (```json KIND)."""
import re
import sys

kind = f" {sys.argv[2]}" if len(sys.argv) > 2 else ""
print(re.search(rf"```json{kind}\n(.*?)```", open(sys.argv[1]).read(), re.S)[1])
