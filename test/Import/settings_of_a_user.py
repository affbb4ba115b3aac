# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A user's module with globals that others count in."""
CALLS = 0


def count():
    global CALLS
    CALLS += 1
    return CALLS
