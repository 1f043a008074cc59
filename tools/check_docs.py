#!/usr/bin/env python3
"""Checks the documents: links lead somewhere, and what is named in `backticks` exists.

    tools/check_docs.py [ROOT]

Checked in README.md, CONTRIBUTING.md, docs/ and the README of every benchmark:
- links to files, and to headings of them (#like-this);
- paths that begin with a folder of the repository (`src/…`, `docs/…`); those with <, *, … or { stand for many;
- tests (`Suite.Test`, `Suite.Begins…`, `Suite.*`) on the pages that name them;
- words: documents and messages of the program keep to docs/vocabulary.md (no "x is no y", tells, books, giver …);
- the tables of docs/architecture.md: what each folder may include (as CMakeLists.txt says), the rooms of the engine, files of evidence;
- types (`LikeThis`) and functions (`like_this()`, `Type::member`): words of the sources, not of comments about the past.
Decisions (docs/adr) describe the tree of their day: only their links and their form (a status, a context, a decision) are checked.
"""

import re
import sys
import unicodedata
from pathlib import Path

FOLDERS = ("src", "app", "docs", "tests", "examples", "tools", "bench", "benchmarks", "web", "cmake", "include", "python")
SOURCES = ("src", "app", "tests", "bench", "benchmarks", "examples", "web/src", "tools", "python")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^\s*#(?!include)[^\n]*|\bTEST(?:_F|_P)?\([^)]*\)", re.M | re.S)
ENDINGS = {".cpp", ".hpp", ".h", ".c", ".ts", ".mjs", ".toml", ".py", ".sh"}
ADR_PARTS = ("## Context", "## Decision")
ADR_STATUS = re.compile(r"^\*\*Status:\*\* (accepted|accepted, amended by|superseded by)", re.M)
# Pages that name the tests that keep a promise.
NAMING_TESTS = ("reliability.md", "mutation-testing.md")
# Words in CamelCase that are not ours: formats, tools and terms of other projects.
FOREIGN = {"ResizeObserver", "TypeError", "GitHub", "JavaScript", "TypeScript", "OpenModelica", "SimulationX", "AMESim", "GoogleTest"}


def words_of(root):
    """Every identifier of the sources that documents may name, and the tests: `Suite.Test`."""
    words, tests = set(), set()
    for folder in SOURCES:
        for path in (root / folder).rglob("*"):
            if path.suffix in ENDINGS and "node_modules" not in path.parts:
                text = path.read_text(errors="replace")
                tests |= {f"{suite}.{test}" for suite, test in re.findall(r"\bTEST(?:_F|_P)?\((\w+),\s*(\w+)\)", text)}
                code = COMMENT.sub("", text)
                words |= set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", code))
    for name in ("CMakeLists.txt", "Makefile", "CMakePresets.json"):
        if (root / name).exists():
            words |= set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", (root / name).read_text()))
    return words, tests


def anchor_of(heading):
    """The address that Markdown pages give to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    kept = "".join(c for c in text if c in " -_" or unicodedata.category(c)[0] in "LN")
    return kept.replace(" ", "-")


def anchors_of(text):
    found, seen = set(), {}
    for heading in re.findall(r"^#{1,6} (.+?)\s*$", without_code_blocks(text), re.M):
        anchor = anchor_of(heading)
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        found.add(anchor if count == 0 else f"{anchor}-{count}")
    return found


def without_code_blocks(text):
    """The text with the lines of ``` blocks empty: line numbers stay."""
    out, inside = [], False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        out.append("" if inside or fence else line)
        inside = inside != fence
    return "\n".join(out)


def check_links(root, path, text):
    for match in re.finditer(r"\[[^\]]*\]\(([^)\s]+)\)", without_code_blocks(text)):
        target = match.group(1)
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists():
            yield match.start(), f"the link '{target}' leads nowhere"
        elif anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text()):
            yield match.start(), f"'{name or path.name}' has no heading '#{anchor}'"


def check_names(root, text, words):
    for match in re.finditer(r"(?<!`)`([^`\n]+)`(?!`)", without_code_blocks(text)):
        name = match.group(1)
        place = re.match(r"([A-Za-z_]+)/[\w./-]+$", name)
        if place and place.group(1) in FOLDERS:
            # A file may be named without its ending (`bench/overhead` is built from bench/overhead.cpp).
            if not (root / name).exists() and not list((root / name).parent.glob((root / name).name + ".*")):
                yield match.start(), f"there is no '{name}'"
        elif re.fullmatch(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+", name):
            if name not in words and name not in FOREIGN:
                yield match.start(), f"no source names the type '{name}'"
        elif function := re.fullmatch(r"((?:\w+::)*\w+)(?:\(.*\))", name):
            for word in function.group(1).split("::"):
                if word not in words and word not in ("std",):
                    yield match.start(), f"no source names '{word}' of '{name}'"
        elif re.fullmatch(r"\w+(?:::\w+)+", name) and not name.startswith("std::"):
            for word in name.split("::"):
                if word not in words:
                    yield match.start(), f"no source names '{word}' of '{name}'"


def check_tests(text, tests):
    for match in re.finditer(r"`([A-Z]\w+\.)(\w*)(\*|…)?`", without_code_blocks(text)):
        suite, name, many = match.groups()
        if not any(test.startswith(suite + name) if many else test == suite + name for test in tests):
            yield match.start(), f"there is no test '{suite}{name}{many or ''}'"


def check_decision(text):
    if not ADR_STATUS.search(text):
        yield 0, "a decision has a line '**Status:** accepted' (or 'accepted, amended by …', 'superseded by …')"
    for part in ADR_PARTS:
        if part not in text:
            yield 0, f"a decision has a part '{part}'"


# Private words of this project, and what to write instead (docs/vocabulary.md).
WORDS = (
    (re.compile(r"(?<![Tt]here )\b(?:is|are) no (?!longer|more|less|other|one\b|such|reason|matter|problem|faster|slower|better|worse|larger|smaller|earlier|later|fewer)"), "write 'is not a …'"),
    (re.compile(r"\b(?:tells|told)\b"), "things report, provide or hold"),
    (re.compile(r"\bbooks\b"), "write energy accounts or energy balance"),
    (re.compile(r"\b[Gg]ivers?\b"), "write sender or effort source"),
    (re.compile(r"\b[Cc]ompanions?\b"), "write check run"),
    (re.compile(r"\boftener\b"), "write more often"),
    (re.compile(r"\b[Mm]end(?:s|ed)?\b"), "write fix or repair"),
)
# Where such a word is right.
ALLOWED_WORDS = ("tells you how accurate", "(companion)", "bench/companion", "its companion had ended", "the companion with")


def check_words(text):
    """Places of private words in prose: code in backticks and targets of links are not prose."""
    blank = lambda match: " " * len(match.group(0))
    prose = re.sub(r"`[^`\n]*`|\]\([^)\s]*\)", blank, without_code_blocks(text))
    for phrase in ALLOWED_WORDS:
        prose = prose.replace(phrase, " " * len(phrase))
    # Code blocks are cut out line by line: positions count lines only.
    for pattern, remedy in WORDS:
        for match in pattern.finditer(prose):
            yield prose.count("\n", 0, match.start()) + 1, f"'{match.group(0).strip()}': {remedy}"


def check_messages(root):
    """The same in what the program prints: texts in quotes, of several words, outside of tests."""
    for folder in ("src", "app"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            if path.stem.endswith("_test"):
                continue
            for number, line in enumerate(path.read_text().split("\n"), 1):
                code = line.split(" // ")[0]
                if code.lstrip().startswith("//"):
                    continue
                for text in re.findall(r'"((?:\\.|[^"\\])*)"', code):
                    if " " in text:
                        for _, what in check_words(text):
                            yield f"{path.relative_to(root)}:{number}: {what}"


def modules_of(cmake):
    """Per module of CMakeLists.txt its folder and what it uses, rooms of one folder by the name of that."""
    for match in re.finditer(r"ergon_module\((\w+)\s+FOLDER\s+(\S+?)(?:\s+USES\s+([\w\s]*?))?(?:\s+LINK\b[^)]*)?\)", cmake):
        yield match.group(2), {re.sub(r"^(coupling|export)_\w+", r"\1", use) for use in (match.group(3) or "").split()}


def check_architecture(root):
    page, cmake = root / "docs/architecture.md", root / "CMakeLists.txt"
    if not page.exists() or not cmake.exists():
        return
    text = page.read_text()
    rows = {}
    for match in re.finditer(r"^\| `((?:src/)?[\w/]+)` \|.*\| ([^|]*) \|$", text, re.M):
        uses = re.sub(r"\([^)]*\)|`|benchmarks/", "", match.group(2))
        rows.setdefault(match.group(1), (match.start(), {use.strip() for use in uses.split(",")} - {"–"}))
    known = {}
    for folder, uses in modules_of(cmake.read_text()):
        row = next((f for f in (folder, *(str(p) for p in Path(folder).parents)) if f in rows), None)
        if row is None:
            yield 0, f"the table of folders has no row for '{folder}'"
        else:
            known.setdefault(row, set()).update(uses - {row.rpartition("/")[2]})
    for row, uses in known.items():
        position, named = rows[row]
        if named != uses and named != {"all"}:
            yield position, f"'{row}' may include from {', '.join(sorted(uses)) or 'nothing'} (CMakeLists.txt)"
    for folder, pattern, files in (
        ("src/coupling", r"^\| `(\w+)/` \|", lambda f: {p.name for p in f.iterdir() if p.is_dir()}),
        ("src/verdict", r"`(\w+_evidence\.cpp)`", lambda f: {p.name for p in f.glob("*_evidence.cpp")}),
    ):
        if (root / folder).is_dir():
            for name in sorted(files(root / folder) ^ set(re.findall(pattern, text, re.M))):
                yield 0, f"'{name}' is in '{folder}' or in the table of it, but not in both"


def documents_of(root):
    named = [root / name for name in ("README.md", "CONTRIBUTING.md")]
    found = [path for path in named if path.exists()]
    found += sorted((root / "docs").rglob("*.md")) + sorted((root / "benchmarks").rglob("README.md"))
    return found


def check(root):
    """Lines 'file:line: what is wrong', all of them."""
    words, tests = words_of(root)
    suites = {test.partition(".")[0] for test in tests}
    for path in documents_of(root):
        text = path.read_text()
        problems = list(check_links(root, path, text))
        if "adr" in path.parent.name:
            problems += check_decision(text)
        else:
            if path == root / "docs/architecture.md":
                problems += check_architecture(root)
            names_tests = path.name in NAMING_TESTS
            problems += check_names(root, text, words | suites if names_tests else words)
            problems += check_tests(text, tests) if names_tests else []
            if path.name != "vocabulary.md":
                yield from (f"{path.relative_to(root)}:{line}: {what}" for line, what in check_words(text))
        for position, what in sorted(problems):
            yield f"{path.relative_to(root)}:{text.count(chr(10), 0, position) + 1}: {what}"


def check_all(root):
    yield from check(root)
    yield from check_messages(root)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    problems = list(check_all(root))
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
