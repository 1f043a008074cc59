#!/usr/bin/env python3
"""CPU of a run that keeps a checkpoint every second beside the same run without, in turns: medians of the ratios.

    tools/checkpoint_cost.py build/ergon
"""
import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cpu_s(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ergon", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chain = folder / "chain.toml"
        chain.write_text('[simulation]\nstop_time = 60\nstep_size = 1e-3\ncheck = "off"\n[output]\nrecord = ["m0.*"]\ninterval = 1.0\n'
                         '[[subsystem]]\ncount = 10000\nname = "m{i}"\nmodel = "oscillator.mass"\n'
                         'parameters = { k = "1 + 0.001*i" }\ninitial = { x = 1.0 }\n')
        cases = {"log crane": (ROOT / "benchmarks/log-crane/crane.toml", ["--check", "off", "--stop-time", "45"]),
                 "10,000 masses": (chain, [])}
        for case, (scenario, options) in cases.items():
            ratios, lasted = [], []
            for _ in range(arguments.runs):
                command = [arguments.ergon, "run", scenario, "-q", "--out", folder / "out", *options]
                without = cpu_s(command + ["--no-checkpoint"])
                ratios.append(cpu_s(command + ["--checkpoint-every", "1"]) / without)
                lasted.append(without)
            print(f"{case:14} {statistics.median(lasted):6.1f} s of CPU, with checkpoints × {statistics.median(ratios):.4f} "
                  f"({min(ratios):.4f} to {max(ratios):.4f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
