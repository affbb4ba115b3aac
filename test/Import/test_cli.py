# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The prec-import command: what it writes, and one line with exit code 1 for bad input."""
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file

from prec import cli

ROOT = Path(__file__).resolve().parents[2]
CONFIG = dict(model_type="llama", vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=1, num_attention_heads=2,
              num_key_value_heads=1, tie_word_embeddings=True, bos_token_id=0, eos_token_id=0)


@pytest.fixture(autouse=True)
def forget_scripts(tmp_path):
    """Scripts of one test are no modules of the next."""
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def run(*arguments, cwd):
    return subprocess.run([sys.executable, ROOT / "tools/prec-import/prec-import", *map(str, arguments)], cwd=cwd, capture_output=True, text=True)


def test_hugging_face_config(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    done = run("--hf-config", "config.json", "--batch", 2, "--seq", 8, "--lr", 0.5, "--clip", 2.0, "-o", "g.mlir", "--weights", "w.safetensors",
               cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "g.mlir").read_text()
    assert "tensor<2x8xi32>" in text and "prec_train.default = 0.5 : f64" in text and 'prec_train.path = "max_norm", prec_train.default = 2.0' in text
    weights = load_file(tmp_path / "w.safetensors")
    assert weights["model.embed_tokens.weight"].shape == (64, 32) and "lm_head.weight" not in weights
    assert all(f'prec_train.path = "{name}"' in text for name in weights)


@pytest.mark.long
def test_stored_weights(tmp_path):
    """The folder with stored weights: those, not random ones."""
    from transformers import LlamaConfig, LlamaForCausalLM
    model = LlamaForCausalLM(LlamaConfig(**{k: v for k, v in CONFIG.items() if k != "model_type"}))
    model.save_pretrained(tmp_path / "model")
    done = run("--hf-config", "model", "--batch", 2, "--seq", 8, "-o", "g.mlir", "--weights", "w.safetensors", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (load_file(tmp_path / "w.safetensors")["model.norm.weight"] == model.model.norm.weight).all()


@pytest.mark.long
def test_outputs(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    done = run("--hf-config", "config.json", "--batch", 2, "--seq", 8, "--outputs", "logits", "--outputs", "model.norm", "-o", "g.mlir", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "g.mlir").read_text()
    for name, shape in (("logits", "2x8x64"), ("model.norm", "2x8x32")):
        assert f'tensor<{shape}xf32> {{prec_train.role = #prec_train.role<metric>, prec_train.path = "{name}"}}' in text
    done = run("--hf-config", "config.json", "--batch", 2, "--seq", 8, "--outputs", "scores", "-o", "h.mlir", cwd=tmp_path)
    assert done.returncode == 1 and "'scores' is nothing: forward returns loss, logits" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("optimizer,operation,path", [
    (["sgd", "--momentum", "0.8"], "prec_train.sgd_momentum", 'prec_train.path = "momentum", prec_train.default = 0.8'),
    (["lion"], "prec_train.lion", 'prec_train.path = "beta2", prec_train.default = 0.99'),
    (["adafactor"], "prec_train.adafactor", 'prec_train.path = "eps2", prec_train.default = 0.001'),
    (["adamw", "--betas", "0.8", "0.9"], "prec_train.adamw", 'prec_train.path = "beta1", prec_train.default = 0.8')])
def test_optimizers_of_a_config(optimizer, operation, path, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    done = run("--hf-config", "config.json", "--batch", 2, "--seq", 8, "--optimizer", *optimizer, "-o", "g.mlir", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "g.mlir").read_text()
    assert f" = {operation} " in text and path in text


def test_script(tmp_path):
    (tmp_path / "step.py").write_text("import torch\ndef build():\n  m = torch.nn.Linear(4, 3)\n"
                                      "  return m, torch.optim.AdamW(m.parameters()), (torch.ones(2, 4),), {'loss': lambda y: y.square().mean()}\n")
    done = run("step.py:build", "-o", "g.mlir", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and "Linear" in done.stdout
    assert os.stat(tmp_path / "g.mlir").st_mode & 0o777 == os.stat(tmp_path / "step.py").st_mode & 0o777


BAD = {
    "no input": ([], "exactly one of"),
    "no script": (["none.py:f"], "must be a file but got none.py"),
    "no function": (["step.py:other"], "must have a function other"),
    "script fails": (["step.py:fails"], "error: step.py:2: RuntimeError: no luck\n"),
    "script fails in a library": (["step.py:inside"], "error: step.py:14: JSONDecodeError: Expecting property name"),
    "script fails at once": (["raises.py:f"], "error: raises.py:2: ZeroDivisionError: division by zero\n"),
    "script is no Python": (["syntax.py:f"], "error: syntax.py:3: SyntaxError: "),
    "script exits": (["exits.py:f"], "error: exits.py:2: SystemExit: 0\n"),
    "loss fails": (
        ["step.py:loss"],
        "error: step.py:16: the step must run on the batch but the step raised ValueError: no loss (step.py:16: raise ValueError('no loss'))\n",
    ),
    "user's forward fails": (
        ["step.py:inner"],
        "error: step.py:20: the step must run on the batch but Net raised ValueError: no forward (step.py:20: raise ValueError('no forward'))\n",
    ),
    "wrong return": (["step.py:wrong"], "must return (model, optimizer, batch[, options]) but returned int"),
    "unknown option": (
        ["step.py:option"],
        "error: the options that step.py:option returns must be a dictionary with keys of loss, "
        "clip_grad_norm, attention, verify, outputs, mask_amax, average, measure but got 'nonsense'\n",
    ),
    "options are a list": (
        ["step.py:listed"],
        "the options that step.py:listed returns must be a dictionary with keys of loss, clip_grad_norm, attention, verify, outputs, mask_amax, "
        "average, measure but got list\n",
    ),
    "no rows": (["step.py:rows"], "error: every batch entry must have at least one element but got shape [0, 4] for input: leave it out\n"),
    "forward fails": (["step.py:forward"], "the step must run on the batch but Linear raised RuntimeError: a and b must have"),
    "not json": (["--hf-config", "bad.json"], "must be a readable config.json"),
    "no model_type": (["--hf-config", "empty.json"], "must have a model_type"),
    "unknown model_type": (["--hf-config", "other.json"], "nosuchmodel"),
    "another optimizer's option": (
        ["--hf-config", "llama.json", "--optimizer", "sgd", "--betas", "0.9", "0.9"],
        "--betas must be an option of the optimizer but --optimizer is sgd",
    ),
    "unknown optimizer": (["--hf-config", "llama.json", "--optimizer", "adam"], "invalid choice: 'adam'"),
    "zero batch": (["--hf-config", "empty.json", "--batch", "0"], "at least 1 but got 0"),
    "negative clip": (["--hf-config", "empty.json", "--clip", "-1"], "positive but got -1"),
    "unknown flag": (["--nonsense"], "unrecognized arguments: --nonsense"),
    "no folder": (["step.py:fails", "--weights", "none/w"], "the folder of none/w must exist"),
    "weights of none": (["step.py:meta", "--weights", "w"], "no values"),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_writes_nothing(tmp_path, case, monkeypatch, capfd):
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "empty.json").write_text("{}")
    (tmp_path / "other.json").write_text('{"model_type": "nosuchmodel"}')
    (tmp_path / "llama.json").write_text(json.dumps(CONFIG))
    (tmp_path / "step.py").write_text(
        "import torch\n"
        "def fails(): raise RuntimeError('no luck\\nat all')\n"
        "def wrong(): return 3\n"
        "def _net(device=None):\n  m = torch.nn.Linear(4, 3, device=device)\n  return m, torch.optim.AdamW(m.parameters())\n"
        "def option(): return *_net(), (torch.ones(2, 4),), {'nonsense': 1}\n"
        "def forward(): return *_net(), (torch.ones(2, 5),)\n"
        "def meta(): return *_net('meta'), (torch.ones(2, 4),), {'loss': lambda y: y.sum()}\n"
        "def listed(): return *_net(), (torch.ones(2, 4),), [1]\n"
        "def rows(): return *_net(), (torch.ones(0, 4),), {'loss': lambda y: y.sum()}\n"
        "def inside():\n  import json\n  return json.loads('{')\n"
        "def _loss(y):\n  raise ValueError('no loss')\n"
        "def loss(): return *_net(), (torch.ones(2, 4),), {'loss': _loss}\n"
        "class Net(torch.nn.Linear):\n  def forward(self, input):\n    raise ValueError('no forward')\n"
        "def inner():\n  m = Net(4, 3)\n  return m, torch.optim.AdamW(m.parameters()), (torch.ones(2, 4),)\n")
    (tmp_path / "raises.py").write_text("x = 0\n1 / x\n")
    (tmp_path / "syntax.py").write_text("x = 0\n\nf(\n")
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(0)\n")
    arguments, message = BAD[case]
    before = set(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    # In this process: a process of its own each would load PyTorch fifteen times.
    try:
        code = cli.main([*arguments, "-o", "out.mlir"])
    except SystemExit as exit:
        code = exit.code
    done = capfd.readouterr()
    assert code == 1 and done.out == ""
    assert done.err.count("\n") == 1 and message in done.err, done.err
    assert {p for p in set(tmp_path.rglob("*")) - before if "__pycache__" not in str(p)} == set()


def test_bad_input_is_one_line_of_the_process(tmp_path):
    done = run("none.py:f", "-o", "out.mlir", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "prec-import: error: a step's script must be a file but got none.py\n")


@pytest.mark.parametrize("full", ["graph", "weights"])
def test_full_disk_keeps_the_old_files(tmp_path, monkeypatch, capfd, full):
    """A limit on the size of files stands for the disk: the weights are smaller or larger than the graph."""
    rows = 4 if full == "graph" else 4000
    (tmp_path / "step.py").write_text(f"import torch\ndef build():\n  m = torch.nn.Linear({rows}, 3)\n  y = lambda y: y.square().mean()\n"
                                      f"  return m, torch.optim.AdamW(m.parameters()), (torch.ones(2, {rows}),), {{'loss': y}}\n")
    for name in ("g.mlir", "w.safetensors"):
        (tmp_path / name).write_text("the old one")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        code = cli.main(["step.py:build", "-o", "g.mlir", *(["--weights", "w.safetensors"] if full == "weights" else [])])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    error = capfd.readouterr().err
    name = "g.mlir" if full == "graph" else "w.safetensors"
    assert code == 1 and error.count("\n") == 1 and f"{name} must be written in full but got" in error and "File too large" in error, error
    assert all((tmp_path / name).read_text() == "the old one" for name in ("g.mlir", "w.safetensors"))
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "__pycache__") == ["g.mlir", "step.py", "w.safetensors"]


def test_a_device_is_not_replaced(tmp_path, monkeypatch, capfd):
    (tmp_path / "step.py").write_text("import torch\ndef build():\n  m = torch.nn.Linear(4, 3)\n"
                                      "  return m, torch.optim.AdamW(m.parameters()), (torch.ones(2, 4),), {'loss': lambda y: y.square().mean()}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert cli.main(["step.py:build", "-o", "/dev/null"]) == 1
    assert capfd.readouterr().err == "prec-import: error: /dev/null must be a regular file but is none\n"
