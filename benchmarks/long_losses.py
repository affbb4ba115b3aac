# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of 500 steps on real text from random weights: prec in bf16 and in FP8 beside PyTorch's bf16 of three seeds.

    python benchmarks/long_losses.py train KIT --model 124m --tokens KIT/gpt2.bin --out long-124m.json       on a machine with a GPU
    python benchmarks/long_losses.py summarize long-124m.json long-1b.json --plot long.png                     anywhere with PyTorch

KIT holds prec-run, MODEL-bf16-sm_90a.so and MODEL-fp8-delayed-sm_90a.so (fp8-hybrid with delayed scaling), as
utils/gpu-kit makes them. PyTorch is torch_step.py's compiled bf16 with FP32 masters. A seed draws the initial weights
and nothing else: all trainings read the same batches in the same order, and ours start from the weights that PyTorch's
seed of that number starts from. `train` goes on with what --out holds if it is started again; delete that file to train
anew.

The band. Losses jump from batch to batch, so each is held against others at the same step. With L_s(t) PyTorch's loss
of seed s, n seeds,

    e_s(t) = L_s(t) / mean of L_u(t) over the seeds u other than s - 1
    band(t) = max over seeds s, and steps w with |w - t| <= WINDOW, of |e_s(w)|

A mean that has L_s in it follows L_s, which makes the differences of PyTorch's seeds smaller by (n - 1) / n, but not
those of a training that has nothing to do with them, so a seed is left out of its own reference. Ours from the weights
of seed s takes that seed's place, beside the same mean of the others: where it has PyTorch's loss it has PyTorch's
difference, and where nothing is left of the initial weights it is one more draw, as far from the mean of n - 1 others
as each of them is from its own.

A training is outside at step t if |e(t)| > band(t). As in loss_band.py, "the others' band" is what the seeds other than
s leave: in how many steps PyTorch's seeds are outside of it tells how much they disagree among themselves, and a
training of ours that leaves the band of all seeds in more steps than any of them leaves the others' is OUTSIDE. That
leans to "inside", as the band of all is the wider one. Like for like are the steps outside of the others' band, of ours
and of PyTorch's seed in whose place it is. Neither sees what is small beside the choice of weights; for that there are
paired differences.

The difference. For two trainings from the same weights it is a(t) / b(t) - 1, in the mean over the last LAST steps.
With one seed the interval is Student's, 95 %, over the means of 10 blocks of steps, since neighboring steps are alike.
It is an interval of these two trainings: where their mean difference would lie over more batches like those, at this
stage of training. It knows nothing of other weights, nor of what lasts longer than a block, and two trainings that only
round in another order may stay apart for longer, so that an interval without zero is no proof that a format costs
anything: how far such trainings stay apart is told by our bf16 over PyTorch's. With --ours-seeds 3 or more there is
also Student's interval over the means of seeds: where the mean difference would lie over all initial weights that are
drawn like these, on these batches in these steps. That one is of the format.

Exit code of `train` 1 if a training failed (the others are kept), of `summarize` 1 if one is OUTSIDE; 2 if the input is
unusable.
"""
import argparse
import functools
import hashlib
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

from cuda_libraries import cuda_library_options
from figures import figure, label_losses
from loss_band import CFG, band_of, device_name, judge, read_losses, relative_differences, write_json

RATE = 1e-4  # of torch_step.py and examples/bench_llama.py
WARM_STEPS = 3  # what torch_step.py trains before --steps
WINDOW = 5
BLOCKS = 10
SAME_LOSS = 5e-4  # BF16 leaves the first loss of 2,048 tokens at 124m within 1e-4 of FP32's; other weights move it by 4e-3 and more.
LEAST_SEEDS = 3
TORCH, BF16, FP8 = "torch", "bf16", "fp8-delayed"
OURS = (BF16, FP8)
TITLES = {TORCH: "PyTorch bf16", BF16: "prec bf16", FP8: "prec fp8-hybrid, delayed scaling"}
PAIRS = ((BF16, TORCH), (FP8, TORCH), (FP8, BF16))


def step_tokens(model):
    batch, length = CFG[model][6:]
    return batch * length


def module_path(options, name):
    return options.kit / f"{options.model}-{name}-sm_90a.so"


def weights_path(options, seed):
    return work_folder(options) / f"weights-{seed}.safetensors"


def run_torch_step(options, seed, steps, writes_weights):
    """What it prints and the losses; weights are there in full or not at all."""
    script = pathlib.Path(__file__).resolve().with_name("torch_step.py")
    weights, losses = weights_path(options, seed), work_folder(options) / f"{TORCH}-{seed}.json"
    partial = weights.with_name(weights.name + ".partial")
    done = subprocess.run([sys.executable, script, "--runs", f"{options.model}:compile:bf16+mw", "--seed", str(seed),
                           "--tokens", options.tokens, "--steps", str(steps - WARM_STEPS), "--losses-out", losses,
                           *(("--weights-out", partial) if writes_weights else ())], check=True, text=True, stdout=subprocess.PIPE)
    if writes_weights:
        partial.replace(weights)
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{"))), finite_losses(losses, steps)


def finite_losses(path, steps):
    losses = np.array(read_losses(path, steps), float)
    if not np.isfinite(losses).all():
        raise ValueError(f"{path} must have finite losses, but not that of step {np.isfinite(losses).argmin() + 1} is")
    return losses.tolist()


def train_in_torch(options, seed, writes_weights):
    line, losses = run_torch_step(options, seed, options.steps, writes_weights)
    return {"ms": line["ms"], "losses": losses}


def draw_weights(options, seed, first_loss):
    """The weights of a training that is done. What a seed draws depends on the GPU, so the loss of its first step must
    come out again."""
    _, losses = run_torch_step(options, seed, WARM_STEPS + 1, True)
    if not math.isclose(losses[0], first_loss, rel_tol=SAME_LOSS):
        weights_path(options, seed).unlink()
        raise ValueError(f"weights of seed {seed} must give the first loss of its training, {first_loss}, but give {losses[0]}")


def train_in_prec(options, report, name, seed):
    if not weights_path(options, seed).exists():
        draw_weights(options, seed, report["trainings"][TORCH][str(seed)]["losses"][0])
    metrics = work_folder(options) / f"{name}-{seed}.jsonl"
    subprocess.run([options.kit / "prec-run", module_path(options, name), "--weights", weights_path(options, seed),
                    "--tokens", options.tokens, "--steps", str(options.steps), "--lr", str(RATE), "--metrics", metrics,
                    *cuda_library_options()], check=True, stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    return {"ms": round(statistics.median(line["seconds"] for line in lines[WARM_STEPS:]) * 1e3, 1),
            "skipped": [line["step"] for line in lines if "skipped" in line], "losses": finite_losses(metrics, options.steps)}


def work_folder(options):
    return options.out.with_suffix(".work")


def begin_report(options):
    """What --out holds, if it is of the same training, else an empty report."""
    tokens = np.fromfile(options.tokens, "<u2")
    needed, vocabulary = step_tokens(options.model) + 2, CFG[options.model][5]
    if len(tokens) < needed or tokens.max() >= vocabulary:
        raise ValueError(f"{options.tokens} must hold {needed} token ids or more below {vocabulary}, but holds {len(tokens)}, the largest "
                         f"{tokens.max(initial=0)}")
    what = {"model": options.model, "steps": options.steps, "lr": RATE, "tokens": len(tokens),
            "sha256": hashlib.sha256(options.tokens.read_bytes()).hexdigest()}
    if not options.out.exists():
        return what | {"trainings": {}}
    report = json.loads(options.out.read_text())
    kept = {key: report.get(key) for key in what}
    if kept != what:
        raise ValueError(f"{options.out} must be of the same training, {what}, but is of {kept}")
    return report


def train_one(options, report, name, seed, run):
    """Whether it ended well; its losses are then in --out."""
    what, begin = f"{options.model} {name} seed {seed}", time.monotonic()
    try:
        entry = run()
    except (OSError, ValueError, StopIteration, subprocess.CalledProcessError) as error:
        print(f"{what} failed: {error}", flush=True)
        return False
    entry |= {"gpu": device_name("cuda"), "seconds": round(time.monotonic() - begin)}
    report["trainings"].setdefault(name, {})[str(seed)] = entry
    write_json(options.out, report)
    print(f"{what}: last loss {entry['losses'][-1]:.4f}, {entry['ms']} ms a step, {len(entry.get('skipped', []))} steps skipped, "
          f"{entry['seconds']} s in all", flush=True)
    return True


def train_seed(options, report, seed):
    """Whether all that was missing is there."""
    names = (TORCH, *(OURS if seed < options.ours_seeds else ()))
    missing = [name for name in names if str(seed) not in report["trainings"].get(name, {})]
    failed = []
    for name in missing:
        run = functools.partial(train_in_torch, options, seed, missing != [TORCH]) if name == TORCH else \
            functools.partial(train_in_prec, options, report, name, seed)
        if TORCH in failed or not train_one(options, report, name, seed, run):
            failed.append(name)
    for path in work_folder(options).glob(f"weights-{seed}.safetensors*"):
        path.unlink()
    return not failed


def train(options):
    if options.steps <= WARM_STEPS or options.seeds < LEAST_SEEDS or options.ours_seeds > options.seeds:
        raise ValueError(f"there must be more than {WARM_STEPS} steps, {LEAST_SEEDS} seeds or more and no more of ours, but got "
                         f"{options.steps}, {options.seeds} and {options.ours_seeds}")
    options.kit = options.kit.resolve()
    missing = [str(path) for path in (options.kit / "prec-run", *(module_path(options, name) for name in OURS)) if not path.exists()]
    if missing:
        raise ValueError(f"KIT must hold prec-run and modules, but lacks {', '.join(missing)}")
    report = begin_report(options)
    work_folder(options).mkdir(parents=True, exist_ok=True)
    failed = [seed for seed in range(options.seeds) if not train_seed(options, report, seed)]
    return 1 if failed else 0


def reference_of(curves, seed):
    """Mean of the other seeds: [seeds, steps] -> [steps]."""
    return np.delete(curves, seed, 0).mean(0)


def signed_differences(losses, reference):
    return np.asarray(losses) / np.asarray(reference) - 1


def place(curves, trainings, window):
    """The band of PyTorch's seeds, [seeds, steps], and where in it they and ours, [(name, seed, losses)], are."""
    seeds = range(len(curves))
    references = [reference_of(curves, seed) for seed in seeds]
    differences = np.array([relative_differences(curves[seed], references[seed]) for seed in seeds])
    band = band_of(differences, window)
    others = [band_of(np.delete(differences, seed, 0), window) for seed in seeds]

    def row(name, seed, losses):
        signed = signed_differences(losses, references[seed])
        return {"name": name, "seed": seed, "signed": signed, "largest": abs(signed).max(),
                "outside_others": (np.flatnonzero(abs(signed) > others[seed]) + 1).tolist()}

    rows = [row(TORCH, seed, curves[seed]) for seed in seeds]
    tolerated = max(len(entry["outside_others"]) for entry in rows)
    for name, seed, losses in trainings:
        rows.append(row(name, seed, losses) | judge(relative_differences(losses, references[seed]), band, tolerated))
    return band, rows


@functools.cache
def student_quantile(degrees):
    """Where |T| stays in 95 % of draws. T = sqrt(degrees) tan(a), with a density of a that is cos(a)**(degrees - 1)."""
    angles = np.linspace(0, math.pi / 2, 200001)
    density = np.cos(angles) ** (degrees - 1)
    mass = np.concatenate([[0], np.cumsum(density[1:] + density[:-1])])
    return math.sqrt(degrees) * math.tan(np.interp(0.95 * mass[-1], mass, angles))


def interval_of(values):
    """Mean and Student's 95 % interval of independent values."""
    mean, half = np.mean(values), student_quantile(len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def paired_interval(ours, theirs, last):
    """Mean relative difference over the last steps, with the interval over means of blocks."""
    return interval_of(signed_differences(ours[-last:], theirs[-last:]).reshape(BLOCKS, -1).mean(1))


def paired_rows(trainings, last):
    """[(what, seeds in words, mean, low, high)] of each pair and seed that there is, and over seeds."""
    rows = []
    for first, second in PAIRS:
        seeds = [seed for seed in trainings.get(first, {}) if seed in trainings.get(second, {})]
        intervals = [paired_interval(*(np.array(trainings[name][seed]["losses"]) for name in (first, second)), last) for seed in seeds]
        what = f"{TITLES[first]}, over {TITLES[second]}"
        rows += [(what, f"seed {seed}", *interval) for seed, interval in zip(seeds, intervals)]
        if len(seeds) >= LEAST_SEEDS:
            rows.append((what, f"over {len(seeds)} seeds", *interval_of([interval[0] for interval in intervals])))
    return rows


def read_report(path, last):
    """A report with its band and rows."""
    report = json.loads(path.read_text())
    torch = report["trainings"].get(TORCH, {})
    if sorted(map(int, torch)) != list(range(len(torch))) or len(torch) < LEAST_SEEDS:
        raise ValueError(f"{path} must hold PyTorch's seeds from 0 on, {LEAST_SEEDS} or more, but holds {', '.join(torch) or 'none'}")
    if last > report["steps"] or last % BLOCKS:
        raise ValueError(f"--last must be a multiple of {BLOCKS} of at most {report['steps']} steps of {path}, but got {last}")
    return report


def place_report(report, window):
    trainings = report["trainings"]
    curves = np.array([trainings[TORCH][str(seed)]["losses"] for seed in range(len(trainings[TORCH]))])
    ours = [(name, int(seed), np.array(entry["losses"])) for name in OURS for seed, entry in trainings.get(name, {}).items()]
    return place(curves, ours, window)


def percent(value):
    return f"{100 * value:+.3f} %"


def describe(report):
    read = report["steps"] * step_tokens(report["model"])
    gpus = sorted({entry["gpu"] for entries in report["trainings"].values() for entry in entries.values()})
    return (f"{report['model']}: {report['steps']} steps of {step_tokens(report['model']):,} tokens, a text of {report['tokens']:,} tokens "
            f"read {read / report['tokens']:.2g} times, {' and '.join(gpus)}")


def print_tables(placed, last):
    print(f"| | | steps outside of the band (in the last {last}) | outside of the others' band | largest difference | last loss | "
          "ms a step | skipped steps |\n|---|---|---|---|---|---|---|---|")
    for report, (_, rows) in placed:
        begin = report["steps"] - last

        def count(steps, begin=begin):
            return f"{len(steps)} ({sum(step > begin for step in steps)})"

        for row in rows:
            entry = report["trainings"][row["name"]][str(row["seed"])]
            outside = f"{count(row['steps_outside'])}, {row['verdict']}" if "verdict" in row else ""
            skipped = len(entry["skipped"]) if "skipped" in entry else ""
            print(f"| {report['model']} | {TITLES[row['name']]}, seed {row['seed']} | {outside} | {count(row['outside_others'])} | "
                  f"{100 * row['largest']:.2f} % | {entry['losses'][-1]:.4f} | {entry['ms']} | {skipped} |")
    print(f"\n| last {last} steps | | | difference | 95 % interval |\n|---|---|---|---|---|")
    for report, _ in placed:
        for what, seeds, mean, low, high in paired_rows(report["trainings"], last):
            print(f"| {report['model']} | {what} | {seeds} | {percent(mean)} | {percent(low)} to {percent(high)} |")


def summarize(options):
    if options.last <= 0 or options.window < 0:
        raise ValueError(f"--last must be positive and --window not negative, but got {options.last} and {options.window}")
    reports = [read_report(path, options.last) for path in options.reports]
    placed = [(report, place_report(report, options.window)) for report in reports]
    for report, (band, _) in placed:
        print(f"{describe(report)}; band {100 * band.min():.2f} % to {100 * band.max():.2f} %\n")
    print_tables(placed, options.last)
    if options.plot:
        plot(placed, options.plot)
    return 1 if any(row.get("verdict") == "OUTSIDE" for _, (_, rows) in placed for row in rows) else 0


def plot(placed, path):
    with figure(path, 2, len(placed), figsize=(6.5 * len(placed), 7), sharex="col", height_ratios=(3, 2), squeeze=False) as axes:
        for (above, below), (report, (band, rows)) in zip(axes.T, placed):
            plot_losses(above, report, rows)
            plot_differences(below, band, rows)
            label_losses(above, below, report["model"])
        axes[0, 0].set_ylabel("loss")
        axes[1, 0].set_ylabel("over PyTorch's other seeds, %")


def color_and_label(row):
    return {"color": f"C{OURS.index(row['name'])}", "label": TITLES[row["name"]] if row["seed"] == 0 else None}


def plot_losses(axes, report, rows):
    steps = np.arange(1, report["steps"] + 1)
    curves = np.array([entry["losses"] for entry in report["trainings"][TORCH].values()])
    label = f"{TITLES[TORCH]}, {len(curves)} seeds"
    axes.fill_between(steps, curves.min(0), curves.max(0), color="black", alpha=0.3, linewidth=0.8, label=label)
    for row in rows:
        if row["name"] != TORCH:
            axes.plot(steps, report["trainings"][row["name"]][str(row["seed"])]["losses"], linewidth=0.8, **color_and_label(row))


def plot_differences(axes, band, rows):
    steps = np.arange(1, len(band) + 1)
    axes.fill_between(steps, -100 * band, 100 * band, color="black", alpha=0.15, linewidth=0)
    for row in rows:
        style = {"color": "black", "alpha": 0.4} if row["name"] == TORCH else color_and_label(row)
        axes.plot(steps, 100 * row["signed"], linewidth=0.6 if row["name"] == TORCH else 0.9, **style)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    training = commands.add_parser("train")
    training.add_argument("kit", type=pathlib.Path)
    training.add_argument("--model", choices=CFG, default="124m")
    training.add_argument("--tokens", type=pathlib.Path, required=True, help="token file, uint16")
    training.add_argument("--steps", type=int, default=500)
    training.add_argument("--seeds", type=int, default=3, help="of PyTorch, from 0")
    training.add_argument("--ours-seeds", type=int, default=1, help="of ours, from 0")
    training.add_argument("--out", type=pathlib.Path, required=True)
    training.set_defaults(run=train)
    summary = commands.add_parser("summarize")
    summary.add_argument("reports", type=pathlib.Path, nargs="+")
    summary.add_argument("--last", type=int, default=200, help="steps that paired differences are taken over")
    summary.add_argument("--window", type=int, default=WINDOW)
    summary.add_argument("--plot", type=pathlib.Path)
    summary.set_defaults(run=summarize)
    return parser.parse_args()


def main():
    options = parse()
    try:
        return options.run(options)
    except (OSError, ValueError) as error:
        print(f"long_losses.py: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
