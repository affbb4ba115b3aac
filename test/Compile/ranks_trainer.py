# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank, or a process alone that takes two micro-batches a step, of test_ranks.py: a training by
prec.transformers.Trainer in two parts, the second of which resumes: ranks_trainer.py FOLDER NAME. Writes what it saw to
FOLDER/NAME.RANK.pt."""
import os
import pathlib
import sys

import torch
from test_trainer import Rows, arguments, model

from prec import transformers as own

folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]
rank, size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
torch.set_num_threads(1)
args = {"gradient_accumulation_steps": 2 // size, "eval_strategy": "steps", "eval_steps": 2, "save_strategy": "steps", "save_steps": 2}
seen = {}
for part, steps in (("first", 2), ("second", 4)):
    m = model()
    trainer = own.Trainer(model=m, args=arguments(folder / name, **args, max_steps=steps, lr_scheduler_type="constant"), train_dataset=Rows(32),
                          eval_dataset=Rows(8), recipe="fp32",
                          compile_options={"mesh": "dp", "cache": folder / "cache", "verify": False, "threads": 1, "log": lambda line: None})
    trainer.train(resume_from_checkpoint=part == "second")
    step = trainer.step
    step.sync()
    seen[part] = {"losses": [entry["loss"] for entry in trainer.state.log_history if "loss" in entry],
                  "eval": [entry["eval_loss"] for entry in trainer.state.log_history if "eval_loss" in entry],
                  "model": {key: value.clone() for key, value in m.state_dict().items()}}
    step.close()
    del trainer, step
torch.save(seen, folder / f"{name}.{rank}.pt")
