# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Token ids of real text for GPT-2's vocabulary of 50,257: a byte-level BPE made from the text itself, as no tokenizer
can be downloaded.

    python benchmarks/gpt2_tokens.py --out gpt2.bin [--text FILE] [--limit BYTES]

Writes uint16 ids. Without --text: sources of the Python standard library, packages and all.
"""
import argparse
import pathlib
import sysconfig

import numpy as np
from tokenizers import ByteLevelBPETokenizer

VOCABULARY = 50257


def library_text(limit):
    parts, size = [], 0
    for path in sorted(pathlib.Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        parts.append(path.read_text(errors="replace"))
        size += len(parts[-1])
        if size > limit:
            break
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--text", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=32 << 20)
    options = parser.parse_args()
    texts = [options.text.read_text(errors="replace")] if options.text else library_text(options.limit)
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(texts, vocab_size=VOCABULARY, show_progress=False)
    ids = np.concatenate([tokenizer.encode(text).ids for text in texts])
    ids.astype("<u2").tofile(options.out)
    print(f"{sum(map(len, texts)):,} characters are {len(ids):,} tokens of {ids.max() + 1:,}")


if __name__ == "__main__":
    main()
