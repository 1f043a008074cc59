#!/usr/bin/env python3
"""Runs every FMU for co-simulation of a folder by itself and compares it with a plain FMI loop.

    tools/survey_fmus.py ERGON FOLDER [--only PATTERN] [--work DIRECTORY]

FOLDER holds FMUs of FMI 1.0, 2.0 and 3.0 in the layout of the FMI cross-check: TOOL/VERSION/NAME/NAME.fmu, beside it NAME_ref.opt, NAME_in.csv
and NAME_ref.csv where there are any. Each is run with `ERGON run-single NAME.fmu --options NAME_ref.opt --input NAME_in.csv`, in process and
with --isolate (the bytes of results.csv must be the same), and by a loop of this script that knows nothing of Ergon: set the inputs, step, get
the outputs; FMUs of FMI 3.0 that have an event mode are given their inputs in it. The loop takes from Ergon's results only the step size and the
ends of the run. Every value that both have must be the same number; texts, too, but no bytes. The loop is a process of its own.
Values at the times of NAME_ref.csv are compared with it: the largest deviation is reported, relative to the range of its column, and how many
values differ at all.
Prints one line per FMU and a table by tool; exit code 1 where something differs from the loop or fails for a reason that is not its own machine.
"""
import argparse
import bisect
import csv
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

from plain_fmu import PlainFmu, description, variables

RECORDED_LOCALS = 20  # of FMUs without outputs: so many of their variables are compared


# ── The plain loop ──


def cell_value(text):
    """A number where it is one, else the text."""
    text = text.strip()
    if text in ("true", "false"):
        return int(text == "true")
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        return text


class Table:
    """Columns of a CSV file: linear between points where they are continuous, else held; repeated times are jumps."""

    def __init__(self, file, known):
        with open(file, newline="", encoding="utf-8-sig") as stream:
            rows = [r for r in csv.reader(stream, skipinitialspace=True) if r]
        self.names = rows[0][1:]
        data = [[cell_value(c) for c in r] for r in rows[1:]]
        self.times = [float(r[0]) for r in data]
        self.columns = [[r[i + 1] for r in data] for i in range(len(self.names))]
        self.linear = [known[n].is_linear for n in self.names]

    def at(self, t):
        after = bisect.bisect_right(self.times, t)
        if after == 0:
            values = [c[0] for c in self.columns]
        elif after == len(self.times):
            values = [c[-1] for c in self.columns]
        else:
            share = (t - self.times[after - 1]) / (self.times[after] - self.times[after - 1])
            values = [c[after - 1] + (c[after] - c[after - 1]) * share if linear else c[after - 1]
                      for c, linear in zip(self.columns, self.linear)]
        return dict(zip(self.names, values))


def plain_loop(fmu, table_file, start, stop, step, names):
    """Rows [t, value of each of `names`] to standard output, exactly."""
    with tempfile.TemporaryDirectory() as folder:
        plain = PlainFmu(fmu, folder)
        begin, end, width = Fraction(start), Fraction(stop), Fraction(step)
        table = Table(table_file, plain.variables) if table_file else None
        fed = plain.groups(table.names) if table else []
        wanted = plain.groups(names)
        plain.prepare(float(begin), float(end))
        if table:
            plain.set(fed, table.at(float(begin)))
        plain.start()
        rows = [[float(begin)] + plain.get(wanted)]
        at = begin
        while at < end:
            h = min(width, end - at)
            if table and not plain.has_events:
                plain.set(fed, table.at(float(at)))
            if not plain.step(float(at), float(h)):
                break  # it asks to end
            at += h
            if table and plain.has_events:
                plain.event([(fed, table.at(float(at)))])
            rows.append([float(at)] + plain.get(wanted))
        for row in [[c for g in wanted for c in g.columns]] + rows:
            print("\nloop:", json.dumps([v.decode() if isinstance(v, bytes) else v for v in row]))
        sys.stdout.flush()
        os._exit(0)  # what an FMU does at its end is not looked at


# ── The survey ──

def run_ergon(ergon, fmu, out, more):
    base = fmu[:-4]
    command = [ergon, "run-single", fmu, "--out", out, "--quiet", "--check", "off"]
    if os.path.exists(base + "_ref.opt"):
        command += ["--options", base + "_ref.opt"]
    if os.path.exists(base + "_in.csv"):
        command += ["--input", base + "_in.csv"]
    done = subprocess.run(command + more, capture_output=True, text=True, cwd=os.path.dirname(out))
    return done.returncode, (done.stderr + done.stdout).strip()


def columns_of(file):
    with open(file, newline="") as stream:
        rows = csv.reader(line for line in stream if not line.startswith("#"))
        names = next(rows)
        return names, list(rows)


def value_of(text, items):
    """A cell of results.csv: enumerations are recorded by the names of their items."""
    return items[text] if text in items else cell_value(text)


def is_same(one, other):
    if isinstance(one, int) and isinstance(other, int) and not isinstance(other, bool):
        return (one - other) % 2**64 == 0  # UInt64 is recorded as the integer with sign of the same bits
    return one == other


def places(names):
    return {re.sub(r"^fmu\.| \[.*\]$", "", n): i for i, n in enumerate(names)}


def compare(results, loop, known):
    """How many values were compared, and how many of them differ."""
    names, rows = columns_of(results)
    heads = loop[0]
    place = places(names)
    columns = [(0, {})] + [(place[n], known[n].items if n in known else {}) for n in heads]
    compared = differing = 0
    for row, values in zip(rows, loop[1:]):
        for (column, items), value in zip(columns, values):
            compared += 1
            differing += not is_same(value_of(row[column], items), value)
    if len(rows) - (len(loop) - 1) not in (0, 1):  # an FMU that ends within a step holds its values to the end of it
        differing += 1
    return compared, differing


def deviation(results, reference, known):
    """From values of a reference at times that both have: how many there are, how many differ, and the largest by the range of its column."""
    with open(reference, newline="", encoding="utf-8-sig") as stream:
        heads, *table = [r for r in csv.reader(stream, skipinitialspace=True) if r]
    names, rows = columns_of(results)
    at = {round(float(r[0]), 9): r for r in rows}
    place = places(names)
    times = [round(float(r[0]), 9) for r in table]
    common = [(at[t], r) for t, r in zip(times, table) if t in at and times.count(t) == 1] if len(times) < 5000 else []
    compared, differing, largest = 0, 0, 0.0
    for column, head in enumerate(heads[1:], 1):
        cells = [f"{head}[{i}]" for i in range(known[head].size)] if head in known and known[head].size > 1 else [head]
        if head not in known or any(c not in place for c in cells):
            continue
        for i, cell in enumerate(cells):
            pairs = [(value_of(ours[place[cell]], known[head].items), value_of(theirs[column].split()[i] if len(cells) > 1 else theirs[column],
                                                                             known[head].items)) for ours, theirs in common]
            compared += len(pairs)
            differing += sum(a != b for a, b in pairs)
            numbers = [(a, b) for a, b in pairs if not isinstance(a, str) and not isinstance(b, str)]
            if numbers:
                width = max(b for _, b in numbers) - min(b for _, b in numbers) or abs(numbers[0][1]) or 1.0
                largest = max([largest] + [abs(a - b) / width for a, b in numbers])
    return {"compared": compared, "differing": differing, "largest": float(f"{largest:.2g}")}


def survey(ergon, fmu, work):
    root = description(fmu)
    known = variables(root)
    names = [n for n, v in known.items() if v.causality == "output"]
    more = []
    if not names:
        locals_ = [n for n, v in known.items()
                   if v.causality in ("local", "internal") and v.variability == "continuous" and not re.search(r"[*?]", n)]
        names = locals_[:RECORDED_LOCALS]
        for name in names:
            more += ["--record", name]
    here, apart = (os.path.join(work, n) for n in ("here", "apart"))
    code, said = run_ergon(ergon, fmu, here, more)
    if code != 0:
        return {"runs": False, "why": said.splitlines()[0] if said else f"exit code {code}"}
    result = {"runs": True, "outputs": len(names), "said": "no outputs" if more else ""}
    code, said = run_ergon(ergon, fmu, apart, more + ["--isolate", "--keep-environment"])
    with open(here + "/results.csv", "rb") as a:
        result["isolated"] = code == 0 and open(apart + "/results.csv", "rb").read() == a.read()
    settings = open(here + "/scenario.toml").read()
    start, stop, step = (re.search(rf"^{k} = (\S+)$", settings, re.M).group(1) for k in ("start_time", "stop_time", "step_size"))
    table = fmu[:-4] + "_in.csv"
    loop = subprocess.run([sys.executable, __file__, "--loop", fmu, table if os.path.exists(table) else "", start, stop, step] + names,
                          capture_output=True, text=True, cwd=work)
    lines = [json.loads(x[6:]) for x in loop.stdout.splitlines() if x.startswith("loop: ")]
    if loop.returncode != 0 or not lines:
        result["loop"] = "the plain loop fails: " + (loop.stderr.strip().splitlines() or ["?"])[-1]
        return result
    result["compared"], result["differing"] = compare(here + "/results.csv", lines, known)
    reference = fmu[:-4] + "_ref.csv"
    if os.path.exists(reference):
        result["reference"] = deviation(here + "/results.csv", reference, known)
    return result


def main():
    if sys.argv[1:2] == ["--loop"]:
        fmu, table, start, stop, step = sys.argv[2:7]
        plain_loop(fmu, table, start, stop, step, sys.argv[7:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ergon")
    parser.add_argument("folder")
    parser.add_argument("--only", default="*")
    parser.add_argument("--work")
    arguments = parser.parse_args()
    tools, failed = {}, False
    for folder, _, files in sorted(os.walk(os.path.abspath(arguments.folder))):
        for file in sorted(f for f in files if f.endswith(".fmu")):
            fmu = os.path.join(folder, file)
            name = os.path.relpath(fmu, os.path.abspath(arguments.folder))
            if not fnmatch.fnmatch(name, arguments.only):
                continue
            if arguments.work:
                os.makedirs(arguments.work, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=arguments.work and os.path.abspath(arguments.work)) as work:
                result = survey(os.path.abspath(arguments.ergon), fmu, work)
            print(name, json.dumps(result), flush=True)
            row = tools.setdefault(name.split(os.sep)[0], [0, 0, 0, 0, set()])
            same = result.get("differing") == 0
            for i, counts in enumerate([True, result["runs"], result.get("isolated"), same]):
                row[i] += bool(counts)
            if not result["runs"]:
                row[4].add(result["why"])
            failed = failed or (result["runs"] and not (result["isolated"] and same))
    print("\n| tool | FMUs | run | isolated: same bytes | equal to the loop | what keeps the rest |")
    print("|---|--:|--:|--:|--:|---|")
    for tool, row in sorted(tools.items()):
        print("|", tool, "|", " | ".join(str(n) for n in row[:4]), "|", "; ".join(sorted(row[4])), "|")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
