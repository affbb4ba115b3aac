# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads remarks of choose=cost from stdin: what is chosen must take no longer than the recipe everywhere or each
contraction for itself."""
import re
import sys

TIME = r"([\d.]+) (us|ms)"
found = re.findall(rf"products and their casts take {TIME} on .*? \(recipe everywhere {TIME}, each contraction for itself {TIME}\)", sys.stdin.read())
assert found, "no remark"
for remark in found:
    chosen, recipe, local = (float(remark[i]) * (1000 if remark[i + 1] == "ms" else 1) for i in (0, 2, 4))
    assert 0 < chosen <= recipe, f"chosen {chosen} us, recipe {recipe} us"
    assert chosen <= local, f"chosen {chosen} us, locally {local} us"
    print(f"{recipe / chosen:.3f} of the recipe, {local / chosen:.3f} of local decisions")
