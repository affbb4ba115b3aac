# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lightning's Trainer with a compiled step: logs, accumulation, evaluation, checkpoints, and what is refused."""
import pytest
import torch
from small import Bigram, assert_same_weights, tokens

import prec

lightning = pytest.importorskip("lightning")


class Module(lightning.LightningModule):
    def __init__(self, kind=Bigram):
        super().__init__()
        torch.manual_seed(0)
        self.model, self.seen = kind(), []

    def training_step(self, batch, batch_idx):
        loss = self.model(**batch)
        self.log("loss", loss)
        self.log_dict({"double": loss.detach() * 2, "constant": 3.0})
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("validated", self.model(**batch))

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.seen.append(outputs["loss"].item())

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-2)
        return [optimizer], [{"scheduler": torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9), "interval": "step"}]


@pytest.fixture
def fit(cache, tmp_path):
    def run(callbacks=(), module=None, resume=None, batches=8, seed=1, **options):
        module = Module() if module is None else module
        trainer = lightning.Trainer(**{"max_epochs": 1, "logger": False, "enable_checkpointing": False, "enable_progress_bar": False,
                                       "enable_model_summary": False, "accelerator": "cpu", "callbacks": list(callbacks),
                                       "default_root_dir": tmp_path, "num_sanity_val_steps": 0} | options)
        loader = torch.utils.data.DataLoader(list(tokens(batches, seed=seed)), batch_size=None)
        trainer.fit(module, loader, torch.utils.data.DataLoader(list(tokens(2, seed=9)), batch_size=None), ckpt_path=resume, weights_only=False)
        return module, trainer
    return run


@pytest.fixture
def compiled_step(cache):
    return lambda **options: prec.lightning.CompiledStep(**{"recipe": "fp32", "cache": cache, "verify": False, "threads": 1,
                                                            "log": lambda line: None} | options)


@pytest.mark.cases(1)
@pytest.mark.filterwarnings("ignore:.*does not have many workers")
@pytest.mark.parametrize("options", [{"gradient_clip_val": 0.5}, {"accumulate_grad_batches": 2}], ids=["clipped", "accumulated"])
def test_a_fit_is_lightnings(options, fit, compiled_step):
    a, trainer = fit(**options)
    with pytest.warns(UserWarning, match="training_step logs constant, which a compiled step leaves out"):
        b, other = fit([compiled_step()], **options)
    assert b.seen == pytest.approx(a.seen, rel=2e-5)
    assert_same_weights(a, b, rtol=1e-3, atol=1e-5)
    assert other.global_step == trainer.global_step and other.lr_scheduler_configs[0].scheduler.get_last_lr() == \
        trainer.lr_scheduler_configs[0].scheduler.get_last_lr()
    for name in ("loss", "double", "validated"):
        assert other.logged_metrics[name] == pytest.approx(trainer.logged_metrics[name].item(), rel=1e-4), name
    # The module is its own again.
    assert not {"training_step", "backward", "optimizer_step"} & vars(b).keys()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.long
def test_a_resumed_fit_has_the_same_bits(fit, compiled_step, tmp_path):
    straight, _ = fit([compiled_step()], module=Module(lambda: Bigram(dropout=0.1)), max_epochs=2)
    _, trainer = fit([compiled_step(), lightning.pytorch.callbacks.ModelCheckpoint(tmp_path, save_last=True)],
                     module=Module(lambda: Bigram(dropout=0.1)), enable_checkpointing=True)
    resumed, _ = fit([compiled_step()], module=Module(lambda: Bigram(dropout=0.1)), max_epochs=2, resume=tmp_path / "last.ckpt")
    assert resumed.seen == straight.seen[-len(resumed.seen):] and len(resumed.seen) == 8
    assert_same_weights(straight, resumed, rtol=0, atol=0)


class Manual(Module):
    automatic_optimization = False


class Clips(Module):
    def configure_gradient_clipping(self, *arguments, **others):
        pass


class ReadsTrainer(Module):
    def training_step(self, batch, batch_idx):
        return self.model(**batch) * (1 + self.trainer.global_step)


class TwoOptimizers(Module):
    def configure_optimizers(self):
        return [torch.optim.SGD(self.model.hidden.parameters()), torch.optim.SGD(self.model.head.parameters())]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind, options, error, message", [
    (Clips, {}, prec.StepFailure, "configure_gradient_clipping must be LightningModule's"),
    (ReadsTrainer, {}, prec.ImportFailure, "not attached to a `Trainer`"),
    (Module, {"precision": "bf16-mixed"}, prec.StepFailure, "precision must be 32-true or bf16-true"),
    (Module, {"gradient_clip_val": 1.0, "gradient_clip_algorithm": "value"}, prec.StepFailure, "gradient_clip_algorithm must be norm")])
def test_refused(kind, options, error, message, fit, compiled_step):
    with pytest.raises(error, match=message):
        fit([compiled_step()], module=kind(), **options)


def test_arguments_that_others_decide():
    with pytest.raises(prec.StepFailure, match="must leave clip_grad_norm to Lightning's Trainer"):
        prec.lightning.CompiledStep(clip_grad_norm=1.0)
