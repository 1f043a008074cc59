#!/usr/bin/env python3
"""What `ergon report` takes of memory, by the number of communication points (docs/performance.md).

    tools/report_memory.py build/ergon [POINTS ...]

Runs two masses on a spring (13 columns in results.csv and bonds.csv) in a temporary folder and makes their page; prints the peak of
resident memory, the size of files and page, and the time on the processor.
"""
import os
import pathlib
import sys
import tempfile

SCENARIO = """
simulation = { stop_time = 1.0, step_size = 1e-3, check = "off" }
[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = { m = 1.0, k = 10.0, kc = 100.0 }
initial = { v = 100.0 }
[[subsystem]]
name = "right"
model = "oscillator.mass"
parameters = { m = 1.0, k = 1000.0 }
initial = { v = -100.0 }
[[bond]]
name = "spring"
a = { effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" }
b = { effort = "right.force", flow = "right.velocity", displacement = "right.position" }
"""


def usage_of(command):
    """Runs it; what it has used."""
    child = os.posix_spawn(command[0], command, os.environ,
                           file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: exit status {status}")
    return usage


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ergon = str(pathlib.Path(sys.argv[1]).resolve())
    counts = [int(float(text)) for text in sys.argv[2:]] or [10**5, 4 * 10**5, 10**6]
    print("| points | CSV files [MB] | page [MB] | peak memory [MB] | processor [s] |\n|---|---|---|---|---|")
    for points in counts:
        with tempfile.TemporaryDirectory() as folder:
            scenario, out = f"{folder}/two.toml", f"{folder}/out"
            pathlib.Path(scenario).write_text(SCENARIO)
            usage_of([ergon, "run", scenario, "--quiet", "--set", f"simulation.stop_time={points / 1000}",
                      "--out", out])
            usage = usage_of([ergon, "report", out])
            tables = sum(file.stat().st_size for file in pathlib.Path(out).glob("*.csv"))
            page = pathlib.Path(out, "report.html").stat().st_size
            print(f"| {points:.0e} | {tables / 1e6:.0f} | {page / 1e6:.1f} | {usage.ru_maxrss / 1024:.0f} | "
                  f"{usage.ru_utime + usage.ru_stime:.1f} |")


if __name__ == "__main__":
    main()
