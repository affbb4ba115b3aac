# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module of Lightning, with clipping and a schedule; `--prec` trains by a compiled step: one callback."""
import argparse

import lightning
import torch
from loop import GPT, get_batch


class Module(lightning.LightningModule):
    def __init__(self, steps):
        super().__init__()
        self.model, self.steps, self.losses = GPT(), steps, []

    def training_step(self, batch, index):
        loss = self.model(**batch)
        self.log("loss", loss, prog_bar=True)
        return loss

    def on_train_batch_end(self, outputs, batch, index):
        self.losses.append(outputs["loss"].item())

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, self.steps)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


def train(use_prec, steps, recipe="fp32", **options):
    torch.manual_seed(0)
    module, generator = Module(steps), torch.Generator().manual_seed(1)
    batches = torch.utils.data.DataLoader([get_batch(generator) for _ in range(steps)], batch_size=None)
    callbacks = []
    if use_prec:
        import prec
        callbacks.append(prec.lightning.CompiledStep(recipe=recipe, **options))
    trainer = lightning.Trainer(max_steps=steps, gradient_clip_val=1.0, callbacks=callbacks, logger=False, enable_checkpointing=False,
                                enable_progress_bar=False, enable_model_summary=False, accelerator="auto" if torch.cuda.is_available() else "cpu")
    trainer.fit(module, batches)
    return module.model, module.losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prec", action="store_true", help="train by a compiled step")
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    print(*(f"{i} {loss:.6f}" for i, loss in enumerate(train(arguments.prec, arguments.steps)[1])), sep="\n")
