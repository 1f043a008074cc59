"""The linear oscillator of Lim et al. (2021): energy with a force that arrives one step late, and with the correction by residual power."""

from pathlib import Path

import ergon

SCENARIO = Path(__file__).resolve().parents[2] / "benchmarks" / "lim-oscillator" / "f-s.toml"
plain = ergon.run(SCENARIO)
corrected = ergon.run(SCENARIO, set={"bond.coupling.correction": {"method": "residual-power"}})
for name, result in (("plain", plain), ("corrected", corrected)):
    print(f"{name:10} {result.energy.initial:.0f} J at the start, {result.energy.final:.0f} J after 10 s")
try:
    import matplotlib.pyplot as plot
except ImportError:
    plot = None
if plot:
    for name, result in (("plain", plain), ("corrected", corrected)):
        energy = result.table("energy.csv")
        plot.plot(energy["time"], energy["left.stored"] + energy["right.stored"], label=name)
    plot.xlabel("time in s"), plot.ylabel("energy in J"), plot.legend()
    plot.savefig("energy.png")
