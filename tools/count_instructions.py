#!/usr/bin/env python3
"""Counts what the engine and the verdict cost in instructions, which do not depend on what else the machine does:

    tools/count_instructions.py build/release/bench/overhead [another build's ...] [--masses 2 10 100 1000]

Per step and subsystem, of the variants of bench/overhead, by valgrind's callgrind (Engine::advance and VerdictMonitor::inspect). Of several
programs the first is the one that the others are compared with."""

import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

VARIANTS = ["plain", "monitored", "linear", "refresh", "gauss-seidel", "semi-implicit"]
COUNTED = ["ergon::Engine::advance()", "ergon::VerdictMonitor::inspect(ergon::StepRecord const&)"]
STEPS = {"semi-implicit": 100}  # as bench/overhead takes them at least
USUAL_STEPS = 4000


def count(program, variant, masses):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [f"--toggle-collect={name}" for name in COUNTED]
    command += [program, "--variant", variant, "--masses", str(masses), "--repeats", "1", "--work", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    collected = re.search(r"Collected\s*:\s*(\d+)", run.stderr)
    if run.returncode != 0 or collected is None or int(collected[1]) == 0:
        sys.exit(f"{' '.join(command)}:\n{run.stdout}{run.stderr}")
    return int(collected[1]) / (STEPS.get(variant, USUAL_STEPS) * masses)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="OVERHEAD")
    parser.add_argument("--masses", nargs="+", type=int, default=[2, 10, 100, 1000])
    parser.add_argument("--variants", nargs="+", default=VARIANTS, choices=VARIANTS)
    arguments = parser.parse_args()
    jobs = [(program, variant, masses) for variant in arguments.variants for masses in arguments.masses
            for program in arguments.programs]
    with ThreadPoolExecutor(2) as executor:
        counts = dict(zip(jobs, executor.map(lambda job: count(*job), jobs)))
    columns = len(arguments.programs)
    print("| variant | masses |" + (" instructions |" if columns == 1 else " before | after | |"))
    print("|---|--:|" + "--:|" * (1 if columns == 1 else 3))
    for variant in arguments.variants:
        for masses in arguments.masses:
            numbers = [counts[program, variant, masses] for program in arguments.programs]
            row = [f"{number:.0f}" for number in numbers]
            if columns > 1:
                row.append(f"{100 * (numbers[-1] / numbers[0] - 1):+.0f} %".replace("-", "−"))
            print(f"| {variant} | {masses} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
