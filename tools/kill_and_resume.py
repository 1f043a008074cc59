#!/usr/bin/env python3
"""Kills runs at random moments, resumes them until they are over, and compares all files with those of a run that nobody disturbed.

    tools/kill_and_resume.py build/ergon --kills 200
    tools/kill_and_resume.py build/ergon --kills 10 --seed 3 --only machine
    /usr/bin/python3 tools/kill_and_resume.py build/ergon --hdf5         # results.h5, too: needs h5py
"""
import argparse
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
FILES = ["results.csv", "bonds.csv", "energy.csv", "geometry.csv", "motion.csv", "scenario.toml", "system.json"]
COSTS = ("wall_time", "mean_step", "steps", "discarded", "solver", "checks")


def fmu_scenario(ergon, folder):
    """The linear oscillator, its masses as FMUs."""
    text = (ROOT / "benchmarks/lim-oscillator/f-s.toml").read_text()
    kept = []
    for line in text.splitlines():
        if line.startswith('name = "') and kept and kept[-1] == "[[subsystem]]":
            name = line.split('"')[1]
            subprocess.run([ergon, "export", ROOT / "benchmarks/lim-oscillator/f-s.toml", "--subsystem", name, "-o",
                            folder / f"{name}.fmu"], check=True, stdout=subprocess.DEVNULL)
            kept += [line, f'fmu = "{name}.fmu"', "isolate = true"]
        elif not line.startswith(("model =", "parameters =", "initial =")):
            kept.append(line)
    file = folder / "fmus.toml"
    file.write_text("\n".join(kept) + "\n")
    return file


def kinds():
    """Name -> (scenario, options): a run of some seconds of each kind."""
    oscillator = ROOT / "benchmarks/lim-oscillator/f-s.toml"
    control = 'step_control={method="richardson", rtol=1e-3, max_step=0.01}'
    return {
        "native": (EXAMPLES / "three-masses.toml", ["--stop-time", "600"]),
        "workers": (None, []),  # exported where it is wanted
        "implicit": (oscillator, ["--set", "coupling.scheme=semi-implicit", "--set", "bond.coupling.feedthrough=",
                                  "--set", control, "--stop-time", "1"]),
        "machine": (EXAMPLES / "boom-of-bodies.toml", []),
        "threads": (EXAMPLES / "battery-heater.toml", ["--threads", "2"]),
        "contacts": (EXAMPLES / "stack.toml", []),
    }


def without_costs(value):
    if isinstance(value, dict):
        return {k: without_costs(v) for k, v in value.items() if not k.startswith(COSTS)}
    return [without_costs(v) for v in value] if isinstance(value, list) else value


def hdf5_differences(one, other):
    """Datasets of two files that hold other values, or are in one of them only."""
    import h5py
    import numpy

    def values(path):
        found = {}
        with h5py.File(path, "r") as file:
            file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
        found.pop("summary")  # compared below, without costs
        found.pop("scenario")
        return found

    a, b = values(one), values(other)
    return [name for name in sorted(a.keys() | b.keys())
            if name not in a or name not in b or not numpy.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f")]


def differences(one, other):
    found = []
    if (one / "results.h5").exists() or (other / "results.h5").exists():
        found += hdf5_differences(one / "results.h5", other / "results.h5")
    for name in FILES:
        a, b = one / name, other / name
        if a.exists() != b.exists() or (a.exists() and a.read_bytes() != b.read_bytes()):
            found.append(name)
    a, b = (without_costs(json.loads((folder / "summary.json").read_text())) for folder in (one, other))
    return found + (["summary.json"] if a != b else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ergon", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one kind")
    parser.add_argument("--hdf5", action="store_true", help="results in CSV and HDF5")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        both = ["--set", 'output.format=["csv", "hdf5"]'] if arguments.hdf5 else []
        chosen = {k: (file or fmu_scenario(arguments.ergon, folder), options + both)
                  for k, (file, options) in kinds().items() if arguments.only in (None, k)}
        lasted = {}
        for kind, (scenario, options) in chosen.items():
            begin = time.monotonic()
            done = subprocess.run([arguments.ergon, "run", scenario, "-q", "--no-checkpoint", "--out", folder / kind, *options],
                                  stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(f"{kind}: {done.stderr}")
            lasted[kind] = time.monotonic() - begin
        counts = {kind: [0, 0] for kind in chosen}  # kills, resumes
        kills = 0
        runs = 0
        most_kills_of_one_run = 3
        while kills < arguments.kills:
            kind = list(chosen)[runs % len(chosen)]
            runs += 1
            kills_of_this = 0
            scenario, options = chosen[kind]
            out = folder / "killed"
            shutil.rmtree(out, ignore_errors=True)
            every = ["--checkpoint-every", f"{lasted[kind] / 50:.4g}"]
            command = [arguments.ergon, "run", scenario, "-q", "--out", out, *options, *every]
            while True:
                process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                try:
                    process.wait(timeout=chance.uniform(0.2, 0.9) * lasted[kind]
                                 if kills_of_this < most_kills_of_one_run and kills < arguments.kills else None)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    kills += 1
                    kills_of_this += 1
                    counts[kind][0] += 1
                errors = process.communicate()[1]
                if process.returncode == 0:
                    break
                if process.returncode == 2 and ("no checkpoint" in errors or "There is no " in errors):  # killed too early
                    command = [arguments.ergon, "run", scenario, "-q", "--out", out, *options, *every]
                    continue
                if process.returncode == 2 and "nothing to resume" in errors:
                    break
                if process.returncode != -signal.SIGKILL:
                    bad += 1
                    print(f"{kind}: exit code {process.returncode}: {errors}")
                    break
                command = [arguments.ergon, "resume", out, "-q", *every]
                counts[kind][1] += 1
            if (out / "summary.json").exists() and (found := differences(folder / kind, out)):
                bad += 1
                print(f"{kind}: differ: {', '.join(found)}")
        for kind, (killed, resumed) in counts.items():
            print(f"{kind:10} {lasted[kind]:6.1f} s  {killed:4} kills  {resumed:4} resumes")
    print(f"{kills} kills, {bad} runs that differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
