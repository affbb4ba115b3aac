# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.istft without reading a value: PyTorch's own asks whether the sum of squared windows is zero anywhere. Each
frame is transformed back and multiplied by the window, frames are added up where they overlap, and the sum is divided
by that of the squared windows. Where the latter is zero, at which PyTorch raises, the result is not finite."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor | None:
    """Of spectra [B, F, T] or [F, T] the signals [B, length] or [length]. None where the call is left to PyTorch."""
    win_length = n_fft if win_length is None else win_length
    hop = win_length // 4 if hop_length is None else hop_length
    frequencies = n_fft // 2 + 1
    if return_complex or onesided is False or not input.is_complex() or input.dim() not in (2, 3) or input.shape[-2] != frequencies:
        return None
    if not 0 < hop <= win_length <= n_fft or window is not None and (window.is_complex() or window.shape != (win_length,)):
        return None
    spectra = input if input.dim() == 3 else input[None]
    if window is None:
        window = torch.ones(win_length, dtype=input.real.dtype, device=input.device)
    left = (n_fft - win_length) // 2
    window = F.pad(window, (left, n_fft - win_length - left))
    frames = torch.fft.irfft(spectra.mT, n=n_fft, dim=-1, norm="ortho" if normalized else "backward")
    size = n_fft + hop * (frames.shape[1] - 1)

    def added(rows: Tensor) -> Tensor:
        """Frames [B, T, n_fft], each `hop` behind the last: their sum [B, size]."""
        return F.fold(rows.mT, (1, size), (1, n_fft), stride=(1, hop))[:, 0, 0]

    squares = added((window * window).expand(1, frames.shape[1], n_fft))
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else size - start
    signal = (added(frames * window) / torch.where(_is_outside(size, start, end, squares), 1.0, squares))[:, start:end]
    if end > size:
        signal = F.pad(signal, (0, end - size))
    return signal if input.dim() == 3 else signal[0]


def _is_outside(size: int, start: int, end: int, like: Tensor) -> Tensor:
    """Of places in front of the signal and behind it, which are cut off: windows may be zero there."""
    place = torch.arange(size, device=like.device)
    return (place < start) | (place >= end)
