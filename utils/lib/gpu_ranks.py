# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two ranks, each with a GPU, against one process: the step `ranks` of utils/gpu-check.

usage: python utils/lib/gpu_ranks.py KIT [--out DIR] [--chip sm_90a] [--speed MODULE,...] [--cuda-libraries DIR]

For each recipe a module of KIT for two ranks (NAME-dp2-CHIP.so) and one for a process alone (NAME-dp1-CHIP.so):
checkpoints of 20 steps of two GPUs are, byte for byte, those of one GPU with two micro-batches, and those of a second
run. Then one of the two is killed (SIGKILL) in the middle of a run: the other must end within 30 s, with one line, and
a run that resumes from the last checkpoint must end with the bytes of a run that nobody killed. Last the speed: tokens
a second of two GPUs over twice that of the slower one alone, while the other one runs its own step beside it; in turns,
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
    def __init__(self, kit, out, libraries, chip="sm_90a"):
        self.kit, self.out, self.chip = kit, out, chip
        self.options = [word for folder in libraries for word in ("--cuda-libraries", folder)]
        self.results, self.failures = {}, []
        # NVLink multicast allocates memory of its own, and of these exchanges it makes none faster.
        self.environment = os.environ | {"LD_LIBRARY_PATH": f"{kit}:{os.environ.get('LD_LIBRARY_PATH', '')}", "NCCL_NVLS_ENABLE": "0"}

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
        return self.start(name, [{"RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
                                 for rank in range(2)], *options)

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

    def share_algorithms(self, name):
        """The order of sums in a product is part of its bits: two GPUs take the algorithms that one has chosen."""
        chosen = pathlib.Path(f"{self.module(name + '-dp1')}.algorithms.json")
        if chosen.is_file():
            shutil.copy(chosen, f"{self.module(name + '-dp2')}.algorithms.json")

    def train(self, model, steps, save):
        return ["--weights", self.kit / f"{model}.safetensors", "--tokens", self.kit / "train.bin", "--steps", steps, "--save", save]

    def bits(self, model, recipe):
        """One GPU with two micro-batches, two GPUs, two GPUs again."""
        name = f"{model}-{recipe}"
        folders = [self.out / f"{name}-{kind}" for kind in ("one", "two", "again")]
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        if not self.finish(f"{name}-dp1", self.alone(f"{name}-dp1", *self.train(model, STEPS, folders[0]), "--micro-batches", 2)):
            return
        self.share_algorithms(name)
        for folder in folders[1:]:
            if not self.finish(f"{name}-dp2", self.ranks(f"{name}-dp2", *self.train(model, STEPS, folder))):
                return
        one, two, again = ({path.name: path.read_bytes() for path in sorted(folder.iterdir())} for folder in folders)
        self.results[recipe] = {"as one GPU with two micro-batches": one == two, "twice": two == again}
        print(f"    {recipe:<12} {self.results[recipe]}", flush=True)
        for what, same in self.results[recipe].items():
            if not same:
                self.fail(f"{recipe} is not the same bits {what}")

    def shards_of_sums(self, model, recipe, micro_batches=2):
        """Two GPUs that hold shards of sums over micro-batches (--zero=2), against one with all of these."""
        name = f"{model}-{recipe}"
        if not self.module(f"{name}-zero2-dp2").is_file():
            return
        folders = [self.out / f"{name}-zero2-{kind}" for kind in ("one", "two")]
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        if not self.finish(f"{name}-dp1", self.alone(f"{name}-dp1", *self.train(model, STEPS, folders[0]), "--micro-batches", 2 * micro_batches)):
            return
        chosen = pathlib.Path(f"{self.module(name + '-dp1')}.algorithms.json")
        if chosen.is_file():
            shutil.copy(chosen, f"{self.module(name + '-zero2-dp2')}.algorithms.json")
        if not self.finish(f"{name}-zero2-dp2",
                           self.ranks(f"{name}-zero2-dp2", *self.train(model, STEPS, folders[1]), "--micro-batches", micro_batches)):
            return
        one, two = ({path.name: path.read_bytes() for path in sorted(folder.iterdir())} for folder in folders)
        self.results[f"{recipe}, ZeRO 2"] = {f"as one GPU with {2 * micro_batches} micro-batches": one == two}
        print(f"    {recipe}, ZeRO 2 {one == two}", flush=True)
        if one != two:
            self.fail(f"{recipe} with --zero=2 is not the same bits as one GPU with {2 * micro_batches} micro-batches")

    def kill(self, model, recipe, killed=1):
        """One of two is killed once there is a checkpoint; the run then goes on from it."""
        name, steps = f"{model}-{recipe}-dp2", 40
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
        begin = time.monotonic()
        try:
            code = processes[1 - killed].wait(30)
        except subprocess.TimeoutExpired:
            code = "timeout"
            processes[1 - killed].kill()
        seconds = time.monotonic() - begin
        processes[killed].wait()
        said = [line for line in (self.out / f"{name}.{1 - killed}.log").read_text().splitlines() if "error" in line]
        # How far it was nobody knows: the run that resumes ends where both have been.
        index = cut / "model.safetensors.index.json"
        step = int(re.search(r"step(\d+)", json.loads(index.read_text())["metadata"]["optimizer"]).group(1)) if index.is_file() else 0
        goal = max(steps, step + 5)
        same = None
        if step and self.finish(name, self.ranks(name, "--resume", cut, "--tokens", self.kit / "train.bin", "--steps", goal, "--save", cut)) and (
                goal == steps or self.finish(name, self.ranks(name, *self.train(model, goal, whole)))):
            same = self.states(whole) == self.states(cut)
        self.results["killed"] = {"exit code": code, "seconds": round(seconds, 2), "said": said, "resumed from step": step, "same bits": same}
        print("    " + json.dumps(self.results["killed"]), flush=True)
        if code != 1 or len(said) != 1 or f"rank {killed} ended" not in said[0] or not same:
            self.fail("a rank that is killed must end the other one with one line, and the run must go on with the same bits")

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
        """Each GPU alone, beside the other one, then both as ranks; each GPU has the same batch in all cases. Once also
        without overlap (NAME-line-dp2), which says what overlap hides."""
        common = ["--tokens", self.kit / "train.bin", "--steps", SPEED_STEPS, "--init", "random"]
        alone, together = [], []
        # The first run chooses algorithms, and is not counted.
        if not self.finish(name, self.alone(name, *common)):
            return
        chosen = pathlib.Path(f"{self.module(name)}.algorithms.json")
        if chosen.is_file():
            shutil.copy(chosen, f"{self.module(name + '-dp2')}.algorithms.json")
        for lap in range(LAPS):
            beside = []
            metrics = [self.out / f"{name}-{lap}-{gpu}.jsonl" for gpu in range(2)]
            for gpu in range(2):
                beside += self.alone(name, *common, "--metrics", metrics[gpu], gpu=gpu)
            times = [self.seconds(name, [process], path) for process, path in zip(beside, metrics)]
            both = self.out / f"{name}-{lap}-both.jsonl"
            two = self.seconds(f"{name}-dp2", self.ranks(f"{name}-dp2", *common, "--metrics", both), both)
            if None in times or two is None:
                return
            alone.append(max(times))
            together.append(two)
        line = None
        if self.module(f"{name}-line-dp2").is_file():
            if chosen.is_file():
                shutil.copy(chosen, f"{self.module(name + '-line-dp2')}.algorithms.json")
            path = self.out / f"{name}-line.jsonl"
            line = self.seconds(f"{name}-line-dp2", self.ranks(f"{name}-line-dp2", *common, "--metrics", path), path)
        one, two = statistics.median(alone), statistics.median(together)
        self.results.setdefault("speed", []).append({
            "module": name, "ms of the slower GPU alone": round(one * 1e3, 2), "ms of two": round(two * 1e3, 2), "scaling": round(one / two, 4),
            "exposed ms": round((two - one) * 1e3, 2), "exposed ms without overlap": line and round((line - one) * 1e3, 2),
            "laps": [round(a / b, 4) for a, b in zip(alone, together)]})
        print("    " + json.dumps(self.results["speed"][-1]), flush=True)

    def all(self, model="llama", speed=SPEED):
        for recipe in RECIPES:
            self.bits(model, recipe)
        self.shards_of_sums(model, "fp8-delayed")
        self.kill(model, "fp8-delayed")
        for name in speed:
            if self.module(f"{name}-dp2").is_file():
                self.speed(name)
        return self.results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kit", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu-ranks"))
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--speed", default=",".join(SPEED), help="modules that are timed, separated by commas")
    parser.add_argument("--cuda-libraries", action="append", default=[], metavar="DIR")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    check = RanksCheck(arguments.kit.resolve(), arguments.out.resolve(), arguments.cuda_libraries, arguments.chip)
    check.all(speed=[name for name in arguments.speed.split(",") if name])
    (arguments.out / "ranks.json").write_text(json.dumps({"results": check.results, "failures": check.failures}, indent=1) + "\n")
    print(f"{'FAILED: ' + ', '.join(check.failures) if check.failures else 'all passed'}; figures are in {arguments.out / 'ranks.json'}")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
