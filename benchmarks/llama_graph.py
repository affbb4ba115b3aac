# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of Hugging Face's Llama in any size, without memory for its weights."""
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def import_llama(model: dict, layers: int, batch: int, sequence: int, graph: str) -> dict:
    """Imports and writes the graph of a training step; seconds of CPU that this took, and its operations."""
    sys.path.insert(0, str(ROOT / "python"))
    import torch
    import transformers

    import prec

    with prec.weightless():
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(num_hidden_layers=layers, **model))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ids = torch.zeros(batch, sequence, dtype=torch.int64)
    start = time.process_time()
    step = prec.import_torch(model, optimizer, {"input_ids": ids, "labels": ids}, clip_grad_norm=1.0)
    step.write(graph)
    return {"seconds": time.process_time() - start, "ops": len(step.graph.ops)}
