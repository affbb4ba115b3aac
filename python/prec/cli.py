# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command prec-import: a model from a script or a Hugging Face config to graph.mlir and weights.safetensors."""
from __future__ import annotations

import argparse
import importlib.util
import inspect
import json
import math
import sys
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ._version import __version__
from .errors import ImportFailure

if TYPE_CHECKING:
    import torch

    # Model, optimizer, batch and options of import_torch.
    Step = tuple[torch.nn.Module, torch.optim.Optimizer, Any, dict[str, Any]]

_EXAMPLES = """\
examples:
  prec-import --hf-config config.json --batch 8 --seq 128 --clip 1.0 -o graph.mlir --weights weights.safetensors
  prec-import train.py:step -o graph.mlir
where step() of train.py returns (model, optimizer, batch) or (model, optimizer, batch, options of prec.import_torch)
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command with these words, those of the process by default; returns its exit code. What goes wrong is one
    line on stderr and 1."""
    arguments = _parser().parse_args(argv)
    try:
        print(_run(arguments))
        return 0
    except ImportFailure as error:
        message = _place(error, arguments.step) + str(error)
    except MemoryError:
        message = "out of memory"
    except (Exception, SystemExit) as error:  # Whatever a user's script or model raises is one line, too.
        # A SyntaxError's text repeats its place.
        first = (str(error.msg if isinstance(error, SyntaxError) else error).strip().splitlines() or [""])[0]
        message = _place(error, arguments.step) + type(error).__name__ + (f": {first}" if first else "")
    print(f"prec-import: error: {message}", file=sys.stderr)
    return 1


def _place(error: BaseException, step: str | None) -> str:
    """FILE:LINE: of the innermost frame in the user's script, the file spelled as given; nothing where none led to the
    error."""
    file = step.rpartition(":")[0] if step else ""
    if not file:
        return ""
    def mine(name: str | None) -> bool:
        return Path(name or "").resolve() == Path(file).resolve()
    line = None
    # What an error was made from lies deeper.
    cause: BaseException | None = error
    while cause is not None:
        for frame, number in traceback.walk_tb(cause.__traceback__):
            line = number if mine(frame.f_code.co_filename) else line
        if isinstance(cause, SyntaxError) and mine(cause.filename):
            line = cause.lineno
        cause = cause.__cause__
    return f"{file}:{line}: " if line else ""


# What may be given of each, and what it is else.
_OPTIMIZERS: dict[str, dict[str, Any]] = {
    "adamw": {"betas": (0.9, 0.95), "eps": 1e-8},
    "sgd": {"momentum": 0.9},
    "lion": {"betas": (0.9, 0.99)},
    "adafactor": {},
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # One line and exit code 1, as every other bad input.
        self.exit(1, f"prec-import: error: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="prec-import", description=__doc__, epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"prec {__version__}")
    parser.add_argument("step", nargs="?", metavar="SCRIPT.py:FUNCTION", help="function that returns (model, optimizer, batch[, options])")
    parser.add_argument("--hf-config", metavar="PATH", help="a Hugging Face config.json, or a model's folder (its weights are read if there)")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="where the graph goes")
    parser.add_argument("--weights", metavar="FILE", help="write the parameters as safetensors, too")
    parser.add_argument("--attention", choices=("composite", "keep"), help="keep: trace the attention that the model is set to")
    parser.add_argument("--clip", type=_positive, metavar="NORM", help="clip the gradient's norm (default: do not)")
    parser.add_argument("--no-verify", action="store_true", help="do not compare the graph with PyTorch by running both; the graph says so")
    parser.add_argument("--outputs", action="append", metavar="NAME",
                        help="what the module gives beside the loss: a value that the model returns (logits), or a module's path; again for more")
    parser.add_argument("--mask-amax", action="store_true", help="linear layers read zeros in rows of padding, which then decides no scale")
    parser.add_argument("--average", type=float, metavar="DECAY", help="keep an exponential moving average of the weights")
    hf = parser.add_argument_group("with --hf-config")
    hf.add_argument("--batch", type=_count, default=8, help="sequences in a batch (8)")
    hf.add_argument("--seq", type=_count, default=128, help="tokens in a sequence (128)")
    hf.add_argument("--optimizer", choices=tuple(_OPTIMIZERS), default="adamw")
    hf.add_argument("--lr", type=_positive, default=1e-3)
    hf.add_argument("--betas", type=float, nargs=2, metavar=("B1", "B2"), help="of adamw (0.9 0.95) and lion (0.9 0.99)")
    hf.add_argument("--eps", type=_positive, help="of adamw (1e-8)")
    hf.add_argument("--momentum", type=float, help="of sgd (0.9)")
    hf.add_argument("--weight-decay", type=float, default=0.1)
    hf.add_argument("--seed", type=int, default=0, help="of random weights (0)")
    hf.add_argument("--no-dropout", action="store_true", help="leave out the dropout that the config asks for")
    return parser


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be positive but got {text}")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1 but got {text}")
    return value


def _run(arguments: argparse.Namespace) -> str:
    if (arguments.step is None) == (arguments.hf_config is None):
        raise ImportFailure("exactly one of SCRIPT.py:FUNCTION and --hf-config must be given")
    for path in filter(None, (arguments.output, arguments.weights)):
        if not Path(path).resolve().parent.is_dir():
            raise ImportFailure(f"the folder of {path} must exist")
    model, optimizer, batch, options = _from_script(arguments.step) if arguments.step else _from_config(arguments)
    if arguments.clip is not None:
        options["clip_grad_norm"] = arguments.clip
    if arguments.attention:
        options["attention"] = arguments.attention
    if arguments.no_verify:
        options["verify"] = False
    if arguments.outputs is not None:
        options["outputs"] = arguments.outputs
    if arguments.mask_amax:
        options["mask_amax"] = True
    if arguments.average is not None:
        options["average"] = arguments.average
    from .torch import import_torch

    step = import_torch(model, optimizer, batch, **options)
    if arguments.weights:
        step.write_weights(arguments.weights)
    step.write(arguments.output)
    parameters = [a for a in step.graph.arguments if a.role in ("parameter", "frozen_parameter")]
    shapes = ", ".join(f"{a.path} {list(a.value.shape)}" for a in step.graph.arguments if a.role == "batch")
    size = sum(math.prod(a.value.shape) for a in parameters)
    return (f"{arguments.output}: {step.graph.model}, {len(step.graph.ops)} ops, {len(parameters)} parameters ({size:,} values), batch {shapes}\n"
            f"{step.verified}")


def _from_script(place: str) -> Step:
    file, colon, function = place.rpartition(":")
    if not colon or not function.isidentifier():
        raise ImportFailure(f"a step must be SCRIPT.py:FUNCTION but got {place}")
    if not Path(file).is_file():
        raise ImportFailure(f"a step's script must be a file but got {file}")
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None:
        raise ImportFailure(f"a step's script must be a Python file but got {file}")
    module = importlib.util.module_from_spec(spec)
    # As `python SCRIPT.py` would find its neighbors, and as pickles and dataclasses find the module.
    sys.path.insert(0, str(Path(file).resolve().parent))
    sys.modules.setdefault(spec.name, module)
    spec.loader.exec_module(module)
    build = getattr(module, function, None)
    if not callable(build):
        raise ImportFailure(f"{file} must have a function {function} but has none")
    built = build()
    if not isinstance(built, tuple) or len(built) not in (3, 4):
        raise ImportFailure(f"{place} must return (model, optimizer, batch[, options]) but returned {type(built).__name__}"
                            + (f" of {len(built)}" if isinstance(built, tuple) else ""))
    return *built[:3], _options(built[3], place) if len(built) == 4 else {}


def _options(given: object, place: str) -> dict[str, Any]:
    from .torch import import_torch

    # Those with a default: the others are what the function returns besides.
    known = [name for name, p in inspect.signature(import_torch).parameters.items() if p.default is not p.empty]
    rule = f"the options that {place} returns must be a dictionary with keys of {', '.join(known)}"
    if not isinstance(given, dict):
        raise ImportFailure(f"{rule} but got {type(given).__name__}")
    unknown = [key for key in given if key not in known]
    if unknown:
        raise ImportFailure(f"{rule} but got {', '.join(map(repr, unknown))}")
    return dict(given)


def _make_optimizer(arguments: argparse.Namespace, parameters: Iterable[torch.nn.Parameter]) -> torch.optim.Optimizer:
    import torch

    options = dict(_OPTIMIZERS[arguments.optimizer])
    for name in ("betas", "eps", "momentum"):
        given = getattr(arguments, name)
        if given is None:
            continue
        if name not in options:
            raise ImportFailure(f"--{name} must be an option of the optimizer but --optimizer is {arguments.optimizer}")
        options[name] = tuple(given) if name == "betas" else given
    if arguments.optimizer == "lion":
        try:
            from lion_pytorch import Lion
        except ImportError as error:
            raise ImportFailure("--optimizer lion must find the package lion-pytorch but it is not installed") from error
        make = Lion
    else:
        make = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD, "adafactor": torch.optim.Adafactor}[arguments.optimizer]
    return make(parameters, lr=arguments.lr, weight_decay=arguments.weight_decay, **options)


def _from_config(arguments: argparse.Namespace) -> Step:
    import torch
    import transformers

    from .torch import weightless

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    path = Path(arguments.hf_config)
    file = path / "config.json" if path.is_dir() else path
    try:
        description = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise ImportFailure(f"--hf-config must be a readable config.json or a folder with one but got {path}: {error}") from error
    if not isinstance(description, dict) or "model_type" not in description:
        raise ImportFailure(f"a Hugging Face config must have a model_type but {file} has none")
    config = transformers.AutoConfig.for_model(**description)
    torch.manual_seed(arguments.seed)
    stored = path.is_dir() and any(path.glob("*.safetensors"))
    if arguments.weights and stored:
        model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, local_files_only=True)
        model.train()
    elif arguments.weights:
        model = transformers.AutoModelForCausalLM.from_config(config)
    else:
        with weightless():
            model = transformers.AutoModelForCausalLM.from_config(config)
    if arguments.no_dropout:
        model.eval()
    optimizer = _make_optimizer(arguments, model.parameters())
    ids = torch.zeros(arguments.batch, arguments.seq, dtype=torch.int64)
    return model, optimizer, {"input_ids": ids, "labels": ids}, {}


if __name__ == "__main__":
    sys.exit(main())
