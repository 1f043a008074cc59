#!/usr/bin/env python3
"""Runs every system of a folder as it is and in the forms that it is converted to, and compares the results.

    tools/survey_systems.py ERGON FOLDER [--stop-time 1] [--only PATTERN] [--work DIRECTORY]

Systems are .ssp and .ssd files and OspSystemStructure*.xml, wherever in FOLDER they are. Each that `ERGON check` accepts runs for so many
seconds, with fixed steps, without a check run. Then it is converted to SSP 2.0, that to TOML, and the system to TOML; the three run as
well, and their results.csv must have the same bytes. Prints a line per system; exit code 1 where results differ, where a conversion of what
runs fails, or where a refusal has neither the file nor exit code 2.
"""
import argparse
import fnmatch
import os
import re
import subprocess
import sys
import tempfile


def call(ergon, *words):
    # FMUs write what they like to their output, in whatever encoding.
    done = subprocess.run([ergon, *words], capture_output=True, timeout=600, stdin=subprocess.DEVNULL)
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def first_error(said):
    found = [line for line in said.splitlines() if " error: " in line]
    return re.sub(r"^\S*/", "", found[0])[:150] if found else said.strip().splitlines()[-1][:150] if said.strip() else ""


def run(ergon, system, out, stop_time):
    """Exit code, what was said, the bytes of results.csv. The end and a step come from the command line where the system has none."""
    words = ["run", system, "-q", "--check", "off", "-o", out]
    # A system that asks for ECCO has steps that react to the last bit; those of others stay as they are.
    words += ["--set", "step_control.method=fixed"] if "ecco" in call(ergon, "check", system)[1] else []
    code, said = call(ergon, *words, "--stop-time", stop_time)
    late = re.search(r"is not after start_time = (\S+)\.", said)
    words += ["--stop-time", str(float(stop_time) + float(late[1])) if late else stop_time]
    if late:
        code, said = call(ergon, *words)
    if code == 2 and "step_size" in said:
        code, said = call(ergon, *words, "--step-size", "1e-3")
    results = os.path.join(out, "results.csv")
    return code, said, open(results, "rb").read() if os.path.exists(results) else b""


def columns(results):
    """Columns of results.csv by name."""
    rows = [line.split(",") for line in results.decode("utf-8", "replace").splitlines()]
    return {column[0]: column[1:] for column in zip(*rows)}


def differing(one, other):
    """Names of columns that are not the same in both."""
    a, b = columns(one), columns(other)
    return {name for name in a.keys() | b.keys() if a.get(name) != b.get(name)}


def survey(ergon, system, stop_time, work):
    original = run(ergon, system, os.path.join(work, "out"), stop_time)
    if original[0] == 2:
        return ("refused" if os.path.basename(system) in original[1] or " error: " in original[1] else "REFUSED WITHOUT A WORD",
                first_error(original[1]))
    if original[0] not in (0, 1):
        return "CRASHED", f"exit code {original[0]}"
    packed, back, text = (os.path.join(work, name) for name in ("a.ssp", "back.toml", "text.toml"))
    for source, target in ((system, packed), (packed, back), (system, text)):
        code, said = call(ergon, "convert", source, target)
        if code != 0:
            return "NOT CONVERTED", first_error(said)
    own = None  # what differs from run to run without a conversion, such as the processor time that an FMU has taken
    for form in (packed, back, text):
        other = run(ergon, form, os.path.join(work, "out-" + os.path.basename(form)), stop_time)
        names = differing(original[2], other[2])
        if names and own is None:
            own = differing(original[2], run(ergon, system, os.path.join(work, "again"), stop_time)[2])
        if other[0] != original[0] or names - (own or set()):
            return "DIFFERENT", f"{os.path.basename(form)}: {', '.join(sorted(names)[:5])} {first_error(other[1])}"
    rows = original[2].count(b"\n") - 1
    own_words = f", but for {', '.join(sorted(own))}, which no two runs have in common" if own else ""
    return ("runs" if original[0] == 0 else "fails while it runs"), f"{rows} rows, the same in all forms{own_words}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ergon")
    parser.add_argument("folder")
    parser.add_argument("--stop-time", default="1")
    parser.add_argument("--only", default="*")
    parser.add_argument("--work")
    arguments = parser.parse_args()
    if arguments.work:
        os.makedirs(arguments.work, exist_ok=True)
    counts, is_good = {}, True
    for folder, _, files in sorted(os.walk(os.path.abspath(arguments.folder))):
        for file in sorted(files):
            name = os.path.relpath(os.path.join(folder, file), os.path.abspath(arguments.folder))
            is_system = file.endswith((".ssp", ".ssd")) or fnmatch.fnmatch(file, "OspSystemStructure*.xml")
            if not is_system or not fnmatch.fnmatch(name, arguments.only):
                continue
            with tempfile.TemporaryDirectory(dir=arguments.work and os.path.abspath(arguments.work)) as work:
                outcome, why = survey(os.path.abspath(arguments.ergon), os.path.join(folder, file), arguments.stop_time, work)
            print(f"{outcome}: {name}: {why}", flush=True)
            counts[outcome] = counts.get(outcome, 0) + 1
            is_good = is_good and not outcome.isupper()
    print(", ".join(f"{outcome}: {count}" for outcome, count in sorted(counts.items())))
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
