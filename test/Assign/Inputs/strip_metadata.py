# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drops what a graph of another importer would not have.

Usage: strip_metadata.py GRAPH [--roles]: names, phases, links and locations;
with --roles the roles of arguments and results, too."""
import re
import sys

text = open(sys.argv[1]).read()
names = ["path", "phase", "seq", "source_dtype", "param_of", "slot", "framework", "model", "aliases", "verified", "padding"]
if "--roles" in sys.argv:
    names += ["role", "donated_to", "default", "vocabulary", "ignore_index", "shift", "initial"]
value = r'(#prec_train\.\w+<\w+>|"[^"]*"|\[[^\]]*\]|dense<[^>]*> : tensor<[^>]*>|true|[-\d.e]+ : \w+)'
attribute = re.compile(rf"prec_train\.({'|'.join(names)}) = {value}(, )?")
text = attribute.sub("", text)
text = re.sub(r",\s*}", "}", text)
text = re.sub(r" \{\s*\}", "", text)
text = re.sub(r"^module attributes *\{", "module {", text)
text = re.sub(r'loc\("[^"]*"\)', "", text)
assert not attribute.search(text)
sys.stdout.write(text)
