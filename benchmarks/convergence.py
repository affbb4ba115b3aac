# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Long trainings on real text in several precisions beside each other, one a GPU, in runs that resume.

    python benchmarks/convergence.py pack documents --out parts --vocabulary 32768                    # text in parts that can be carried
    python benchmarks/convergence.py drive FOLDER --train bf16=bf16.so:0 --train again=bf16.so:1 ...  # on the machine with the GPUs
    python benchmarks/convergence.py collect FOLDER --out convergence.json                            # at any time: what was trained so far
    python benchmarks/convergence.py summarize convergence.json --plot convergence.png

`pack` reads documents that are separated by zero bytes, removes equal ones, shuffles them by a fixed seed, takes
whole documents out as the held-out text, makes a byte-level BPE from a sample, and compresses the rest (PPMd, the
package pyppmd) into parts. FOLDER/parts is where parts arrive, one after the other, while trainings are under way;
`drive` makes token ids of each that is there in full.

Segments. All trainings go through the same segments: each is one run of prec-run that resumes from the checkpoint of
the run before and ends at a fixed step, with the held-out loss at its end and every --eval-every steps. All read the
same file of tokens in a segment. A training whose module arrives later goes through the segments behind the others.
The file is made of windows, each as long as a row, of all text that has arrived: first those that were read least
often, and of these in an order drawn by a fixed seed. Where the text is shorter than the training its windows are so
read in several epochs, each in another order. The last label of a row is the first token of another window; one label
of a row is so wasted, for all trainings alike.

The learning rate rises over --warmup steps, stays constant, and falls linearly to zero in the last fifth of all
steps. No run before needs to know when that is, so the end is found while training: as many steps as the slowest
training has time for within --seconds, at most --most-steps.

With --ranks=N each training has N processes, each with a GPU, of a module for as many (--mesh=dp=N), and trainings
follow one another, all for --most-steps: N GPUs are as busy with the slowest one as with the others.

`drive` may be stopped at any time and started again: it goes on in the segment in which it was stopped.

Exit code of `drive` 1 if a training failed, 2 if the input is unusable.
"""
import argparse
import json
import math
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

import numpy as np

from convergence_text import make_tokens, pack
from cuda_libraries import cuda_library_options
from figures import figure
from loss_band import MODELS, build, save_weights, write, write_json

RATE = 6e-4
DECAY_SHARE = 5  # the last fifth
FIRST_STEP_SECONDS = 0.25  # of a step, until a segment is measured
START_SECONDS = 6  # of a run, before its first step and behind its last
SPARE_SECONDS = 10
BLOCK = 25  # steps that a point of a kept curve is the mean of


def named_training(text):
    name, separator, rest = text.partition("=")
    module, colon, seed = rest.rpartition(":")
    if not separator or not colon or not seed.isdigit():
        raise argparse.ArgumentTypeError(f"a training must be NAME=MODULE:SEED, but got {text}")
    return {"name": name, "module": pathlib.Path(module), "seed": int(seed)}


def windows_of(paths, length):
    """All windows of token files, [windows, length], without what is left at a file's end."""
    files = [np.fromfile(path, "<u2") for path in paths]
    return np.concatenate([ids[:len(ids) // length * length].reshape(-1, length) for ids in files])


def draw_windows(counts, needed, seed):
    """Which windows a segment reads, and how often each was read then: least often read ones first."""
    random, counts, drawn = np.random.default_rng(seed), counts.copy(), []
    while needed:
        least = np.flatnonzero(counts == counts.min())
        taken = random.permutation(least)[:needed]
        counts[taken] += 1
        needed -= len(taken)
        drawn.append(taken)
    return np.concatenate(drawn), counts


def write_segment(path, windows, drawn, first, batch):
    """The token file from which a run reads the windows `drawn`. Runs read from (step * tokens of a step) modulo (the
    file's tokens - those of a batch - 1), so the file goes around: what is read first lies at `first`."""
    ids = windows[np.roll(drawn, first // windows.shape[1])].reshape(-1)
    write(path, lambda partial: np.concatenate([ids, np.resize(ids, batch + 1)]).tofile(partial))


class Drive:
    """Plans segments one after the other, and a thread for each training that goes through them. The next segment is
    planned once all trainings but late ones ended the last; a training is late whose module was not there at the start.
    """

    def __init__(self, options):
        self.options = options
        self.folder = options.folder
        self.rows, self.length = MODELS[options.model][6:]
        self.state = {"segments": [], "done": {training["name"]: 0 for training in options.train}}
        if (path := self.folder / "state.json").is_file():
            self.state = json.loads(path.read_text())
        self.begin = time.monotonic()
        self.failed, self.running, self.stopped, self.complete = set(), [], False, False
        self.changed = threading.Condition()

    @property
    def step_tokens(self):
        return self.rows * self.length * self.options.micro_batches * self.options.ranks

    def say(self, text):
        line = f"{time.monotonic() - self.begin:6.0f} s  {text}"
        print(line, flush=True)
        with (self.folder / "progress.txt").open("a") as out:
            out.write(line + "\n")

    def keep(self):
        write_json(self.folder / "state.json", self.state)

    def watch_parts(self):
        """Makes tokens of parts as they arrive, in the order of their names. A part that is unusable is left out."""
        refused = set()
        while not self.stopped:
            for part in sorted((self.folder / "parts").glob("part-*")):
                tokens = self.folder / f"{part.name}.bin"
                if tokens.exists() or part in refused or not (part / "part.json").is_file():
                    continue
                begin = time.monotonic()
                try:
                    count = make_tokens(part, self.folder / "parts" / "tokenizer.json", tokens)
                    self.say(f"{part.name}: {count:,} tokens in {time.monotonic() - begin:.0f} s")
                except Exception as error:  # The text that is there goes on being read.
                    refused.add(part)
                    self.say(f"{part.name} is left out: {error}")
            time.sleep(0.5)

    def token_files(self):
        return sorted(self.folder.glob("part-*.bin"))

    def prepare(self):
        """Initial weights of each seed, and the held-out tokens."""
        for seed in sorted({training["seed"] for training in self.options.train}):
            path = self.folder / f"weights-{seed}.safetensors"
            if not path.exists():
                write(path, lambda partial, seed=seed: save_weights(build(self.options.model, "bf16", seed, "cpu"), partial))
        held_out = self.folder / "held-out.bin"
        if not held_out.exists():
            make_tokens(self.folder / "parts" / "held-out", self.folder / "parts" / "tokenizer.json", held_out)
        self.say(f"held-out text: {held_out.stat().st_size // 2:,} tokens")
        while len(self.token_files()) < self.options.parts and not self.stopped:
            time.sleep(0.2)

    def plan(self):
        """Where the next segment begins and ends, and the steps of its decay; None if there is no further one."""
        options, segments = self.options, self.state["segments"]
        done = segments[-1]["end"] if segments else 0
        if segments and segments[-1]["decay"]:
            return None
        left = options.seconds - SPARE_SECONDS - (time.monotonic() - self.begin)
        each = segments[-1].get("seconds_a_step", FIRST_STEP_SECONDS) if segments else FIRST_STEP_SECONDS
        possible = options.most_steps - done
        if options.ranks == 1:
            possible = min(possible, int((left - 2 * START_SECONDS) / each))
        if possible <= 0:
            return None
        decay = min(possible, max(1, (done + possible) // DECAY_SHARE))
        constant = possible - decay  # steps before the decay
        wanted = options.segments[min(len(segments), len(options.segments) - 1)]
        # What would be left of a segment, if it is short, belongs to the one before.
        if constant >= options.segments[0]:
            return done, done + (wanted if constant >= wanted + options.segments[0] else constant), 0
        return done, done + possible, decay

    def begin_segment(self, begin, end, decay):
        """Writes the tokens of a segment."""
        number, files = len(self.state["segments"]), self.token_files()
        windows = windows_of(files, self.length)
        kept = self.folder / "counts.npy"
        counts = np.zeros(len(windows), np.int32)
        if kept.exists():
            before = np.load(kept)
            counts[:len(before)] = before
        tokens = (end - begin) * self.step_tokens
        drawn, counts = draw_windows(counts, tokens // self.length, number)
        write_segment(self.folder / f"segment-{number}.bin", windows, drawn, begin * self.step_tokens % tokens, self.rows * self.length)
        np.save(kept, counts)
        self.state["segments"].append({"begin": begin, "end": end, "decay": decay, "parts": [path.stem for path in files],
                                       "windows_read": [int(counts.min()), int(counts.max())], "unique_tokens": windows.size})
        self.keep()
        self.say(f"segment {number}: steps {begin + 1} to {end}, decay {decay}, {len(files)} parts, windows read {counts.min()} to "
                 f"{counts.max()} times")

    def go_through(self, training, device):
        """The thread of a training."""
        name, done = training["name"], self.state["done"]
        while not self.stopped and not training["module"].exists():
            time.sleep(0.5)
        while not self.stopped:
            with self.changed:
                self.changed.wait_for(lambda: self.stopped or self.complete or done[name] < len(self.state["segments"]))
                if self.stopped or done[name] == len(self.state["segments"]):
                    return
                number = done[name]
            begin = time.monotonic()
            ended = self.train(training, device, number)
            if self.stopped:
                return
            with self.changed:
                if ended:
                    self.end_segment(name, number, time.monotonic() - begin)
                else:
                    self.failed.add(name)
                self.changed.notify_all()
            if not ended:
                return

    def end_segment(self, name, number, seconds):
        segment = self.state["segments"][number]
        segment.setdefault("seconds", {})[name] = round(seconds, 1)
        steps = segment["end"] - segment["begin"]
        # Held-out losses are part of what a step takes; starting is not.
        segment["seconds_a_step"] = max(segment.get("seconds_a_step", 0), max(0.1 * seconds, seconds - START_SECONDS) / steps)
        self.state["done"][name] = number + 1
        self.keep()
        curves = read_metrics(self.folder / f"{name}.jsonl")
        self.say(f"  {name}: step {segment['end']}, held-out loss {curves['held_out'].get(segment['end'], math.nan):.4f}, {seconds:.0f} s")
        if min(done for other, done in self.state["done"].items() if other not in self.failed) > number:
            (self.folder / f"segment-{number}.bin").unlink(missing_ok=True)

    def train(self, training, device, number):
        """One run of prec-run; once more, from its checkpoint, if it fails. Whether it ended well."""
        options, name, segment = self.options, training["name"], self.state["segments"][number]
        checkpoint = self.folder / f"checkpoint-{name}"
        words = [options.prec_run, training["module"], "--tokens", self.folder / f"segment-{number}.bin", "--steps", segment["end"],
                 "--eval-tokens", self.folder / "held-out.bin", "--eval-every", options.eval_every, "--eval-batches", options.eval_batches,
                 "--micro-batches", options.micro_batches, "--lr", RATE, "--warmup", options.warmup,
                 "--metrics", self.folder / f"{name}.jsonl", "--save", checkpoint]
        words += ["--lr-schedule", "wsd", "--decay", segment["decay"]] if segment["decay"] else []
        words += [] if options.cpu else cuda_library_options()
        words += [] if options.cpu or options.ranks > 1 else ["--device", device]
        for _ in range(2):
            start = ["--resume", checkpoint] if checkpoint.is_dir() else ["--weights", self.folder / f"weights-{training['seed']}.safetensors"]
            with (self.folder / f"{name}.log").open("a") as log:
                runs = [subprocess.Popen(list(map(str, [*words, *start])), stdout=log, stderr=log, env=variables) for variables in self.variables()]
                self.running += runs
                code = max((run.wait() for run in runs), key=abs)
                for run in runs:
                    self.running.remove(run)
            if code == 0 or self.stopped:
                return code == 0
            self.say(f"{name}: prec-run ended with {code} in segment {number}; see {name}.log")
        return False

    def variables(self):
        """The environment of each rank of a training, as torchrun sets it."""
        if self.options.ranks == 1:
            return [None]
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        return [os.environ | {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(self.options.ranks), "MASTER_ADDR": "127.0.0.1",
                              "MASTER_PORT": str(port)} for rank in range(self.options.ranks)]

    def run_in_turn(self):
        """All segments are known before the first training."""
        while not self.stopped and (planned := self.plan()) is not None:
            self.begin_segment(*planned)
        self.complete = True
        for training in self.options.train:
            self.go_through(training, 0)
        self.say("stopped" if self.stopped else "finished")
        self.stopped = True
        return 1 if self.failed else 0

    def stop(self, *_):
        self.stopped = True
        for run in list(self.running):
            run.send_signal(signal.SIGTERM)

    def run(self):
        options, done = self.options, self.state["done"]
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)
        (self.folder / "parts").mkdir(parents=True, exist_ok=True)
        threading.Thread(target=self.watch_parts, daemon=True).start()
        self.prepare()
        if options.ranks > 1:
            return self.run_in_turn()
        on_time = [training["name"] for training in options.train if training["module"].exists()]
        runs = [threading.Thread(target=self.go_through, args=(training, device)) for device, training in enumerate(options.train)]
        for run in runs:
            run.start()
        while not self.stopped:
            ready = [name for name in on_time if name not in self.failed]
            if not ready:
                break
            if all(done[name] == len(self.state["segments"]) for name in ready):
                if (planned := self.plan()) is None:
                    break
                with self.changed:
                    self.begin_segment(*planned)
                    self.changed.notify_all()
            # Signals are handled between waits.
            with self.changed:
                self.changed.wait(0.5)
        with self.changed:
            self.complete = True
            self.changed.notify_all()
        for run in runs:
            while run.is_alive():
                run.join(0.5)
        self.say("stopped" if self.stopped else "finished")
        self.stopped = True
        return 1 if self.failed else 0


def read_metrics(path):
    """The last line of every step, as runs that were cut off leave steps twice."""
    steps, held_out = {}, {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            entry = json.loads(line)
        except ValueError:  # The line that is being written.
            continue
        if "eval_loss" in entry:
            held_out[entry["step"]] = entry["eval_loss"]
        elif "loss" in entry:
            steps[entry["step"]] = entry
    return {"steps": steps, "held_out": held_out}


def drive(options):
    if not options.prec_run.exists():
        raise ValueError(f"--prec-run must be there, but {options.prec_run} is not")
    if not any(training["module"].exists() for training in options.train):
        raise ValueError("the module of one training must be there at the start, but none is")
    return Drive(options).run()


def curve_of(entries, step_tokens):
    """A training as it is kept: means of blocks of steps, and every held-out loss."""
    steps = sorted(entries["steps"])
    losses = [entries["steps"][step]["loss"] for step in steps]
    blocks = range(0, len(steps) // BLOCK * BLOCK, BLOCK)
    return {"steps": len(steps), "tokens": max(steps, default=0) * step_tokens,
            "skipped": [step for step in steps if "skipped" in entries["steps"][step]],
            "ms": round(1e3 * statistics.median(entry["seconds"] for entry in entries["steps"].values()), 1) if steps else None,
            "losses": [round(statistics.fmean(losses[i:i + BLOCK]), 5) for i in blocks],
            "held_out": {str(step): round(loss, 5) for step, loss in sorted(entries["held_out"].items())}}


def collect(options):
    state = json.loads((options.folder / "state.json").read_text())
    step_tokens = options.step_tokens
    trainings = {path.stem: curve_of(read_metrics(path), step_tokens) for path in sorted(options.folder.glob("*.jsonl"))}
    write_json(options.out, {"gpu": options.gpu, "step_tokens": step_tokens, "block": BLOCK, "lr": RATE, "segments": state["segments"],
                             "trainings": trainings})
    return 0


def differences(report, name, reference):
    """Held-out losses of a training over another's at the same steps: {step: relative difference}."""
    ours, theirs = (report["trainings"][key]["held_out"] for key in (name, reference))
    return {int(step): ours[step] / theirs[step] - 1 for step in ours if step in theirs and step != "0"}


def summarize(options):
    report = json.loads(options.report.read_text())
    names = list(report["trainings"])
    if options.reference not in names:
        raise ValueError(f"{options.report} must have the training {options.reference}, but has {', '.join(names)}")
    late = max(map(int, report["trainings"][options.reference]["held_out"])) / 2
    # Weights of two seeds are apart by chance; the band is what they were apart at most in the second half of training.
    band = differences(report, options.again, options.reference) if options.again in names else {}
    width = max((abs(value) for step, value in band.items() if step > late), default=0)
    outside = False
    for name in names:
        training = report["trainings"][name]
        line = f"{name}: {training['tokens']:,} tokens, {training['ms']} ms a step, {len(training['skipped'])} steps skipped"
        if training["held_out"]:
            line += f", held-out loss {training['held_out'][max(training['held_out'], key=int)]:.4f}"
        if name != options.reference and (apart := differences(report, name, options.reference)):
            last = apart[max(apart)]
            second = [value for step, value in apart.items() if step > late]
            line += f", {last:+.3%} of {options.reference} at its end" + (f", {statistics.fmean(second):+.3%} in the mean of the second half"
                                                                          if second else ", no second half")
            if name != options.again:
                inside = abs(last) <= max(options.least, width)
                outside |= not inside
                line += ", inside" if inside else ", OUTSIDE"
        print(line)
    print(f"band of {options.reference} and {options.again} in the second half: {width:.3%}" if band else f"no training {options.again}: no band")
    if options.plot:
        plot(options, report)
    return 1 if outside else 0


def plot(options, report):
    with figure(options.plot, 1, 2, figsize=(12, 4.2)) as (left, right):
        for name, training in report["trainings"].items():
            steps = (np.arange(len(training["losses"])) + 0.5) * report["block"]
            drawn = left.plot(steps * report["step_tokens"] / 1e6, training["losses"], linewidth=0.7, alpha=0.5)[0]
            held_out = {int(step): loss for step, loss in training["held_out"].items() if int(step)}
            left.plot(np.array(list(held_out)) * report["step_tokens"] / 1e6, list(held_out.values()), "o-", markersize=2.5, linewidth=0.9,
                      color=drawn.get_color(), label=name)
            apart = {} if name == options.reference else differences(report, name, options.reference)
            right.plot(np.array(list(apart)) * report["step_tokens"] / 1e6, [100 * value for value in apart.values()], "o-", markersize=2.5,
                       color=drawn.get_color(), label=name if apart else None)
        right.axhspan(-100 * options.least, 100 * options.least, color="black", alpha=0.1, linewidth=0)
        left.set(xlabel="million tokens", ylabel="loss: training (thin), held out (dots)")
        right.set(xlabel="million tokens", ylabel=f"held-out loss over {options.reference}, %")
        left.legend()
        right.legend()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    packing = commands.add_parser("pack")
    packing.add_argument("documents", type=pathlib.Path, help="a file of documents in UTF-8, separated by zero bytes")
    packing.add_argument("--out", type=pathlib.Path, required=True)
    packing.add_argument("--vocabulary", type=int, default=32768)
    packing.add_argument("--held-out", type=float, default=12e6, help="bytes of held-out documents")
    packing.add_argument("--sample", type=float, default=60e6, help="bytes that the BPE is made from")
    packing.add_argument("--part-size", type=float, default=42 * 2**20, help="most bytes of a part")
    packing.add_argument("--chunk", type=float, default=24e6, help="bytes of text that are compressed as one")
    packing.set_defaults(run=pack)
    driving = commands.add_parser("drive")
    driving.add_argument("folder", type=pathlib.Path)
    driving.add_argument("--train", type=named_training, action="append", required=True, metavar="NAME=MODULE:SEED")
    driving.add_argument("--prec-run", type=pathlib.Path, required=True)
    driving.add_argument("--model", choices=MODELS, default="124m")
    driving.add_argument("--micro-batches", type=int, default=4)
    driving.add_argument("--segments", type=lambda text: [int(word) for word in text.split(",")], default=[250, 500, 750, 1000],
                         help="steps of segments; the last number is of all that follow")
    driving.add_argument("--warmup", type=int, default=200)
    driving.add_argument("--eval-every", type=int, default=250)
    driving.add_argument("--eval-batches", type=int, default=40)
    driving.add_argument("--most-steps", type=int, default=7680)
    driving.add_argument("--seconds", type=float, default=1450)
    driving.add_argument("--ranks", type=int, default=1, help="processes of each training; those then follow one another")
    driving.add_argument("--parts", type=int, default=1, help="parts of text that are waited for before the first segment")
    driving.add_argument("--cpu", action="store_true", help="modules are for the CPU")
    driving.set_defaults(run=drive)
    collecting = commands.add_parser("collect")
    collecting.add_argument("folder", type=pathlib.Path)
    collecting.add_argument("--out", type=pathlib.Path, required=True)
    collecting.add_argument("--step-tokens", type=int, default=4 * 32 * 1024)
    collecting.add_argument("--gpu", default="NVIDIA H100 80GB HBM3")
    collecting.set_defaults(run=collect)
    summary = commands.add_parser("summarize")
    summary.add_argument("report", type=pathlib.Path)
    summary.add_argument("--reference", default="bf16-0")
    summary.add_argument("--again", default="bf16-1")
    summary.add_argument("--least", type=float, default=0.003, help="difference that is always inside")
    summary.add_argument("--plot", type=pathlib.Path)
    summary.set_defaults(run=summarize)
    return parser.parse_args()


def main():
    options = parse()
    try:
        return options.run(options)
    except (OSError, ValueError) as error:
        print(f"convergence.py: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
