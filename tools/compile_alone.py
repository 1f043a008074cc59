#!/usr/bin/env python3
"""Compiles every file of src and app by itself, without writing anything: files that are compiled together hide a missing include
and names that clash.

    tools/compile_alone.py [--jobs N] [--share N] BUILD [PATTERN ...]

BUILD is a folder that was configured without unity builds and precompiled headers (`make alone` does so). PATTERNs, such as
src/scenario/*, choose files; without one all are compiled. With --share N an Nth of them is: those that the last commit or the
working tree changed, and others that the hash of the commit draws, so that all have their turn. Ends with 1 where a file does not compile.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path


def command_of(entry):
    """The compile command of a file with -fsyntax-only instead of an output, and without a launcher such as ccache."""
    words = shlex.split(entry["command"])
    while words and Path(words[0]).name not in ("c++", "g++", "clang++", "cc", "gcc", "clang") and "++" not in Path(words[0]).name:
        words.pop(0)
    kept = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word == "-o":
            skip = True
        elif word != "-c":
            kept.append(word)
    return kept + ["-fsyntax-only"]


def chosen(entries, root, patterns):
    """One entry per file of src and app; worker and libraries compile some of them twice."""
    files = {}
    for entry in entries:
        path = Path(entry["directory"], entry["file"]).resolve()
        if not path.is_relative_to(root):
            continue
        name = path.relative_to(root).as_posix()
        if not name.startswith(("src/", "app/")) or "_test." in name:
            continue
        if patterns and not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        files.setdefault(name, entry)
    return files


def git(root, *arguments):
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else []


def share_of(files, changed, commit, share):
    """The changed files, first of all, then those that the commit draws, as many as make up 1/share."""
    drawn = sorted(files, key=lambda name: (name not in changed, hashlib.sha256((commit + name).encode()).hexdigest()))
    return {name: files[name] for name in drawn[: -(-len(files) // share)]}


def main():
    parser = argparse.ArgumentParser(description="compile every file by itself")
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--share", type=int, default=1, metavar="N")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    entries = json.loads((arguments.build / "compile_commands.json").read_text())
    files = chosen(entries, root, arguments.patterns)
    if not files:
        print("compile_alone: no file fits " + " ".join(arguments.patterns), file=sys.stderr)
        return 2

    if arguments.share > 1:
        changed = git(root, "diff", "--name-only", "HEAD~1") or git(root, "diff", "--name-only", "HEAD")
        files = share_of(files, set(changed), "".join(git(root, "rev-parse", "HEAD")), arguments.share)

    def compiled(item):
        name, entry = item
        return name, subprocess.run(command_of(entry), cwd=entry["directory"], capture_output=True, text=True, check=False)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, outcome in pool.map(compiled, sorted(files.items())):
            if outcome.returncode != 0:
                failed += 1
                print(f"{name} does not compile by itself:\n{outcome.stderr}", file=sys.stderr)
    print(f"{len(files)} files, {failed} that do not compile by themselves")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
