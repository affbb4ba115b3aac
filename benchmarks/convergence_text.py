# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text for convergence.py: documents are packed into parts where they are, and become token ids where they are read.

A part is a folder of chunks, each PPMd (or xz) of documents with a zero byte between them after 8 bytes that say how
long they are (little endian), and `part.json`, which says how many chunks there must be. Chunks are independent of each
other, so that all cores unpack them. Token ids are those of a byte-level BPE; END is between documents."""
import itertools
import json
import lzma
import multiprocessing
import os
import random
import time

import numpy as np

from loss_band import write

END = "<|endoftext|>"
ORDER, MEMORY = 6, 1 << 28
XZ = b"\xfd7zXZ\0"  # how what xz made begins
LEAST_CHUNK = 2_000_000


def compress(text):
    """The chunks of a text: one, or several of its parts where pyppmd does not give the whole back, as with some
    documents; a short part that it does not give back is packed by xz."""
    import pyppmd
    encoder = pyppmd.Ppmd7Encoder(ORDER, MEMORY)
    chunk = len(text).to_bytes(8, "little") + encoder.encode(text) + encoder.flush()
    try:
        if decompress(chunk) == text:
            return [chunk]
    except ValueError:
        pass
    cut = text.find(b"\0", len(text) // 2)
    if cut < 0 or len(text) < LEAST_CHUNK:
        return [chunk[:8] + lzma.compress(text, preset=9)]
    return [*compress(text[:cut]), *compress(text[cut + 1:])]


def decompress(data):
    import pyppmd
    size, data = int.from_bytes(data[:8], "little"), data[8:]
    text = lzma.decompress(data) if data.startswith(XZ) else pyppmd.Ppmd7Decoder(ORDER, MEMORY).decode(data, size)
    if len(text) != size:
        raise ValueError(f"a chunk must have {size} bytes, but has {len(text)}")
    return text


def chunks_of(documents, size):
    chunk, length = [], 0
    for document in documents:
        chunk.append(document)
        length += len(document) + 1
        if length >= size:
            yield b"\0".join(chunk)
            chunk, length = [], 0
    if chunk:
        yield b"\0".join(chunk)


def flat(lists):
    return itertools.chain.from_iterable(lists)


def write_part(folder, chunks):
    """Chunks and then part.json: a part with it is whole."""
    folder.mkdir(parents=True)
    chunks = list(chunks)
    for number, chunk in enumerate(chunks):
        (folder / f"{number:03}.ppmd").write_bytes(chunk)
    write(folder / "part.json", lambda partial: partial.write_text(json.dumps({"chunks": len(chunks), "sizes": [len(c) for c in chunks]}) + "\n"))


def train_tokenizer(documents, vocabulary, path):
    from tokenizers import ByteLevelBPETokenizer
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator((document.decode(errors="replace") for document in documents), vocab_size=vocabulary, special_tokens=[END],
                                  show_progress=False)
    tokenizer.save(str(path))


def take(documents, size):
    """The first documents that have so many bytes together."""
    lengths = np.cumsum([len(document) for document in documents])
    return documents[:int(np.searchsorted(lengths, size)) + 1]


def pack(options):
    documents = sorted(set(options.documents.read_bytes().split(b"\0")) - {b""})
    random.Random(0).shuffle(documents)
    held_out = take(documents, options.held_out)
    documents = documents[len(held_out):]
    sample = take(documents, options.sample)
    options.out.mkdir(parents=True, exist_ok=True)
    train_tokenizer(sample, options.vocabulary, options.out / "tokenizer.json")
    number, part, size = 0, [], 0
    with multiprocessing.Pool(os.cpu_count()) as pool:
        write_part(options.out / "held-out", flat(pool.map(compress, chunks_of(held_out, options.chunk))))
        for chunk in flat(pool.imap(compress, chunks_of(documents, options.chunk))):
            if part and size + len(chunk) > options.part_size:
                number += 1
                write_part(options.out / f"part-{number}", part)
                part, size = [], 0
            part.append(chunk)
            size += len(chunk)
    if part:
        write_part(options.out / f"part-{number + 1}", part)
    print(f"{len(documents):,} documents of {sum(map(len, documents)) / 1e6:.0f} MB in {number + 1} parts, "
          f"{len(held_out)} held out of {sum(map(len, held_out)) / 1e6:.1f} MB")
    return 0


def make_tokens(part, tokenizer, path):
    """Writes the token ids of a part; waits until it is there in full. Returns how many there are."""
    from tokenizers import Tokenizer
    while not ((part / "part.json").is_file() and tokenizer.is_file()):
        time.sleep(0.2)
    what = json.loads((part / "part.json").read_text())
    chunks = [(part / f"{number:03}.ppmd").read_bytes() for number in range(what["chunks"])]
    if [len(chunk) for chunk in chunks] != what["sizes"]:
        raise ValueError(f"{part} must have chunks of {what['sizes']} bytes, but has {[len(chunk) for chunk in chunks]}")
    with multiprocessing.get_context("spawn").Pool(min(len(chunks), os.cpu_count())) as pool:
        texts = pool.map(decompress, chunks, 1)
    encoder = Tokenizer.from_file(str(tokenizer))
    end = np.array([encoder.token_to_id(END)], "<u2")
    documents = [document.decode(errors="replace") for text in texts for document in text.split(b"\0")]
    ids = []
    for begin in range(0, len(documents), 2048):
        for encoding in encoder.encode_batch_fast(documents[begin:begin + 2048], add_special_tokens=False):
            ids += [np.array(encoding.ids, "<u2"), end]
    ids = np.concatenate(ids)
    write(path, lambda partial: ids.tofile(partial))
    return len(ids)
