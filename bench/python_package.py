#!/usr/bin/env python3
"""What Python costs, as ratios that are measured in one run, rounds of all candidates in turn (medians):

    PYTHONPATH=build/release/python bench/python_package.py build/release/app/ergon
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ergon
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SCENARIO = ROOT / "benchmarks" / "lim-oscillator" / "f-s.toml"


class Mass(ergon.Subsystem):
    inputs = {"force": "N"}
    outputs = {"position": "m", "velocity": "m/s"}

    def __init__(self, m=1.0, k=1000.0, x=0.0, v=1.0):
        self.m, self.k, self.x, self.v = m, k, x, v

    def step(self, h, force):
        self.v += h * ((force - self.k * self.x) / self.m)
        self.x += h * self.v

    def values(self):
        return self.x, self.v


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rounds(count, **candidates):
    times = {name: [] for name in candidates}
    for _ in range(count):
        for name, work in candidates.items():
            times[name].append(seconds(work))
    return {name: statistics.median(values) for name, values in times.items()}


def run_and_command(command):
    with tempfile.TemporaryDirectory() as folder:
        settings = ["--stop-time", "400", "--quiet", "--no-checkpoint"]
        times = rounds(5,
                       command=lambda: subprocess.run([command, "run", SCENARIO, "--out", f"{folder}/command", *settings], check=True, stderr=subprocess.DEVNULL),
                       python=lambda: ergon.run(SCENARIO, stop_time=400, out=f"{folder}/python"))
    print(f"run of 400,000 points: command {times['command']:.3f} s, Python {times['python']:.3f} s, ratio {times['python'] / times['command']:.2f}")


def python_mass():
    steps = 200_000

    def bare():
        mass = Mass()
        step, values = mass.step, mass.values
        for _ in range(steps):
            step(1e-3, 0.0)
            values()

    def coupled():
        system = ergon.System(stop_time=steps // 1000, step_size="1e-3").add("mass", Mass())
        system.settings("output", interval=str(steps // 1000))
        ergon.Simulation(system).run()

    times = rounds(5, bare=bare, coupled=coupled)
    added = (times["coupled"] - times["bare"]) / steps
    print(f"a mass in Python: {1e6 * times['bare'] / steps:.2f} µs per step in a bare loop, {1e6 * added:.2f} µs more in Ergon")


def reading():
    import pandas

    with tempfile.TemporaryDirectory() as folder:
        ergon.run(SCENARIO, stop_time=400, out=folder, check="off")
        file = f"{folder}/results.csv"
        times = rounds(5, ergon=lambda: ergon._ergon.read_csv(file, None), pandas=lambda: pandas.read_csv(file))
    print(f"reading {400_001 * 6:,} numbers of CSV: Ergon {times['ergon']:.3f} s, pandas {times['pandas']:.3f} s, "
          f"ratio {times['ergon'] / times['pandas']:.2f}")


if __name__ == "__main__":
    run_and_command(sys.argv[1])
    python_mass()
    reading()
