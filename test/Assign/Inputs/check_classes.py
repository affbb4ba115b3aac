# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares prec.class with what was expected; reads the generic form of a module."""
import re
import sys

checked, wrong = {}, 0
for line in sys.stdin:
    expected = re.search(r'expect = "([a-z ]+)"', line)
    if not expected:
        continue
    found = re.search(r"prec\.class = #prec\.class<(\w+)>", line)
    found = found[1] if found else "none"
    checked[found] = checked.get(found, 0) + 1
    if found not in expected[1].split():
        wrong += 1
        print(f"expected {expected[1]}, but got {found}: {line.strip()[:300]}")
print(f"{sum(checked.values())} classes, {wrong} wrong:", " ".join(f"{name} {count}" for name, count in sorted(checked.items())))
