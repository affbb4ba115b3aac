# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists, for every operation in order, its name, class and formats."""
import re
import sys

count = 0
for line in open(sys.argv[1]):
    match = re.match(r"\s*%\S+ = \"?(\w+\.\w+)", line)
    if not match:
        continue
    tensor_class = re.search(r"prec\.class<(\w+)>", line)
    formats = re.findall(r"(operand_tags|result_tags|tag<\w+)", line)
    print(match[1], tensor_class[1] if tensor_class else "-", *formats)
    count += 1
assert count > 100, "not a graph of tags"
