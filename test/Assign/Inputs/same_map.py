"""Says which forward graphs have which format in which class, from the maps that prec-opt wrote: same_map.py MAP..."""
import json
import pathlib
import sys

found = {}
names = [pathlib.Path(name).stem for name in sys.argv[1:]]
for name, file in zip(names, sys.argv[1:]):
    function = json.loads(pathlib.Path(file).read_text())["functions"][0]
    facts = set()
    for value in function["values"]:
        # Statistics beside the result are apart; so are terms of longer sums, which are not stored.
        if value.get("phase") == "forward" and value["result"] == 0 and value["stored"] and \
                value["class"] in ("contraction", "attention", "head", "residual", "norm", "softmax"):
            facts.add((value["class"], "stores", value["format"]))
    for use in function["uses"]:
        if use["phase"] != "forward" or use["class"] not in ("contraction", "attention", "head"):
            continue
        facts.add((use["class"], "reads", use["format"]))
    for fact in facts:
        found.setdefault(fact, []).append(name)
for fact, graphs in sorted(found.items()):
    print(*fact, "in", *graphs)
