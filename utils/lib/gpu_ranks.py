# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks, each with a GPU, against one process: the step `ranks` of utils/gpu-check.

usage: python utils/lib/gpu_ranks.py KIT [--ranks N] [--out DIR] [--chip sm_90a] [--speed MODULE,...] [--cuda-libraries
  DIR]

For each recipe a module of KIT for N ranks (NAME-dpN-CHIP.so) and one for a process alone (NAME-dp1-CHIP.so):
checkpoints of 20 steps of N GPUs are, byte for byte, those of one GPU with N micro-batches, and those of a second run.
N GPUs that each have experts of their own and little room for their rows (NAME-epN-room1-CHIP.so) save the bytes of
those with room for all (NAME-epN-roomN-CHIP.so), in steps and in micro-batches.
Then one of them is killed (SIGKILL) in the middle of a run: the others must end within 30 s, each with one line, and a
run that resumes from the last checkpoint must end with the bytes of a run that nobody killed. Last the speed: tokens a
second of N GPUs over N times that of the slowest one alone, while the others run their own step beside it; in turns,
medians of three laps. With --chip cpu the same runs on the CPU, which tests this script.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time

RECIPES = ("fp32", "bf16", "fp8-hybrid", "fp8-delayed", "fp8-block")
EXPERTS = ("bf16", "fp8-delayed")
SPEED = ("1b-fp8-delayed", "1b-bf16")
STEPS, LAPS, SPEED_STEPS, WARM = 20, 3, 20, 5


def free_port():
    """A port that is free, and the one behind it as well."""
    while True:
        with socket.socket() as one, socket.socket() as other:
            try:
                one.bind(("127.0.0.1", 0))
                port = one.getsockname()[1]
                other.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


class RanksCheck:
    def __init__(self, kit, out, libraries, chip="sm_90a", count=2):
        self.kit, self.out, self.chip, self.count = kit, out, chip, count
        self.options = [word for folder in libraries for word in ("--cuda-libraries", folder)]
        self.results, self.failures = {}, []
        # NVLink multicast allocates memory of its own, and of these exchanges it makes none faster.
        self.environment = os.environ | {"LD_LIBRARY_PATH": f"{kit}:{os.environ.get('LD_LIBRARY_PATH', '')}", "NCCL_NVLS_ENABLE": "0"}

    def divided(self, name):
        """The name of a module for all ranks."""
        return f"{name}-dp{self.count}"

    def module(self, name):
        return self.kit / f"{name}-{self.chip}.so"

    def start(self, name, environments, *options, first=0):
        """Processes that write to files of their own, of numbers from `first` on."""
        command = [str(word) for word in (self.kit / "prec-run", self.module(name), *self.options, *options)]
        processes = []
        for number, variables in enumerate(environments, first):
            log = open(self.out / f"{name}.{number}.log", "w")
            processes.append(subprocess.Popen(command, env=self.environment | variables, stdout=log, stderr=subprocess.STDOUT))
            log.close()
        return processes

    def ranks(self, name, *options):
        port = str(free_port())
        return self.start(name, [{"RANK": str(rank), "WORLD_SIZE": str(self.count), "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1",
                                  "MASTER_PORT": port} for rank in range(self.count)], *options)

    def alone(self, name, *options, gpu=0):
        return self.start(name, [{"CUDA_VISIBLE_DEVICES": str(gpu)}], *options, first=gpu)

    def finish(self, name, processes, timeout=300):
        """Whether all end well; what they said otherwise."""
        codes = []
        for process in processes:
            try:
                codes.append(process.wait(timeout))
            except subprocess.TimeoutExpired:
                codes.append("timeout")
                process.kill()
                process.wait()
        if any(codes):
            self.fail(f"{name}: exit codes {codes}")
            for log in sorted(self.out.glob(f"{name}.?.log")):
                print("    " + "\n    ".join(log.read_text().splitlines()[-4:]), flush=True)
        return not any(codes)

    def fail(self, what):
        self.failures.append(f"ranks: {what}")
        print(f"    FAILED {what}", flush=True)

    def share_algorithms(self, name, divided):
        """The order of sums in a product is part of its bits: all GPUs take the algorithms that one has chosen."""
        chosen = pathlib.Path(f"{self.module(name)}.algorithms.json")
        if chosen.is_file():
            shutil.copy(chosen, f"{self.module(divided)}.algorithms.json")

    def train(self, model, steps, save):
        return ["--weights", self.kit / f"{model}.safetensors", "--tokens", self.kit / "train.bin", "--steps", steps, "--save", save]

    def train_alike(self, model, recipe, divided, micro_batches, times):
        """Checkpoints of one GPU with the micro-batches of all, and of `times` runs of all GPUs; None where one
        fails."""
        alone = f"{model}-{recipe}-dp1"
        folders = [self.out / f"{divided}-{number}" for number in range(times + 1)]
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        if not self.finish(alone, self.alone(alone, *self.train(model, STEPS, folders[0]), "--micro-batches", self.count * micro_batches)):
            return None
        self.share_algorithms(alone, divided)
        for folder in folders[1:]:
            if not self.finish(divided, self.ranks(divided, *self.train(model, STEPS, folder), "--micro-batches", micro_batches)):
                return None
        return [{path.name: path.read_bytes() for path in sorted(folder.iterdir())} for folder in folders]

    def note(self, what, same):
        self.results[what] = same
        print(f"    {what:<12} {same}", flush=True)
        for how, is_same in same.items():
            if not is_same:
                self.fail(f"{what} is not the same bits {how}")

    def bits(self, model, recipe):
        """One GPU with as many micro-batches, all GPUs, all GPUs again."""
        saved = self.train_alike(model, recipe, self.divided(f"{model}-{recipe}"), 1, 2)
        if saved is not None:
            self.note(recipe, {f"as one GPU with {self.count} micro-batches": saved[0] == saved[1], "twice": saved[1] == saved[2]})

    def shards_of_sums(self, model, recipe, micro_batches=2):
        """GPUs that hold shards of sums over micro-batches (--zero=2), against one with all of these."""
        divided = self.divided(f"{model}-{recipe}-zero2")
        saved = self.train_alike(model, recipe, divided, micro_batches, 1) if self.module(divided).is_file() else None
        if saved is not None:
            self.note(f"{recipe}, ZeRO 2", {f"as one GPU with {self.count * micro_batches} micro-batches": saved[0] == saved[1]})

    def crowded(self, model, recipe):
        """Steps, and micro-batches, whose experts have no room for their rows run again with room for all."""
        few, all_ = (f"{model}-{recipe}-ep{self.count}-room{room}" for room in (1, self.count))
        if not self.module(few).is_file() or not self.module(all_).is_file():
            return
        same, crowded = {}, []
        for micro_batches in (1, 2):
            saved = []
            for name in (few, all_):
                folder = self.out / f"{name}-{micro_batches}"
                metrics = folder.with_suffix(".jsonl")
                shutil.rmtree(folder, ignore_errors=True)
                metrics.unlink(missing_ok=True)
                if name != few:
                    self.share_algorithms(few, name)
                if not self.finish(name, self.ranks(name, *self.train(model, STEPS, folder), "--label-shift", 1, "--micro-batches", micro_batches,
                                                    "--metrics", metrics)):
                    return
                saved.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
                crowded.append(sum(json.loads(line).get("crowded", 0) for line in metrics.read_text().splitlines()))
            same[f"with {micro_batches} micro-batches"] = saved[0] == saved[1]
        if 0 in crowded[::2] or any(crowded[1::2]):
            self.fail(f"{few}: rows must lack room in some of {STEPS} steps, and with room for all in none, but did in {crowded}")
        self.note(f"{recipe}, experts", same)

    def kill(self, model, recipe, killed=1):
        """One of the ranks is killed once there is a checkpoint; the run then goes on from it."""
        name, steps = self.divided(f"{model}-{recipe}"), 40
        whole, cut = self.out / "kill-whole", self.out / "kill-cut"
        for folder in (whole, cut):
            shutil.rmtree(folder, ignore_errors=True)
        if not self.finish(name, self.ranks(name, *self.train(model, steps, whole))):
            return
        processes = self.ranks(name, *self.train(model, 100_000, cut), "--save-every", 5)
        end = time.monotonic() + 240
        while not (cut / "model.safetensors.index.json").is_file() and time.monotonic() < end and processes[0].poll() is None:
            time.sleep(0.01)
        processes[killed].kill()
        begin, codes, said = time.monotonic(), [], []
        for rank, process in enumerate(processes):
            try:
                code = process.wait(max(0.0, begin + 30 - time.monotonic()))
            except subprocess.TimeoutExpired:
                code = "timeout"
                process.kill()
                process.wait()
            if rank != killed:
                codes.append(code)
                lines = [line for line in (self.out / f"{name}.{rank}.log").read_text().splitlines() if "error" in line]
                said.append(lines[0] if len(lines) == 1 else f"{len(lines)} lines")
        seconds = time.monotonic() - begin
        # How far it was nobody knows: the run that resumes ends where both have been.
        index = cut / "model.safetensors.index.json"
        step = int(re.search(r"step(\d+)", json.loads(index.read_text())["metadata"]["optimizer"]).group(1)) if index.is_file() else 0
        goal = max(steps, step + 5)
        same = None
        if step and self.finish(name, self.ranks(name, "--resume", cut, "--tokens", self.kit / "train.bin", "--steps", goal, "--save", cut)) and (
                goal == steps or self.finish(name, self.ranks(name, *self.train(model, goal, whole)))):
            same = self.states(whole) == self.states(cut)
        self.results["killed"] = {"exit codes": codes, "seconds": round(seconds, 2), "said": said, "resumed from step": step, "same bits": same}
        print("    " + json.dumps(self.results["killed"]), flush=True)
        if any(code != 1 for code in codes) or any(f"rank {killed} ended" not in line for line in said) or not same:
            self.fail("a rank that is killed must end the others with one line, and the run must go on with the same bits")

    @staticmethod
    def states(folder):
        """What the newest checkpoint holds, whatever its files are called."""
        index = json.loads((folder / "model.safetensors.index.json").read_text())
        return [(folder / name).read_bytes() for name in (*sorted(set(index["weight_map"].values())), index["metadata"]["optimizer"])]

    def seconds(self, name, processes, metrics):
        if not self.finish(name, processes):
            return None
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return statistics.median(line["seconds"] for line in lines if "loss" in line and line["step"] > WARM)

    def speed(self, name):
        """Each GPU alone, beside the others, then all as ranks; each GPU has the same batch in all cases. Once also
        without overlap (NAME-line-dpN), which says what overlap hides."""
        common = ["--tokens", self.kit / "train.bin", "--steps", SPEED_STEPS, "--init", "random"]
        alone, together = [], []
        # The first run chooses algorithms, and is not counted.
        if not self.finish(name, self.alone(name, *common)):
            return
        divided, line = self.divided(name), self.divided(f"{name}-line")
        for lap in range(LAPS):
            metrics = [self.out / f"{name}-{lap}-{gpu}.jsonl" for gpu in range(self.count)]
            beside = [process for gpu, path in enumerate(metrics) for process in self.alone(name, *common, "--metrics", path, gpu=gpu)]
            times = [self.seconds(name, [process], path) for process, path in zip(beside, metrics)]
            all_of_them = self.seconds_of_ranks(name, divided, common)
            if None in times or all_of_them is None:
                return
            alone.append(max(times))
            together.append(all_of_them)
        in_line = self.seconds_of_ranks(name, line, common) if self.module(line).is_file() else None
        one, all_of_them = statistics.median(alone), statistics.median(together)
        self.results.setdefault("speed", []).append({
            "module": name, "ms of the slowest GPU alone": round(one * 1e3, 2), f"ms of {self.count}": round(all_of_them * 1e3, 2),
            "scaling": round(one / all_of_them, 4), "more ms than alone": round((all_of_them - one) * 1e3, 2),
            "more ms without overlap": in_line and round((in_line - one) * 1e3, 2),
            "exposed ms": self.exposed(divided), "laps": [round(a / b, 4) for a, b in zip(alone, together)]})
        print("    " + json.dumps(self.results["speed"][-1]), flush=True)

    def seconds_of_ranks(self, name, divided, common):
        self.share_algorithms(name, divided)
        metrics = self.out / f"{divided}.jsonl"
        metrics.unlink(missing_ok=True)
        return self.seconds(divided, self.ranks(divided, *common, "--metrics", metrics), metrics)

    def exposed(self, divided):
        """Milliseconds that a step waits for other ranks, as its profile says; None where that fails."""
        profile = self.out / f"{divided}.profile.json"
        if not self.finish(divided, self.ranks(divided, "--tokens", self.kit / "train.bin", "--steps", WARM, "--init", "random", "--profile",
                                               "--profile-json", profile)):
            return None
        return round(json.loads(profile.read_text())["exchanges"]["exposed_seconds"] * 1e3, 2)

    def all(self, model="llama", speed=SPEED):
        for recipe in RECIPES:
            self.bits(model, recipe)
        self.shards_of_sums(model, "fp8-delayed")
        for recipe in EXPERTS:
            self.crowded("mixtral", recipe)
        self.kill(model, "fp8-delayed")
        for name in speed:
            if self.module(self.divided(name)).is_file():
                self.speed(name)
        return self.results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kit", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu-ranks"))
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--speed", default=",".join(SPEED), help="modules that are timed, separated by commas")
    parser.add_argument("--cuda-libraries", action="append", default=[], metavar="DIR")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    check = RanksCheck(arguments.kit.resolve(), arguments.out.resolve(), arguments.cuda_libraries, arguments.chip, arguments.ranks)
    check.all(speed=[name for name in arguments.speed.split(",") if name])
    (arguments.out / "ranks.json").write_text(json.dumps({"results": check.results, "failures": check.failures}, indent=1) + "\n")
    print(f"{'FAILED: ' + ', '.join(check.failures) if check.failures else 'all passed'}; figures are in {arguments.out / 'ranks.json'}")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
