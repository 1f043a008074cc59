#!/usr/bin/env python3
"""Mutation testing: changes of the sources, one at a time, that the tests must notice (docs/mutation-testing.md).

    tools/mutate.py [--seed SEED] [--count N] [--workers N] [--module NAME …] [--list]

Draws mutants of HEAD (tools/mutants.py) by a seed, which is the hash of HEAD unless one is given. Each is built in a folder of its
own and run against what covers it: the unit tests of its module, then contract, order, invariants, property, golden and command
line. The first red test kills it. What is known is kept in build/mutate/journal-SEED.jsonl: a run that was interrupted goes on.
"""

import argparse
import functools
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mutants as drawing  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
CROSSING = ("contract", "order", "invariants", "property", "golden", "cli")
# A mutant may run for ever. So many times as long as without it, but not less than this, is taken for that.
SLOWER, LEAST_S = 6.0, 60.0
# Of what was built, what tests start beside themselves.
COMMANDS = ("app/ergon", "app/libergon.so", "app/ergon_fmu.so")


class Journal:
    """What is known, one line of JSON per mutant that was tried; the first line says of what."""

    def __init__(self, path, head):
        self.path, self.lock, self.entries = Path(path), threading.Lock(), []
        if self.path.exists():
            lines = [json.loads(line) for line in self.path.read_text().splitlines() if complete(line)]
            if lines and lines[0] != head:
                raise SystemExit(f"{self.path} is of other sources or another number of mutants: remove it, or give another SEED.")
            self.entries = lines[1:]
            # A line that was cut short goes.
            self.path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [head] + self.entries))
        else:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(head) + "\n")

    def add(self, entry):
        with self.lock:
            self.entries.append(entry)
            with self.path.open("a") as file:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())

    def tried(self, slot):
        """Entries of a slot, and whether the last of them has settled it."""
        own = [entry for entry in self.entries if entry["slot"] == slot]
        return own, bool(own) and own[-1]["outcome"] in ("killed", "survived")


def complete(line):
    try:
        json.loads(line)
        return True
    except json.JSONDecodeError:
        return False


def known_equivalents(path):
    with open(path, "rb") as file:
        listed = tomllib.load(file).get("mutant", [])
    for entry in listed:
        if not entry.get("reason", "").strip():
            raise SystemExit(f"{path}: the mutant of {entry.get('file')} has no reason.")
    return {(entry["file"], entry["line"], entry["change"]): entry["reason"] for entry in listed}


@functools.cache
def unit_tests(root, file):
    """The executables with the unit tests of a file, by the modules of CMakeLists.txt; the deepest folder first."""
    text = re.sub(r"#[^\n]*", "", (root / "CMakeLists.txt").read_text())
    found = re.findall(r"ergon_module\(\s*(\w+)\s+FOLDER\s+(\S+)", text)
    owners = [(folder, name) for name, folder in found if file.startswith(folder + "/")]
    names = []
    for folder, name in sorted(owners, key=lambda owner: -len(owner[0])):
        target = "coupling" if name.startswith("coupling") else name
        if target not in names and any((root / folder).rglob("*_test.cpp")):
            names.append(target)
    return [name + "_test" for name in names]


class Tree:
    """A private copy of HEAD with a build folder, in which one mutant at a time lives."""

    def __init__(self, folder, jobs, log):
        self.source, self.build, self.jobs, self.log = folder / "tree", folder / "build", jobs, log

    def prepare(self):
        """Brings the sources to HEAD; files that stay as they are keep their times, so that little is compiled."""
        self.source.mkdir(parents=True, exist_ok=True)
        archive = subprocess.Popen(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE)
        names = set()
        with tarfile.open(fileobj=archive.stdout, mode="r|") as tar:
            for member in tar:
                names.add(member.name.rstrip("/"))
                path = self.source / member.name
                if member.isdir():
                    path.mkdir(parents=True, exist_ok=True)
                elif member.issym():
                    if not path.is_symlink():
                        path.symlink_to(member.linkname)
                else:
                    content = tar.extractfile(member).read()
                    if not path.exists() or path.read_bytes() != content:
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(content)
                        path.chmod(member.mode)
        archive.wait()
        for folder, _, files in os.walk(self.source):
            inside = Path(folder).relative_to(self.source)
            if inside.parts[:2] == ("web", "node_modules"):
                continue
            for name in files:
                if str(inside / name).removeprefix("./") not in names:
                    (Path(folder) / name).unlink()
        packages = ROOT / "web/node_modules"
        if packages.is_dir() and not (self.source / "web/node_modules").exists():
            shutil.copytree(packages, self.source / "web/node_modules", symlinks=True)
        # Without warnings: a mutant may leave something unused.
        command = ["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON"]
        command += ["-DERGON_DEVELOPER=OFF", "-DERGON_BENCH=OFF"]
        if self.run(command, 600)[0] != 0:
            raise SystemExit(f"cmake has failed: see {self.log}")

    def run(self, command, limit_s, keep=False):
        """Exit code (None: took too long) and what was printed, where asked for; everything goes to the log."""
        # The compiler cache is to see paths within the folder: all workers share what it has.
        environment = os.environ | {"CCACHE_BASEDIR": str(self.source.parent), "CCACHE_NOHASHDIR": "1"}
        process = subprocess.Popen(
            [str(part) for part in command], cwd=self.source, env=environment, start_new_session=True, text=True,
            errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=limit_s)
            code = process.returncode
        except subprocess.TimeoutExpired:
            output, code = "", None
        if code is None or code < 0:  # what it has started goes with it
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            rest, _ = process.communicate()
            output += rest or ""
        with open(self.log, "a") as file:
            file.write(f"$ {' '.join(str(part) for part in command)}\n{output[-20000:]}\n")
        return code, output if keep else ""

    def compile(self, targets):
        return self.run(["cmake", "--build", self.build, "--parallel", self.jobs, "--target", *targets], 3600)[0] == 0

    def test(self, target, limit_s):
        """None where it is green, else the test that is red."""
        executable = self.build / "tests" / target
        code, output = self.run([executable, "--gtest_filter=-Long*", "--gtest_fail_fast", "--gtest_brief=0"], limit_s, keep=True)
        if code == 0:
            return None
        begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
        red = re.findall(r"^\[  FAILED  \] ([^\s,]+)", output, re.M)
        name = red[0] if red else begun[-1] if begun else "its start"
        how = "" if red else " (took too long)" if code is None else f" (ended with {code})"
        return f"{target}: {name}{how}"

    def fingerprint(self, target):
        """Of an executable and of the commands that its tests start."""
        digest = hashlib.sha256()
        for name in (f"tests/{target}", *(COMMANDS if target in ("contract_test", "cli_test", "golden_test") else ())):
            path = self.build / name
            digest.update(path.read_bytes() if path.exists() else b"")
        return digest.hexdigest()


def stages_of(root, file, crossing=CROSSING):
    return unit_tests(root, file) + [f"{name}_test" for name in crossing]


def baseline(tree, targets, file):
    """Seconds and fingerprints of the executables without a mutant; they must be green."""
    key = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    if file.exists():
        known = json.loads(file.read_text())
        if known["commit"] == key and set(targets) <= set(known["seconds"]):
            return known["seconds"]
    seconds = {}
    for target in targets:
        begun = time.monotonic()
        red = tree.test(target, 3600)
        if red:
            raise SystemExit(f"Without any mutant {red} is red: mend that first (see {tree.log}).")
        seconds[target] = time.monotonic() - begun
    file.write_text(json.dumps({"commit": key, "seconds": seconds}))
    return seconds


def try_mutant(tree, mutant, stages, seconds, fingerprints):
    """What becomes of one mutant: (outcome, by which test or why)."""
    path = tree.source / mutant.file
    source = path.read_text()
    path.write_text(mutant.applied(source))
    try:
        differs = False
        for target in stages:
            if not tree.compile([target]):
                return "invalid", "does not compile"
            if tree.fingerprint(target) == fingerprints[target]:
                continue  # it has nothing of the mutant
            differs = True
            red = tree.test(target, max(LEAST_S, SLOWER * seconds[target]))
            if red:
                return "killed", red
        return ("survived", "") if differs else ("equivalent", "the compiler makes the same program of it")
    finally:
        path.write_text(source)


def work(tree, slots, journal, todo, seconds, fingerprints, equivalents, crossing=CROSSING):
    while True:
        try:
            number = todo.get_nowait()
        except queue.Empty:
            return
        module, candidates = slots[number]
        tried, settled = journal.tried(number)
        for mutant in [] if settled else candidates[len(tried) :]:
            begun = time.monotonic()
            reason = equivalents.get((mutant.file, mutant.text, mutant.change))
            if reason:
                outcome, by = "equivalent", reason
            else:
                stages = stages_of(tree.source, mutant.file, crossing)
                outcome, by = try_mutant(tree, mutant, stages, seconds, fingerprints)
            entry = {"slot": number, "module": module, "file": mutant.file, "line": mutant.line, "kind": mutant.kind}
            entry |= {"text": mutant.text, "change": mutant.change, "outcome": outcome, "by": by}
            entry["seconds"] = round(time.monotonic() - begun, 1)
            journal.add(entry)
            print(f"{outcome:10} {mutant.file}:{mutant.line}  {mutant.change}  {by}", flush=True)
            if outcome in ("killed", "survived"):
                break


def report(entries):
    """The table of all mutants and the score of each module, as Markdown."""
    lines = ["| module | place | kind | change | outcome | by |", "|---|---|---|---|---|---|"]
    escaped = lambda text: text.replace("|", "\\|")  # noqa: E731
    scores = {}
    for e in sorted(entries, key=lambda e: (e["module"], e["file"], e["line"])):
        if e["outcome"] == "invalid":
            continue
        place = e["file"].removeprefix("src/") + f":{e['line']}"
        lines.append(f"| {e['module']} | {place} | {e['kind']} | `{escaped(e['change'])}` | {e['outcome']} | {escaped(e['by'])} |")
        if e["outcome"] in ("killed", "survived"):
            for name in (e["module"], "all"):
                killed, all_of = scores.get(name, (0, 0))
                scores[name] = (killed + (e["outcome"] == "killed"), all_of + 1)
    lines += ["", "| module | killed | of | score |", "|---|---|---|---|"]
    for name in sorted(scores, key=lambda name: (name == "all", name)):
        killed, all_of = scores[name]
        lines.append(f"| {name} | {killed} | {all_of} | {100 * killed / all_of:.0f} % |")
    return "\n".join(lines)


def sources_of(root):
    names = subprocess.check_output(["git", "ls-tree", "-r", "--name-only", "HEAD", "src"], cwd=root, text=True).split()
    names = [name for name in names if name.endswith((".cpp", ".hpp"))]
    return {name: subprocess.check_output(["git", "show", f"HEAD:{name}"], cwd=root, text=True) for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", help="any text (default: the hash of HEAD)")
    parser.add_argument("--count", type=int, default=60, help="mutants to judge (default: 60)")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time (default: 2)")
    parser.add_argument("--jobs", type=int, default=1, help="compilations at a time in each (default: 1)")
    parser.add_argument("--module", action="append", help="of these modules only (may be repeated)")
    parser.add_argument("--unit-only", action="store_true", help="run unit tests alone: quick, and more survive")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutate", help="where everything is kept")
    parser.add_argument("--list", action="store_true", help="print what is drawn, and do nothing")
    arguments = parser.parse_args()

    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    seed = arguments.seed or commit
    by_module = drawing.all_sites(sources_of(ROOT))
    if arguments.module:
        by_module = {name: by_module[name] for name in arguments.module}
    slots = drawing.draw(by_module, arguments.count, seed)
    if arguments.list:
        for module, candidates in slots:
            mutant = candidates[0]
            print(f"{module:10} {mutant.kind:10} {mutant.file}:{mutant.line}  {mutant.change}  |  {mutant.text}")
        return
    os.nice(10)
    # Started in the background by a shell or by nohup these are ignored, and would be by all tests, some of which are about them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    crossing = () if arguments.unit_only else CROSSING
    head = {"seed": seed, "commit": commit, "count": arguments.count, "modules": sorted(by_module), "crossing": list(crossing)}
    journal = Journal(folder / f"journal-{re.sub(r'[^0-9A-Za-z_-]', '_', seed)[:40]}.jsonl", head)
    todo = queue.Queue()
    for number in range(len(slots)):
        if not journal.tried(number)[1]:
            todo.put(number)
    if not todo.empty():
        equivalents = known_equivalents(ROOT / "tools/equivalent_mutants.toml")
        files = {mutant.file for _, candidates in slots for mutant in candidates}
        targets = sorted({target for file in files for target in stages_of(ROOT, file, crossing)})
        trees = [Tree(folder / f"worker-{i}", arguments.jobs, folder / f"worker-{i}.log") for i in range(arguments.workers)]
        for tree in trees:
            print(f"== {tree.source}: the build without mutants", flush=True)
            tree.prepare()
            if not tree.compile(targets):
                raise SystemExit(f"HEAD does not compile: see {tree.log}")
        seconds = baseline(trees[0], targets, folder / "baseline.json")
        threads = []
        for tree in trees:
            fingerprints = {target: tree.fingerprint(target) for target in targets}
            known = (tree, slots, journal, todo, seconds, fingerprints, equivalents, crossing)
            threads.append(threading.Thread(target=work, args=known))
            threads[-1].start()
        for thread in threads:
            thread.join()
    print(f"\nseed {seed}, commit {commit}, {len(slots)} mutants\n")
    print(report(journal.entries))


if __name__ == "__main__":
    main()
