#!/usr/bin/env python3
"""Runs an OSP system by a plain loop with fixed steps and compares it with results of Ergon.

    ergon run FOLDER --stop-time 5 --check off -o OUT --set 'output.variables=["*"]' --set step_control.method=fixed
    tools/plain_osp_loop.py FOLDER OUT/results.csv [--rounded]

The loop knows nothing of Ergon and takes from the results only the end of the run: before the start it passes outputs on as often as there
are simulators, then it steps all FMUs (FMI 1.0 and 2.0) and passes their outputs on, step by step. --rounded: the length of each step is
the difference of its rounded ends, as libcosim computes it. Functions and power bonds of the file are not looked at; algorithms neither.
Prints how many values there are, how many have the same bits, and the largest difference per output where there is one.
"""
import argparse
import csv
import glob
import os
import sys
import tempfile
import xml.etree.ElementTree as tree

from plain_fmu import PlainFmu


class Fmu(PlainFmu):
    """What is sent to it waits until it is taken."""

    def __init__(self, file, name, folder):
        super().__init__(file, folder, name)
        self.pending, self.single = {}, {}

    def cell(self, name):
        if name not in self.single:
            self.single[name] = self.groups([name])
        return self.single[name]

    def value(self, name):
        return self.get(self.cell(name))[0]

    def take(self):
        for name, value in self.pending.items():
            self.set(self.cell(name), {name: value})
        self.pending = {}


def local(node):
    return node.tag.split("}")[1]


def groups_of(file):
    """Variable groups of an OspModelDescription by name, groups in groups flattened."""
    groups = {}

    def walk(node):
        names = [n for c in node for n in ([c.get("ref")] if local(c) == "Variable" else walk(c))]
        groups[node.get("name")] = names
        return names

    for section in tree.parse(file).getroot():
        for node in section:
            walk(node)
    return groups


class System:
    def __init__(self, folder, work):
        root = tree.parse(os.path.join(folder, "OspSystemStructure.xml")).getroot()
        section = {local(node): node for node in root}
        self.step_ns = round(float(section["BaseStepSize"].text) * 1e9)
        self.fmus, groups, self.links = {}, {}, []
        for node in section["Simulators"]:
            name, source = node.get("name"), os.path.join(folder, node.get("source"))
            self.fmus[name] = fmu = Fmu(source, name, os.path.join(work, str(len(self.fmus))))
            if node.get("stepSize") and float(node.get("stepSize")) != self.step_ns * 1e-9:
                sys.exit(f"{name}: steps of its own are not made by this loop")
            for value in (v for n in node for v in n):
                typed = value[0]
                read = {"Real": float, "Integer": int, "Boolean": lambda text: text in ("1", "true"), "String": str.encode}
                fmu.pending[value.get("variable")] = read[local(typed)](typed.get("value"))
            fmu.take()
            for file in glob.glob(glob.escape(source[:-4]) + "_OspModelDescription.xml"):
                groups[name] = groups_of(file)
        for node in section["Connections"]:
            a, b = node
            ends = [[end.get("name")] if local(end) == "Variable" else groups[end.get("simulator")][end.get("name")] for end in (a, b)]
            one, other = (self.fmus[end.get("simulator")] for end in (a, b))
            for x, y in zip(*ends):
                is_forward = one.variables[x].causality != "input"
                self.links.append((one, x, other, y) if is_forward else (other, y, one, x))

    def transfer(self):
        for sender, output, receiver, name in self.links:
            receiver.pending[name] = sender.value(output)

    def start(self):
        for fmu in self.fmus.values():
            fmu.prepare(0.0, None)
        for _ in self.fmus:
            for fmu in self.fmus.values():
                fmu.take()
            self.transfer()
        for fmu in self.fmus.values():
            fmu.take()
            fmu.start()
        self.transfer()

    def step(self, number, is_rounded):
        begin, end = number * self.step_ns / 1e9, (number + 1) * self.step_ns / 1e9
        for fmu in self.fmus.values():
            fmu.take()
            fmu.step(begin, end - begin if is_rounded else self.step_ns / 1e9)
        self.transfer()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("results")
    parser.add_argument("--rounded", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.results, newline="") as stream:
        rows = list(csv.reader(stream))
    with tempfile.TemporaryDirectory() as work:
        system = System(arguments.folder, work)
        columns = []  # of the results, with the output in it
        for place, head in enumerate(rows[0][1:], 1):
            name, _, variable = head.split(" [")[0].partition(".")
            if name in system.fmus and variable in system.fmus[name].variables:
                columns.append((place, system.fmus[name], variable))
        system.start()
        values = same = 0
        largest = {}
        steps = 0
        for row in rows[1:]:
            wanted = round(float(row[0]) * 1e9 / system.step_ns)  # rows may be fewer than steps (LogConfig.xml, output.interval)
            for steps in range(steps, wanted):
                system.step(steps, arguments.rounded)
            steps = wanted
            for place, fmu, variable in columns:
                found = row[place]
                found = float(found == "true") if found in ("true", "false") else float(found)
                value = float(fmu.value(variable))
                values += 1
                same += value == found
                head = rows[0][place]
                if value != found:
                    largest[head] = max(largest.get(head, 0.0), abs(value - found))
        print(f"{values} values, {same} with the same bits")
        for head, difference in largest.items():
            print(f"  {head}: {difference:.2g}")
        sys.stdout.flush()
        os._exit(0)  # what an FMU does at its end is not looked at


if __name__ == "__main__":
    main()
