# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec.compile: a training step of the user's own model and optimizer, compiled and run in their process.
docs/Compiling.md
describes it for users; here is who does what:

    front.py       prec.compile: reads its arguments, puts the parts together
    program.py     imports, compiles (tools.py, cache.py) and opens the step of one shape of batches
    inputs.py      the tensors of a batch by name, as the compiled step takes them
    shapes.py      which program runs a batch, and how a batch is completed to its shape
    padding.py     whether completing changes the loss, by trying it
    weights.py     the model's parameters and buffers as views of the program's state, and what changes from outside
    optimizer.py   the optimizer's options and states, both ways
    filling.py     hooks that fill tensors of the model that are no views
    beside.py      which open steps have tensors in common
    fixed.py       what else forward follows from, which must stay as it is
    gradients.py   what reading a gradient gives
    step.py        the object that the user calls
    reports.py     what it says of itself
    memory.py      PyTorch's allocator as that of a program on a GPU
    private.py     everything of PyTorch that is not its public interface
"""
