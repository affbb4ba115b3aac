# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The quickstart's options, and whether they can be followed: nothing here needs more than Python itself, so that
utils/quickstart can ask before it installs anything.

Run as a script it prints the target of the options, or their help, or one line on stderr with exit code 1.
"""
import argparse
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Trained beside the recipe that is asked for.
RECIPES = ("bf16", "fp32")
TARGETS = ("cpu", "sm_90a")
# Twenty batches of quickstart_model, a byte a token.
LEAST_TEXT = 20 * 8 * 128


class QuickstartFailure(Exception):
    """One line: a rule, and what broke it."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise QuickstartFailure(message)


def parse(words=None):
    """Options that can be followed; raises QuickstartFailure. Writes nothing, but the help where that is asked for."""
    parser = _Parser(prog="quickstart", description="Trains a small, unmodified Hugging Face model on real text with prec, in "
                     "three recipes, and lets it write.")
    parser.add_argument("--model", choices=("llama", "gpt2"), default="llama")
    parser.add_argument("--recipe", default="fp8-hybrid",
                        help="a built-in recipe or a recipe file (*.json); trained beside " + " and ".join(RECIPES))
    parser.add_argument("--steps", type=int, default=240, help="training steps of every recipe")
    parser.add_argument("--text", type=pathlib.Path, help="text to train on (default: Python's own sources)")
    parser.add_argument("--target", choices=TARGETS, default="cpu")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out"), help="folder of everything that is written")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.steps < 1:
        raise QuickstartFailure(f"--steps must be at least 1, but got {arguments.steps}")
    _check_recipe(arguments.recipe)
    if arguments.text:
        if not arguments.text.is_file() or not os.access(arguments.text, os.R_OK):
            raise QuickstartFailure(f"--text must be a file that can be read, but got {arguments.text}")
        check_text(arguments.text.stat().st_size)
    _check_folder(arguments.out)
    return arguments


def check_text(size):
    if size < LEAST_TEXT:
        raise QuickstartFailure(f"the text must have at least {LEAST_TEXT} bytes, but got {size}")


def _check_recipe(recipe):
    if recipe.endswith(".json"):
        path = pathlib.Path(recipe)
        if not path.is_file() or not os.access(path, os.R_OK):
            raise QuickstartFailure(f"a recipe file must be a file that can be read, but got {recipe}")
        if path.stem in RECIPES:
            # Files of a run have its recipe's name.
            raise QuickstartFailure(f"a recipe file must not have the name of a recipe that is trained beside it, but got {recipe}")
        return
    known = sorted(path.stem for path in (HERE.parent / "recipes").glob("*.json"))
    if recipe not in known:
        raise QuickstartFailure(f"--recipe must be one of {', '.join(known)} or a recipe file (*.json), but got {recipe}")


def _check_folder(out):
    """Its nearest ancestor that is there must be a folder to write into."""
    there = out.absolute()
    while not os.path.lexists(there):
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise QuickstartFailure(f"--out must be a folder that can be made and written, but got {out}")


def main():
    try:
        print(parse().target)
    except QuickstartFailure as failure:
        print(f"quickstart: error: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
