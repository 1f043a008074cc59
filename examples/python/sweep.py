"""A parameter from light to heavy: energy that the coupling makes, and how far each run can be trusted, as a table and a picture."""

from pathlib import Path

import ergon

SCENARIO = Path(__file__).resolve().parents[2] / "benchmarks" / "lim-oscillator" / "f-s.toml"
sweep = ergon.sweep(SCENARIO, {"right.m": "log(0.01,10,7)"}, measures={"peak": "max(right.position)"},
                    set={"simulation.stop_time": 1, "bond.coupling.feedthrough": "refresh"})
for mass, verdict, peak in zip(sweep["right.m"], sweep["verdict"], sweep["peak"]):
    print(f"right.m = {mass:8.3g} kg: {verdict:10} peak {peak:6.3f} m")
try:
    import matplotlib.pyplot as plot
except ImportError:
    plot = None
if plot:
    plot.semilogx(sweep["right.m"], sweep["peak"], "o-")
    plot.xlabel("right.m in kg"), plot.ylabel("peak in m")
    plot.savefig("sweep.png")
