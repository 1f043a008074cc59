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
import ctypes
import glob
import os
import sys
import tempfile
import xml.etree.ElementTree as tree
import zipfile

LOGGER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
ACCEPTED = (0, 1)  # ok, warning


class Callbacks1(ctypes.Structure):
    _fields_ = [("logger", LOGGER), ("allocate", ctypes.c_void_p), ("free", ctypes.c_void_p), ("finished", ctypes.c_void_p)]


class Callbacks2(ctypes.Structure):
    _fields_ = Callbacks1._fields_ + [("environment", ctypes.c_void_p)]


class Fmu:
    def __init__(self, file, name, folder):
        self.name, self.pending = name, {}
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
        root = tree.parse(os.path.join(folder, "modelDescription.xml")).getroot()
        self.is_1 = root.get("fmiVersion") == "1.0"
        self.variables = {}
        for node in root.find("ModelVariables"):
            kind = next(c.tag for c in node if c.tag in ("Real", "Integer", "Boolean", "Enumeration", "String"))
            kind = "Integer" if kind == "Enumeration" else kind
            self.variables[node.get("name")] = (int(node.get("valueReference")), kind, node.get("causality", "local"))
        identifier = (root if self.is_1 else root.find("CoSimulation")).get("modelIdentifier")
        self.prefix = identifier + "_fmi" if self.is_1 else "fmi2"
        self.library = ctypes.CDLL(os.path.join(folder, "binaries", "linux64", identifier + ".so"))
        libc = ctypes.CDLL(None)
        functions = [LOGGER(lambda *_: None), ctypes.cast(libc.calloc, ctypes.c_void_p), ctypes.cast(libc.free, ctypes.c_void_p), None]
        guid, uri = root.get("guid").encode(), "file://" + os.path.abspath(folder)
        if self.is_1:
            self.callbacks = Callbacks1(*functions)
            make = getattr(self.library, self.prefix + "InstantiateSlave")
            make.argtypes = [ctypes.c_char_p] * 4 + [ctypes.c_double, ctypes.c_char, ctypes.c_char, Callbacks1, ctypes.c_char]
            arguments = (name.encode(), guid, uri.encode(), b"application/x-fmu-sharedlibrary", 0.0, b"\0", b"\0", self.callbacks, b"\0")
        else:
            self.callbacks = Callbacks2(*functions, None)
            make = self.library.fmi2Instantiate
            arguments = (name.encode(), 1, guid, (uri + "/resources").encode(), ctypes.byref(self.callbacks), 0, 0)
        make.restype = ctypes.c_void_p
        self.component = ctypes.c_void_p(make(*arguments))

    def call(self, function, *arguments):
        status = getattr(self.library, self.prefix + function)(self.component, *arguments)
        if status not in ACCEPTED:
            sys.exit(f"{self.name}: {function} returns {status}")

    def cell(self, name):
        reference, kind, _ = self.variables[name]
        types = {"Real": ctypes.c_double, "Integer": ctypes.c_int, "String": ctypes.c_char_p,
                 "Boolean": ctypes.c_byte if self.is_1 else ctypes.c_int}
        return kind, ctypes.byref(ctypes.c_uint(reference)), types[kind]

    def get(self, name):
        kind, reference, make = self.cell(name)
        value = make()
        self.call("Get" + kind, reference, ctypes.c_size_t(1), ctypes.byref(value))
        return value.value

    def set(self, name, value):
        kind, reference, make = self.cell(name)
        self.call("Set" + kind, reference, ctypes.c_size_t(1), ctypes.byref(make(value)))

    def take(self):
        for name, value in self.pending.items():
            self.set(name, value)
        self.pending = {}

    def prepare(self):
        if not self.is_1:
            self.call("SetupExperiment", 0, ctypes.c_double(0.0), ctypes.c_double(0.0), 0, ctypes.c_double(0.0))
            self.call("EnterInitializationMode")

    def start(self):
        self.take()
        if self.is_1:
            self.call("InitializeSlave", ctypes.c_double(0.0), ctypes.c_char(b"\0"), ctypes.c_double(0.0))
        else:
            self.call("ExitInitializationMode")

    def step(self, t, h):
        self.take()
        self.call("DoStep", ctypes.c_double(t), ctypes.c_double(h), ctypes.c_char(b"\1") if self.is_1 else 1)


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
                fmu.set(value.get("variable"), read[local(typed)](typed.get("value")))
            for file in glob.glob(glob.escape(source[:-4]) + "_OspModelDescription.xml"):
                groups[name] = groups_of(file)
        for node in section["Connections"]:
            a, b = node
            ends = [[end.get("name")] if local(end) == "Variable" else groups[end.get("simulator")][end.get("name")] for end in (a, b)]
            one, other = (self.fmus[end.get("simulator")] for end in (a, b))
            for x, y in zip(*ends):
                is_forward = one.variables[x][2] != "input"
                self.links.append((one, x, other, y) if is_forward else (other, y, one, x))

    def transfer(self):
        for sender, output, receiver, name in self.links:
            receiver.pending[name] = sender.get(output)

    def start(self):
        for fmu in self.fmus.values():
            fmu.prepare()
        for _ in self.fmus:
            for fmu in self.fmus.values():
                fmu.take()
            self.transfer()
        for fmu in self.fmus.values():
            fmu.start()
        self.transfer()

    def step(self, number, is_rounded):
        begin, end = number * self.step_ns / 1e9, (number + 1) * self.step_ns / 1e9
        for fmu in self.fmus.values():
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
        for number, row in enumerate(rows[1:]):
            if number:
                system.step(number - 1, arguments.rounded)
            for place, fmu, variable in columns:
                found = row[place]
                found = float(found == "true") if found in ("true", "false") else float(found)
                value = float(fmu.get(variable))
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
