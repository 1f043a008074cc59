#!/usr/bin/env python3
"""Checks cmake/public_headers.txt: the headers that are installed, and nothing else.

    tools/check_public_headers.py [ROOT]

- every header that an installed one includes is installed, and nothing is installed that no program can need
- installed headers include those of the project and of the standard library alone: users need no other library to compile
- what programs include (the first part of the list) is described in docs/library.md, and nothing else is
"""

import re
import sys
from pathlib import Path

SECOND_PART = "# included by these"
INCLUDE = re.compile(r'^\s*#\s*include\s+(<[^>]+>|"[^"]+")', re.MULTILINE)
STANDARD = re.compile(r"<(experimental/)?[a-z_]+>")
DESCRIBED = re.compile(r"`<ergon/([^>`]+)>`")


def read_list(path):
    """The headers of both parts, in their order."""
    parts = ([], [])
    part = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.strip()
        if line == SECOND_PART:
            part = 1
        elif line and not line.startswith("#"):
            parts[part].append(line)
    return parts


def includes_of(source):
    return [found.group(1) for found in INCLUDE.finditer(source.read_text(encoding="utf-8"))]


def check(root):
    problems = []
    programs, others = read_list(root / "cmake/public_headers.txt")
    listed = programs + others
    for header in sorted({h for h in listed if listed.count(h) > 1}):
        problems.append(f"cmake/public_headers.txt: {header} is listed twice")
    needed = set(programs)
    waiting = list(programs)
    while waiting:
        header = waiting.pop()
        source = root / "src" / header
        if not source.is_file():
            problems.append(f"cmake/public_headers.txt: there is no src/{header}")
            continue
        for name in includes_of(source):
            if name.startswith('"ergon/'):
                inner = name[len('"ergon/') : -1]
                if inner not in needed:
                    needed.add(inner)
                    waiting.append(inner)
            elif not STANDARD.fullmatch(name):
                problems.append(f"src/{header}: an installed header includes {name}")
    for header in sorted(needed - set(listed)):
        problems.append(f"cmake/public_headers.txt: {header} is included by an installed header; add it to the second part")
    for header in sorted(set(others) - needed):
        problems.append(f"cmake/public_headers.txt: no installed header includes {header}; remove it")
    page = (root / "docs/library.md").read_text(encoding="utf-8")
    described = set(DESCRIBED.findall(page))
    for header in sorted(set(programs) - described):
        problems.append(f"docs/library.md: `<ergon/{header}>` is not described")
    for header in sorted(described - set(programs)):
        problems.append(f"docs/library.md: `<ergon/{header}>` is not in the first part of cmake/public_headers.txt")
    return problems


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
