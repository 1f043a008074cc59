"""A parameter from light to heavy, in threads: what the coupling costs in energy, and how far the results can be trusted."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ergon

SCENARIO = Path(__file__).resolve().parents[2] / "benchmarks" / "lim-oscillator" / "f-s.toml"
MASSES = [0.01, 0.1, 1.0, 10.0]


def run(mass):
    return ergon.run(SCENARIO, set={"right.m": mass, "bond.coupling.feedthrough": "refresh"}, stop_time=1)


with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(run, MASSES))
for mass, result in zip(MASSES, results):
    print(f"right.m = {mass:5} kg: {result.verdict.value:10} imbalance {result.bonds['spring' if 'spring' in result.bonds else 'coupling'].imbalance:9.3g} J")
