# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which forward graphs have which format in which class, from the maps that prec-opt wrote: same_map.py MAP..."""
import json
import pathlib
import sys

found = {}
names = [pathlib.Path(name).stem for name in sys.argv[1:]]
for name, file in zip(names, sys.argv[1:]):
    function = json.loads(pathlib.Path(file).read_text())["functions"][0]
    facts = set()
    for operation in function["operations"]:
        if operation["phase"] != "forward":
            continue
        # Statistics beside the result are apart; so are terms of longer sums, which are not stored.
        if operation["class"] in ("contraction", "attention", "head", "residual", "norm", "softmax"):
            facts.update((operation["class"], "stores", result["format"]) for result in operation["results"][:1] if result["stored"])
        if operation["class"] in ("contraction", "attention", "head"):
            facts.update((operation["class"], "reads", use["format"]) for use in operation["reads"])
    for fact in facts:
        found.setdefault(fact, []).append(name)
for fact, graphs in sorted(found.items()):
    print(*fact, "in", *graphs)
