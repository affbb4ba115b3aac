# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small, unmodified Hugging Face model on real text with prec, in three recipes, and lets it write.

utils/quickstart installs, builds and then runs this. What happens: prec.compile traces the model's training step,
decides a format for every tensor and compiles it, a loop in Python trains (quickstart_train.py), and the model writes
text. The other recipes are trained with commands and files: prec-import traces, prec-compile makes step modules,
prec-run trains with them. All read the same batches in the same order.
"""
import json
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import time

import numpy as np
from quickstart_options import HERE, RECIPES, QuickstartFailure, check_text, parse

TOOLS = ("prec-opt", "prec-compile", "prec-run")


def say(text):
    print(f"\n\033[1m== {text}\033[0m", flush=True)


def run(*command, **options):
    command = [str(word) for word in command]
    print("$", " ".join(pathlib.Path(word).name if i == 0 else word for i, word in enumerate(command)), flush=True)
    completed = subprocess.run(command, **options)
    if completed.returncode:
        raise QuickstartFailure(f"{pathlib.Path(command[0]).name} must succeed, but got exit code {completed.returncode}")
    return completed


def import_step(*words):
    """The command prec-import, in this process, where PyTorch is loaded already."""
    from prec import cli
    words = [str(word) for word in words]
    print("$ prec-import", *words, flush=True)
    if code := cli.main(words):
        raise QuickstartFailure(f"prec-import must succeed, but got exit code {code}")


def standard_library_text(limit=4 << 20):
    """Sources of the Python standard library: real text that is on every machine with Python."""
    parts, size = [], 0
    for path in sorted(pathlib.Path(sysconfig.get_path("stdlib")).glob("*.py")):
        parts.append(path.read_bytes())
        size += len(parts[-1])
        if size > limit:
            break
    return b"".join(parts)


def write_tokens(arguments):
    """Bytes as uint16 tokens: nine tenths to train on, the rest held out."""
    text = arguments.text.read_bytes() if arguments.text else standard_library_text()
    check_text(len(text))
    tokens = np.frombuffer(text, np.uint8).astype("<u2")
    cut = len(tokens) * 9 // 10
    tokens[:cut].tofile(arguments.out / "train.bin")
    tokens[cut:].tofile(arguments.out / "heldout.bin")
    return len(tokens)


def recipe_name(recipe):
    """What files of a recipe are called: its own name, or that of its file."""
    return pathlib.Path(recipe).stem if recipe.endswith(".json") else recipe


def recipe_option(option, recipe):
    return f"{option}{'-file' if recipe.endswith('.json') else ''}={recipe}"


def train(arguments, tool, recipe):
    """Compiles and trains in one recipe; returns its metrics, one dictionary a line."""
    name = recipe_name(recipe)
    module, metrics = arguments.out / f"{name}.so", arguments.out / f"{name}.jsonl"
    cuda = arguments.build / "cuda"
    ptxas = ["--ptxas", cuda / "bin/ptxas"] if arguments.target != "cpu" and (cuda / "bin/ptxas").is_file() else []
    libraries = ["--cuda-libraries", cuda] if (cuda / "lib").is_dir() else []
    run(tool("prec-compile"), arguments.out / "graph.mlir", recipe_option("--recipe", recipe), f"--target={arguments.target}",
        "-o", module, *ptxas)
    run(tool("prec-run"), module, "--weights", arguments.out / "weights.safetensors", "--tokens", arguments.out / "train.bin",
        "--eval-tokens", arguments.out / "heldout.bin", "--eval-batches", 8, "--steps", arguments.steps, "--lr-schedule", "cosine",
        "--shuffle", 0, "--warmup", min(20, arguments.steps), "--metrics", metrics, "--save", arguments.out / f"{name}-checkpoint", *libraries)
    return [json.loads(line) for line in metrics.read_text().splitlines()]


def train_in_python(arguments):
    """Compiles and trains the recipe that was asked for, without files; returns its metrics and the trained model."""
    import quickstart_model
    import transformers
    from quickstart_train import train

    import prec
    transformers.logging.set_verbosity_error()
    say(f"1. compile in Python: the training step of a Hugging Face {arguments.model}, AdamW and gradient clipping, unmodified")
    rows, length = quickstart_model.BATCH, quickstart_model.SEQUENCE
    model, optimizer, _, options = getattr(quickstart_model, arguments.model)()
    data = prec.TokenDataset(arguments.out / "train.bin", length, seed=0)
    heldout = prec.TokenDataset(arguments.out / "heldout.bin", length, seed=None)
    print(f'step = prec.compile(model, optimizer, data.first({rows}), recipe="{arguments.recipe}", clip_grad_norm=1.0)', flush=True)
    step = prec.compile(model, optimizer, data.first(rows), recipe=arguments.recipe, target=arguments.target,
                        cache=arguments.out / "cache", **options)
    print(step.precision())
    say(f"2. train: for batch in data.batches({rows}): loss = step(batch)")
    return train(step, optimizer, data, heldout, rows, arguments.steps), model


def plot(arguments, runs):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(7, 4))
    for recipe, lines in runs.items():
        steps = [(line["step"], line["loss"]) for line in lines if "loss" in line]
        curve, = axes.plot(*zip(*steps), linewidth=0.8, alpha=0.6)
        held = [(line["step"], line["eval_loss"]) for line in lines if "eval_loss" in line]
        axes.plot(*zip(*held), "o", color=curve.get_color(), label=f"{recipe}, held out")
    axes.set(xlabel="step", ylabel="loss (nats a byte)", title=f"{arguments.model}, {arguments.target}")
    axes.legend()
    figure.tight_layout()
    figure.savefig(arguments.out / "loss.png", dpi=120)


def print_table(runs):
    print(f"{'recipe':<12}{'held out before':>16}{'after':>9}{'vs fp32':>10}{'tokens/s':>11}")
    held = {recipe: [line["eval_loss"] for line in lines if "eval_loss" in line] for recipe, lines in runs.items()}
    for recipe, lines in runs.items():
        speed = np.median([line["tokens_per_second"] for line in lines if "tokens_per_second" in line])
        change = held[recipe][-1] / held["fp32"][-1] - 1
        print(f"{recipe:<12}{held[recipe][0]:>16.4f}{held[recipe][-1]:>9.4f}{change:>+10.2%}{speed:>11,.0f}")


def load_trained(arguments):
    """The trained masters in the user's own model, by the framework's own names."""
    import quickstart_model
    import transformers
    from safetensors.torch import load_file
    transformers.logging.set_verbosity_error()
    checkpoint = arguments.out / f"{recipe_name(arguments.recipe)}-checkpoint"
    index = json.loads((checkpoint / "model.safetensors.index.json").read_text())
    (weights,) = {checkpoint / name for name in index["weight_map"].values()}
    config = getattr(quickstart_model, f"{arguments.model}_config")()
    model = transformers.AutoModelForCausalLM.from_config(config)
    missing, unexpected = model.load_state_dict(load_file(weights), strict=False)
    tied = {"lm_head.weight"}
    if unexpected or set(missing) - tied:
        raise QuickstartFailure(f"the weights must be the model's, but got missing {missing}, unexpected {unexpected}")
    model.tie_weights()
    return model


def generate(model, length=200):
    import torch
    torch.manual_seed(0)
    prompt = torch.tensor([list(b"def ")])
    written = model.eval().generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=length, do_sample=True,
                                    temperature=0.7, pad_token_id=0, eos_token_id=None)
    return bytes(written[0].tolist()).decode(errors="replace")


def find_tools(build):
    """Path of each tool by its name."""
    found = {name: next(build.rglob(f"bin/{name}"), None) or next(build.rglob(name), None) for name in TOOLS}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        raise QuickstartFailure(f"the build must hold {', '.join(missing)}, but got {build}")
    return found.__getitem__


def refuse_recipe(arguments, tool):
    """Compiles a committed step first: not every recipe can be compiled yet, and training the model would tell late."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([str(tool("prec-compile")), str(HERE / "llama_tiny.mlir"), recipe_option("--recipe", arguments.recipe),
                               f"--target={arguments.target}", "-o", f"{folder}/step.so"], capture_output=True, text=True)
    if done.returncode:
        said = next((line for line in done.stderr.splitlines() if "error: " in line), f"exit code {done.returncode}")
        # A place in the recipe is of use, one in the committed step is not.
        if not said.startswith(f"{arguments.recipe}:"):
            said = said.partition("error: ")[2] or said
        raise QuickstartFailure(f"the recipe must compile for {arguments.target}, but got {arguments.recipe}: {said}")


def main():
    try:
        follow(parse())
    except (QuickstartFailure, OSError) as failure:
        print(f"quickstart: error: {failure}", file=sys.stderr)
        return 1
    return 0


def follow(arguments):
    tool = find_tools(arguments.build)
    refuse_recipe(arguments, tool)
    arguments.out.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    count = write_tokens(arguments)
    runs, model = {}, None
    # The PyTorch that the quickstart installs sees no GPU; prec-run does.
    if arguments.target == "cpu":
        runs[recipe_name(arguments.recipe)], model = train_in_python(arguments)
    recipes = [recipe for recipe in dict.fromkeys((arguments.recipe, *RECIPES)) if recipe_name(recipe) not in runs]

    say(f"3. with commands and files, in {', '.join(recipes)}: {count:,} bytes of text, {arguments.steps} steps each")
    import_step(f"{HERE / 'quickstart_model.py'}:{arguments.model}", "-o", arguments.out / "graph.mlir",
                "--weights", arguments.out / "weights.safetensors")
    if model is None:
        run(tool("prec-opt"), arguments.out / "graph.mlir", "--prec-raise-composites",
            f"--assign-precision={recipe_option('recipe', arguments.recipe)} target={arguments.target} summary=true", "-o",
            arguments.out / "assigned.mlir")
    runs |= {recipe_name(recipe): train(arguments, tool, recipe) for recipe in recipes}

    say("4. held-out loss")
    print_table(runs)
    plot(arguments, runs)
    print(f"plot: {arguments.out / 'loss.png'}")

    say(f"5. the trained model writes 200 characters ({arguments.recipe})")
    print(generate(model if model is not None else load_trained(arguments)))
    print(f"\nall of it took {time.monotonic() - begin:.0f} s; files are in {arguments.out}")


if __name__ == "__main__":
    sys.exit(main())
