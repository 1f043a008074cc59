#!/usr/bin/env python3
"""Runs every FMU for co-simulation of a folder by itself and compares it with a plain FMI loop.

    tools/survey_fmus.py ERGON FOLDER [--only PATTERN] [--work DIRECTORY]

FOLDER holds FMUs of FMI 2.0 in the layout of the FMI cross-check: TOOL/VERSION/NAME/NAME.fmu, beside it NAME_ref.opt and NAME_in.csv
where there are any. Each is run with `ERGON run-single NAME.fmu --options NAME_ref.opt --input NAME_in.csv`, in process and with
--isolate (the bytes of results.csv must be the same), and by a loop of this script that knows nothing of Ergon: set the inputs, step, get
the outputs. It takes from Ergon's results only the step size and the ends of the run. Every value that both have must be the same double.
The loop is a process of its own.
Prints one line per FMU and a table by tool; exit code 1 where something differs or fails for a reason that is not its own machine.
"""
import argparse
import bisect
import csv
import ctypes
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zipfile
from fractions import Fraction

TYPES = ("Real", "Integer", "Boolean", "Enumeration")
RECORDED_LOCALS = 20  # of FMUs without outputs: so many of their variables are compared


def description(fmu):
    with zipfile.ZipFile(fmu) as archive:
        return xml.etree.ElementTree.fromstring(archive.read("modelDescription.xml"))


def variables(root):
    """Name: (reference, type, causality, variability), of all that are numbers."""
    found = {}
    for node in root.find("ModelVariables"):
        typed = next((child for child in node if child.tag in TYPES), None)
        if typed is None:
            continue
        kind = "Integer" if typed.tag == "Enumeration" else typed.tag
        usual = "continuous" if kind == "Real" else "discrete"
        found[node.get("name")] = (int(node.get("valueReference")), kind, node.get("causality", "local"),
                                   node.get("variability", usual))
    return found


# ── The plain loop ──

STRUCT = [("logger", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)),
          ("allocate", ctypes.c_void_p), ("free", ctypes.c_void_p), ("finished", ctypes.c_void_p), ("environment", ctypes.c_void_p)]


class Callbacks(ctypes.Structure):
    _fields_ = STRUCT


class PlainFmu:
    def __init__(self, fmu, folder):
        with zipfile.ZipFile(fmu) as archive:
            for entry in archive.infolist():
                entry.filename = entry.filename.replace("\\", "/")
                archive.extract(entry, folder)
        root = description(fmu)
        self.variables = variables(root)
        identifier = root.find("CoSimulation").get("modelIdentifier")
        binaries = os.path.join(folder, "binaries", "linux64")
        self.library = ctypes.CDLL(os.path.join(binaries, identifier + ".so"))
        libc = ctypes.CDLL(None)
        self.callbacks = Callbacks(STRUCT[0][1](lambda *_: None), ctypes.cast(libc.calloc, ctypes.c_void_p),
                                   ctypes.cast(libc.free, ctypes.c_void_p), None, None)
        self.library.fmi2Instantiate.restype = ctypes.c_void_p
        resources = "file://" + os.path.join(os.path.abspath(folder), "resources")
        self.component = ctypes.c_void_p(self.library.fmi2Instantiate(
            b"plain", 1, root.get("guid").encode(), resources.encode(), ctypes.byref(self.callbacks), 0, 0))
        if not self.component:
            raise RuntimeError("cannot be instantiated")

    def call(self, name, *arguments, accepted=(0, 1)):
        status = getattr(self.library, name)(self.component, *arguments)
        if status not in accepted:
            raise RuntimeError(f"{name} returns {status}")
        return status

    def group(self, names):
        """Variables of one type each: (names, type, references, values)."""
        groups = []
        for kind, c_type in (("Real", ctypes.c_double), ("Integer", ctypes.c_int), ("Boolean", ctypes.c_int)):
            of_kind = [n for n in names if self.variables[n][1] == kind]
            if of_kind:
                references = (ctypes.c_uint * len(of_kind))(*(self.variables[n][0] for n in of_kind))
                groups.append((of_kind, kind, references, (c_type * len(of_kind))()))
        return groups

    def set(self, groups):
        for names, kind, references, values in groups:
            self.call("fmi2Set" + kind, references, ctypes.c_size_t(len(names)), values)

    def get(self, groups):
        row = []
        for names, kind, references, values in groups:
            self.call("fmi2Get" + kind, references, ctypes.c_size_t(len(names)), values)
            row.extend(values)
        return row


class Table:
    """Columns of a CSV file: linear between points where they are continuous, else held; repeated times are jumps."""

    def __init__(self, file, known):
        with open(file, newline="", encoding="utf-8-sig") as stream:
            rows = [r for r in csv.reader(stream, skipinitialspace=True) if r]
        self.names = rows[0][1:]
        number = {"true": 1.0, "false": 0.0}
        data = [[number[c.strip()] if c.strip() in number else float(c) for c in r] for r in rows[1:]]
        self.times = [r[0] for r in data]
        self.columns = [[r[i + 1] for r in data] for i in range(len(self.names))]
        self.linear = [known[n][1] == "Real" and known[n][2] == "input" and known[n][3] == "continuous" for n in self.names]

    def at(self, t):
        after = bisect.bisect_right(self.times, t)
        if after == 0:
            return [c[0] for c in self.columns]
        if after == len(self.times):
            return [c[-1] for c in self.columns]
        share = (t - self.times[after - 1]) / (self.times[after] - self.times[after - 1])
        return [c[after - 1] + (c[after] - c[after - 1]) * share if linear else c[after - 1]
                for c, linear in zip(self.columns, self.linear)]


def plain_loop(fmu, table_file, start, stop, step, names):
    """Rows [t, value of each of `names`] to standard output, exactly."""
    with tempfile.TemporaryDirectory() as folder:
        plain = PlainFmu(fmu, folder)
        begin, end, width = Fraction(start), Fraction(stop), Fraction(step)
        plain.call("fmi2SetupExperiment", 0, ctypes.c_double(0.0), ctypes.c_double(float(begin)), 1, ctypes.c_double(float(end)))
        table = Table(table_file, plain.variables) if table_file else None
        fed = plain.group(table.names) if table else []

        def feed(t):
            if not table:
                return
            values = dict(zip(table.names, table.at(t)))
            for of_kind, kind, _, target in fed:
                for i, name in enumerate(of_kind):
                    target[i] = values[name] if kind == "Real" else int(values[name])
            plain.set(fed)

        wanted = plain.group(names)
        print(json.dumps([n for g in wanted for n in g[0]]))
        plain.call("fmi2EnterInitializationMode")
        feed(float(begin))
        plain.call("fmi2ExitInitializationMode")
        rows = [[float(begin)] + plain.get(wanted)]
        at = begin
        while at < end:
            h = min(width, end - at)
            feed(float(at))
            status = plain.call("fmi2DoStep", ctypes.c_double(float(at)), ctypes.c_double(float(h)), 1, accepted=(0, 1, 2))
            if status == 2:
                break  # it asks to end
            at += h
            rows.append([float(at)] + plain.get(wanted))
        for row in rows:
            print(" ".join(float(v).hex() for v in row))
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


def number(text):
    return {"true": 1.0, "false": 0.0}[text] if text in ("true", "false") else float(text)


def compare(results, loop):
    """How many numbers were compared, and how many of them differ."""
    names, rows = columns_of(results)
    heads = json.loads(loop[0])
    place = {re.sub(r" \[.*\]$", "", n): i for i, n in enumerate(names)}
    columns = [place["fmu." + n] for n in heads]
    compared = differing = 0
    for row, line in zip(rows, loop[1:]):
        values = [float.fromhex(v) for v in line.split()]
        for text, value in [(row[0], values[0])] + [(row[c], v) for c, v in zip(columns, values[1:])]:
            compared += 1
            differing += number(text) != value if text != "" else 1
    if len(rows) - (len(loop) - 1) not in (0, 1):  # an FMU that ends within a step holds its values to the end of it
        differing += 1
    return compared, differing


def survey(ergon, fmu, work):
    root = description(fmu)
    known = variables(root)
    names = [n for n, v in known.items() if v[2] == "output"]
    more = []
    if not names:
        locals_ = [n for n, v in known.items() if v[2] == "local" and v[3] == "continuous" and not re.search(r"[*?]", n)]
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
    lines = [x for x in loop.stdout.splitlines() if x.startswith(("[", "0x", "-0x"))]
    if loop.returncode != 0 or not lines:
        result["loop"] = "the plain loop fails: " + (loop.stderr.strip().splitlines() or ["?"])[-1]
        return result
    result["compared"], result["differing"] = compare(here + "/results.csv", lines)
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
