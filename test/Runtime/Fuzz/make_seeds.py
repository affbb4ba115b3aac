# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds of the fuzz targets of the runtime, a folder for each: make_seeds.py BUILD FOLDER

Small files of every kind, made by the runtime's own writers and the modules of its tests; the module that checkpoints
are loaded into is FOLDER/step.so.
"""
import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / path) for path in ("python", "test/tools", "test/Runtime")]

from models import bigram, perceptron  # noqa: E402
from step_module import StepModule  # noqa: E402

from prec.module import Module  # noqa: E402


def scaled() -> StepModule:
    """One weight, its moment and every scale state that has a rule of its own."""
    module = StepModule()
    module.bind("w", "parameter", "f32", [4])
    loss = module.bind("loss", "loss", "f32", [])
    states = [module.bind(name, "scale_state", "f32", []) for name in ("loss_scale", "skipped_steps", "loss_scale_good_steps", "scale")]
    module.bind("w.exp_avg", "optimizer_state", "f32", [4], parameter="w", slot="exp_avg")
    module.kernel("init", "scale", [], states, 1, "*b0 = 65536; *b1 = 0; *b2 = 0; *b3 = 1;")
    module.command("step", "fill", "zero", [], [loss], dst=loss)
    return module


def main(build: pathlib.Path, folder: pathlib.Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for kind in ("checkpoint", "index", "machine", "manifest", "module", "safetensors"):
        (folder / kind).mkdir(parents=True)
    work = folder / "work"
    work.mkdir()
    for name, module in {"bigram": bigram(), "perceptron": perceptron("bf16"), "step": scaled()}.items():
        path = module.build(work / f"{name}.so")
        shutil.copy(path, folder / "module")
        (folder / "manifest" / f"{name}.json").write_text(json.dumps(module.manifest))
    shutil.copy(work / "step.so", folder / "step.so")
    with Module(folder / "step.so", library=build / "runtime/libprec-rt.so") as module:
        module.init_random(seed=1)
        module.step()
        module.save_checkpoint(work / "ck", data_position=64)
    index = work / "ck/model.safetensors.index.json"
    files = [index, work / "ck/model-step1.safetensors", work / "ck/optimizer-step1.safetensors"]
    shutil.copy(index, folder / "index")
    for path in files[1:]:
        shutil.copy(path, folder / "safetensors")
    (folder / "checkpoint/good").write_bytes(b"".join(len(path.read_bytes()).to_bytes(4, "little") + path.read_bytes() for path in files))
    for path in (ROOT / "targets").glob("*.json"):
        shutil.copy(path, folder / "machine")
    for path in sorted((pathlib.Path(__file__).parent / "Seeds").glob("*/*")):
        shutil.copy(path, folder / path.parent.name)
    shutil.rmtree(work)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
