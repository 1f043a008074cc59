#!/usr/bin/env python3
"""Runs every FMU for model exchange of a folder by itself and compares it with the reference beside it.

    tools/survey_exchange_fmus.py ERGON FOLDER [--only PATTERN] [--tolerance RTOL]

FOLDER holds FMUs with NAME_ref.csv beside NAME.fmu, and NAME_ref.opt and NAME_in.csv where there are any, as the FMI cross-check and the
Reference FMUs have them. Each is run with `ERGON run-single NAME.fmu --interface me`, in process and with --isolate: the bytes of
results.csv must be the same. The error of a column is the largest distance of the reference from what the run takes on within one interval
around the time of the reference (events of two solvers are not at the same instant), as a share of the reference's range (of its value,
where it is constant). References come from solvers with tolerances of their own: at most 1 % is called equal. Those of the Reference FMUs are made by Euler's
method: for Dahlquist, BouncingBall and VanDerPol of that tool solutions of this script, closed or by small steps of fourth order, take their place.
Prints one line per FMU and a table by folder; exit code 1 where one that runs is not equal.
"""
import argparse
import bisect
import csv
import fnmatch
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zipfile

EQUAL = 0.01
WORDS = {"true": 1.0, "false": 0.0}


def table_of(file):
    with open(file, newline="", encoding="utf-8-sig") as stream:
        rows = [r for r in csv.reader((x for x in stream if not x.startswith("#")), skipinitialspace=True) if r]
    return [re.sub(r" \[.*\]$", "", n.strip()) for n in rows[0]], rows[1:]


def number(text):
    return WORDS[text.strip()] if text.strip() in WORDS else float(text)


def error_of(reference, run, interval):
    """Of one column: (t, value) of both, as a share of the range."""
    values = [v for _, v in reference]
    span = max(values) - min(values)
    scale = span if span > 1e-9 * max(abs(v) for v in values) else abs(values[0]) or 1.0
    times = [t for t, _ in run]

    def at(t):
        i = bisect.bisect_right(times, t)
        if i == 0:
            return run[0][1]
        if i == len(run):
            return run[-1][1]
        (t0, v0), (t1, v1) = run[i - 1], run[i]
        return v0 + (v1 - v0) * (t - t0) / (t1 - t0)

    worst = 0.0
    for t, value in reference:
        first, last = bisect.bisect_left(times, t - interval), bisect.bisect_right(times, t + interval)
        near = [v for _, v in run[first:last]] + [at(t - interval), at(t + interval)]
        worst = max(worst, min(near) - value, value - max(near))
    return worst / scale


# ── Solutions of the Reference FMUs, by their names: columns at a time ──

def dahlquist(times):
    return ["x"], [[math.exp(-t)] for t in times]


def bouncing_ball(times):
    g, e, slow = 9.81, 0.7, 0.1
    rows = []
    for t in times:
        begin, flight, h, v = 0.0, math.sqrt(2.0 / g), 1.0, 0.0
        rests = False
        while not rests and t >= begin + flight:
            v = e * (g * flight if begin == 0.0 else v)
            h, begin, flight, rests = 0.0, begin + flight, 2.0 * v / g, v < slow
        s = t - begin
        rows.append([0.0, 0.0] if rests else [h + v * s - 0.5 * g * s * s, v - g * s])
    return ["h", "v"], rows


def van_der_pol(times):
    def f(x, y):
        return y, (1.0 - x * x) * y - x
    x, y, at, rows = 2.0, 0.0, 0.0, []
    for t in times:
        steps = max(1, round((t - at) / 1e-3))
        h = (t - at) / steps
        for _ in range(steps):
            a = f(x, y)
            b = f(x + 0.5 * h * a[0], y + 0.5 * h * a[1])
            c = f(x + 0.5 * h * b[0], y + 0.5 * h * b[1])
            d = f(x + h * c[0], y + h * c[1])
            x += h / 6.0 * (a[0] + 2.0 * b[0] + 2.0 * c[0] + d[0])
            y += h / 6.0 * (a[1] + 2.0 * b[1] + 2.0 * c[1] + d[1])
        at = t
        rows.append([x, y])
    return ["x0", "x1"], rows


SOLUTIONS = {"dahlquist": dahlquist, "bouncingball": bouncing_ball, "van der pol oscillator": van_der_pol}


def description(fmu):
    with zipfile.ZipFile(fmu) as archive:
        return xml.etree.ElementTree.fromstring(archive.read("modelDescription.xml"))


def solution_of(fmu):
    root = description(fmu)
    return SOLUTIONS.get(root.get("modelName").lower()) if "Reference" in root.get("generationTool", "") else None


def compare(results, reference, solution):
    """Largest error of all columns that both have, and how many there are."""
    names, rows = table_of(results)
    wanted, points = table_of(reference)
    if solution:
        columns, values = solution([float(p[0]) for p in points])
        wanted, points = ["time"] + columns, [[p[0]] + [repr(v) for v in row] for p, row in zip(points, values)]
    place = {n: i for i, n in enumerate(names)}
    times = [float(r[0]) for r in rows]
    end = times[-1]
    interval = max(max((b - a for a, b in zip(times, times[1:])), default=0.0), 1e-9)
    worst, compared = 0.0, 0
    for column, name in enumerate(wanted[1:], 1):
        # Components of an array are columns here and words of one column there.
        parts = [name] if "fmu." + name in place else [n for n in (f"{name}[{i}]" for i in range(9)) if "fmu." + n in place]
        for part, label in enumerate(parts):
            own = place["fmu." + label]
            try:
                run = [(t, number(r[own])) for t, r in zip(times, rows) if r[own] != ""]
                theirs = [(float(p[0]), number(p[column].split()[part])) for p in points if float(p[0]) <= end + 1e-9]
            except (ValueError, IndexError):
                continue  # texts
            compared += 1
            worst = max(worst, error_of(theirs, run, interval))
    return worst, compared


def step_of(options):
    """The step, else the output interval, else a thousandth of the run."""
    with open(options) as stream:
        values = dict((part.strip(' "\r\n') for part in line.split(",", 1)) for line in stream if "," in line)
    for key in ("StepSize", "OutputIntervalLength"):
        if float(values.get(key, 0) or 0) > 0.0:
            return values[key]
    return repr((float(values["StopTime"]) - float(values.get("StartTime", 0))) / 1000.0)


def inputs_of(table, known, target):
    """The columns that the FMU has: one table may be meant for several versions of FMI."""
    with open(table, newline="", encoding="utf-8-sig") as stream:
        rows = [r for r in csv.reader(stream, skipinitialspace=True) if r]
    columns = [0] + [i for i, name in enumerate(rows[0]) if i > 0 and name in known]
    with open(target, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([row[i] for i in columns] for row in rows)
    return target


def run(arguments, fmu, out, more):
    base = fmu[:-4]
    command = [os.path.abspath(arguments.ergon), "run-single", fmu, "--interface", "me", "--out", out, "--quiet", "--check", "off",
               "--tolerance", arguments.tolerance]
    known = {node.get("name") for node in description(fmu).find("ModelVariables")}
    if os.path.exists(base + "_ref.opt"):
        command += ["--options", base + "_ref.opt", "--step-size", step_of(base + "_ref.opt")]
    if os.path.exists(base + "_in.csv"):
        command += ["--input", inputs_of(base + "_in.csv", known, out + "_in.csv")]
    with open(base + "_ref.csv", encoding="utf-8-sig") as stream:
        for name in (n.strip() for n in next(csv.reader(stream))[1:]):  # references are also of variables that are not outputs
            if name in known and not re.search(r"[*?]", name):
                command += ["--record", name]
    done = subprocess.run(command + more, capture_output=True, text=True, cwd=os.path.dirname(out))
    said = (done.stderr + done.stdout).strip().splitlines()
    return done.returncode, next((x for x in said if "error" in x), said[0] if said else f"exit code {done.returncode}")


def survey(arguments, fmu, work):
    here, apart = (os.path.join(work, n) for n in ("here", "apart"))
    code, said = run(arguments, fmu, here, [])
    if code != 0:
        return {"runs": False, "why": said}
    code, said = run(arguments, fmu, apart, ["--isolate", "--keep-environment"])
    with open(here + "/results.csv", "rb") as a:
        same = code == 0 and open(apart + "/results.csv", "rb").read() == a.read()
    error, compared = compare(here + "/results.csv", fmu[:-4] + "_ref.csv", solution_of(fmu))
    return {"runs": True, "isolated": same, "error": error, "columns": compared, "equal": compared > 0 and error <= EQUAL,
            "why": said if not same else ""}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ergon")
    parser.add_argument("folder")
    parser.add_argument("--only", default="*")
    parser.add_argument("--tolerance", default="1e-6")
    arguments = parser.parse_args()
    root, groups, failed = os.path.abspath(arguments.folder), {}, False
    for folder, _, files in sorted(os.walk(root)):
        for file in sorted(f for f in files if f.endswith(".fmu") and os.path.exists(os.path.join(folder, f[:-4] + "_ref.csv"))):
            fmu = os.path.join(folder, file)
            name = os.path.relpath(fmu, root)
            if not fnmatch.fnmatch(name, arguments.only):
                continue
            with tempfile.TemporaryDirectory() as work:
                result = survey(arguments, fmu, work)
            print(name, result, flush=True)
            row = groups.setdefault(name.split(os.sep)[0], [0, 0, 0, 0, 0.0])
            for i, counts in enumerate([True, result["runs"], result.get("isolated"), result.get("equal")]):
                row[i] += bool(counts)
            row[4] = max(row[4], result.get("error", 0.0))
            failed = failed or (result["runs"] and not (result["isolated"] and result["equal"]))
    print("\n| folder | FMUs | run | isolated: same bytes | within 1 % of the reference | largest error |")
    print("|---|--:|--:|--:|--:|--:|")
    for group, row in sorted(groups.items()):
        print("|", group, "|", " | ".join(str(n) for n in row[:4]), "|", f"{100.0 * row[4]:.2g} % |")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
