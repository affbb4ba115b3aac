# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TRL's SFTTrainer with a compiled step in the place of forward, backward, clipping and update.

    trainer = prec.trl.SFTTrainer(model=model, args=args, train_dataset=data, peft_config=config, recipe="fp8-hybrid")
    trainer.train()

The step gives what SFTTrainer logs beside the loss: how many tokens are predicted right, and the entropy of the
predictions. Both are sums over rows of logits, which the step computes where it computes the loss of these rows, so
that the logits need not be in memory as a whole.
"""
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import torch
import trl
from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

from .errors import StepFailure
from .transformers import StepMixin

_IGNORED = -100


def measure_predictions(output: Any, batch: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Of a causal language model: `predictions`, how many labels count; `right`, of how many the prediction is the
    label; `entropy`, the sum of their entropies in nats."""
    logits = output.logits
    # Each position predicts the next label, the last none: all rows stay, as in the loss of transformers.
    labels = torch.nn.functional.pad(batch["labels"], (0, 1), value=_IGNORED)[:, 1:].reshape(-1, 1)
    rows = logits.reshape(-1, logits.shape[-1]).float()
    column = torch.arange(rows.shape[1], device=rows.device)
    counted = (labels != _IGNORED).squeeze(1)
    top = rows.amax(1)
    own = torch.where(column == labels, rows, 0.0).sum(1)
    # Of several largest logits the first is the prediction.
    before = torch.where(column < labels, rows, -torch.inf).amax(1)
    shifted = rows - top.unsqueeze(1)
    weights = shifted.exp()
    total = weights.sum(1)
    entropy = total.log() - (weights * shifted).sum(1) / total
    right = counted & (own >= top) & (own > before)
    return {"predictions": counted.float().sum(), "right": right.float().sum(), "entropy": torch.where(counted, entropy, 0.0).sum()}


class SFTTrainer(StepMixin, trl.SFTTrainer):
    """trl.SFTTrainer, trained by a compiled step. A subclass of it must leave the loss alone."""

    _total_train_tokens: Any
    _metrics: Any
    _known_losses = (*StepMixin._known_losses, trl.SFTTrainer.compute_loss)
    _measure = staticmethod(measure_predictions)

    def _of_step(self, inputs: dict[str, Any]) -> dict[str, Any]:
        if self.padding_free:
            # One row of all sequences, which their positions keep apart. The rest sizes kernels of flash attention.
            return {name: inputs[name] for name in ("input_ids", "labels", "position_ids")}
        if self._is_masked:
            return inputs
        return {name: value for name, value in inputs.items() if name != "attention_mask"}

    @property
    def _is_masked(self) -> bool:
        """TRL's own collator pads at the end, with labels that do not count: a causal model sees none of that, and
        needs no mask."""
        return type(self.data_collator) is not DataCollatorForLanguageModeling or self.data_collator.return_position_ids

    def training_step(self, model: torch.nn.Module, inputs: dict[str, Any], num_items_in_batch: Any = None) -> torch.Tensor:
        with self._without_cache():
            loss = super().training_step(model, inputs, num_items_in_batch)
        self._log_step(inputs)
        return loss

    @contextlib.contextmanager
    def _without_cache(self) -> Iterator[None]:
        """As compute_loss asks forward for: transformers looks for packed documents only where no cache is kept."""
        config = self.model.config.get_text_config()
        before = config.use_cache
        config.use_cache = False
        try:
            yield
        finally:
            config.use_cache = before

    def _log_step(self, inputs: Mapping[str, Any]) -> None:
        """What compute_loss keeps for `log`: tensors, so that nothing waits for a GPU."""
        assert self._compiled is not None
        held, measured = self._metrics["train"], self._compiled.measured
        count = measured["predictions"].squeeze(0).clamp(min=1)
        held["entropy"].append(measured["entropy"].squeeze(0) / count)
        held["mean_token_accuracy"].append(measured["right"].squeeze(0) / count)
        if "attention_mask" in inputs and not self._is_masked:
            self._compiled.count_padding(inputs["attention_mask"].numel() - inputs["attention_mask"].sum())
        seen = inputs["attention_mask"].sum() if "attention_mask" in inputs else inputs["position_ids"].shape[1]
        self._total_train_tokens = self._total_train_tokens + seen
        held["num_tokens"] = [self._total_train_tokens]

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        for values in self._metrics.values():
            for name, held in values.items():
                values[name] = [float(value) for value in held]
        self._total_train_tokens = int(self._total_train_tokens)
        super().log(logs, start_time)

    def _check(self) -> None:
        super()._check()
        wrong = {
            "loss_type must be 'nll'": self.args.loss_type != "nll",
            "activation_offloading must be False": self.args.activation_offloading,
            "router_aux_loss_coef must be 0": getattr(self, "aux_loss_enabled", False),
            "use_liger_kernel must be False": self.args.use_liger_kernel,
        }
        for rule, broken in wrong.items():
            if broken:
                raise StepFailure(f"{rule} where a compiled step trains, but is another")
