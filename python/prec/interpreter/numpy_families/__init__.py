# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the backend of NumPy, a file a family (families.py)."""
