# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one exception that importing raises for what the user can change."""


class ImportFailure(ValueError):
    """A rule that the model, optimizer or batch breaks; the message is one line unless it lists several breaches."""
