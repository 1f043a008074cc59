#!/usr/bin/env python3
"""Tests of tools/mutate.py and tools/mutants.py: mutants are where they belong, a seed repeats them, a journal resumes."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mutants  # noqa: E402
import mutate  # noqa: E402

SOURCE = """#include "ergon/core/unit.hpp"
#define TWICE(x) ((x) + (x))
namespace ergon {
/// a + b, in words
template <typename T> T sum(const T& a, const T& b);

double Law::force(const double* x, double* y) const {
  // x[0] + x[1] is not code
  const double stretch = x[0] - x[1];  // a - b
  if (stretch < 0.0 && !is_slack(stretch)) {
    problems.error(where, fmt::format("{} + {}", a + b, x[0]), "a - b");
    throw std::invalid_argument("no " + name);
  }
  for (std::size_t i = 0; i < n; ++i) y[i + 1] = -k_ * stretch;
  count_ += 1;
  values_.reserve(n + 1);
  notify(stretch);
  const std::vector<double> empty = {1.0};
  assert(n > 0);
  return -stretch;
}
Law::Law(Law&&) noexcept = default;
}  // namespace ergon
"""


def drawn(source, kind=None):
    return [m for m in mutants.sites("src/models/law.cpp", source) if kind in (None, m.kind)]


class Sites(unittest.TestCase):
    def test_only_code_is_changed(self):
        # That a message is lost may matter; its words do not.
        lines = {m.line for m in drawn(SOURCE) if not m.text.startswith("problems.error") or m.kind != "statement"}
        for number, text in enumerate(SOURCE.splitlines(), 1):
            harmless = ("#", "//", "template", "problems.error", "throw", "assert", "values_.reserve", "Law::Law", "namespace")
            if text.strip().startswith(harmless):
                self.assertNotIn(number, lines, text)

    def test_each_kind_is_found_where_it_is(self):
        found = {(m.line, m.kind, m.before, m.after) for m in drawn(SOURCE)}
        for expected in [
            (9, "operator", "-", "+"),
            (9, "index", "0", "1"),
            (9, "index", "1", "0"),
            (10, "condition", "<", "<="),
            (10, "condition", "&&", "||"),
            (10, "condition", "!", ""),
            (10, "condition", "stretch < 0.0 && !is_slack(stretch)", "!(stretch < 0.0 && !is_slack(stretch))"),
            (14, "index", "0", "1"),
            (14, "index", "[i + 1]", "[i]"),
            (14, "operator", "-", ""),
            (14, "operator", "*", "/"),
            (15, "operator", "+=", "-="),
            (15, "statement", "count_ += 1;", "{}"),
            (17, "statement", "notify(stretch);", "{}"),
            (20, "operator", "-", ""),
        ]:
            self.assertIn(expected, found)
        # The comparison of a loop is a condition, a declaration no statement.
        self.assertNotIn(18, {m.line for m in drawn(SOURCE, "statement")})
        self.assertNotIn(9, {m.line for m in drawn(SOURCE, "statement")})

    def test_a_mutant_changes_its_line_and_no_other(self):
        for mutant in drawn(SOURCE):
            changed = mutant.applied(SOURCE)
            self.assertNotEqual(changed, SOURCE)
            before, after = SOURCE.splitlines(), changed.splitlines()
            self.assertEqual(len(before), len(after))
            differing = [i + 1 for i, (a, b) in enumerate(zip(before, after)) if a != b]
            self.assertEqual(differing, [mutant.line])
            self.assertEqual(before[mutant.line - 1].strip(), mutant.text)
        with self.assertRaises(ValueError):
            drawn(SOURCE)[0].applied("something else")

    def test_words_in_literals_and_comments_keep_their_place(self):
        code = mutants.blanked(SOURCE)
        self.assertEqual(len(code), len(SOURCE))
        self.assertEqual([i for i, c in enumerate(code) if c == "\n"], [i for i, c in enumerate(SOURCE) if c == "\n"])
        raw = 'auto s = R"(a + b)"; int digits = 1\'000\'000; char c = \'"\'; int d = e - f;'
        self.assertEqual([m.before for m in mutants.sites("src/core/a.cpp", raw) if m.kind == "operator"], ["-"])

    def test_continued_lines_are_no_statements(self):
        source = "void f() {\n  call(a,\n       b);\n  x = y +\n      z;\n  if (a)\n    g(b);\n  w = 1;\n}\n"
        self.assertEqual([m.before for m in drawn(source, "statement")], ["g(b);", "w = 1;"])


class Drawing(unittest.TestCase):
    def setUp(self):
        body = "".join(f"  x[{i % 3}] = a * b;\n  if (a < {i}) call{i}(b - c);\n" for i in range(40))
        text = "void f() {\n" + body + "}\n"
        self.sources = {f"src/{module}/{name}.cpp": text for module in ("core", "fmi", "models") for name in "ab"}
        self.sources["src/models/a_test.cpp"] = text

    def test_a_seed_repeats_what_is_drawn(self):
        by_module = mutants.all_sites(self.sources)
        one = mutants.draw(by_module, 12, "seed")
        self.assertEqual(one, mutants.draw(mutants.all_sites(dict(reversed(self.sources.items()))), 12, "seed"))
        self.assertNotEqual(one, mutants.draw(by_module, 12, "another"))

    def test_no_mutant_is_drawn_twice_and_none_of_a_test(self):
        slots = mutants.draw(mutants.all_sites(self.sources), 12, "seed")
        self.assertEqual(len(slots), 12)
        everything = [m for _, candidates in slots for m in candidates]
        self.assertEqual(len(everything), len(set(everything)))
        self.assertFalse([m for m in everything if m.file.endswith("_test.cpp")])
        many = mutants.draw(mutants.all_sites(self.sources), 60, "seed")
        self.assertEqual({m.kind for _, candidates in many for m in candidates[:1]}, set(mutants.KINDS))

    def test_modules_get_their_share(self):
        self.assertEqual(mutants.shares({"a": 600, "b": 300, "c": 1}, 10), {"a": 6, "b": 3, "c": 1})
        self.assertEqual(sum(mutants.shares({"a": 1, "b": 1, "c": 1}, 100).values()), 100)
        self.assertEqual(mutants.module_of("src/verdict/verdict.cpp"), "verdict")
        self.assertEqual(mutants.module_of("src/coupling/engine.cpp"), "coupling")

    def test_headers_that_all_include_are_left_out(self):
        for name in list(self.sources):
            self.sources[name] = '#include "ergon/core/unit.hpp"\n' + self.sources[name]
        self.sources["src/core/unit.hpp"] = "inline double f(double a) { return a * 2.0 + a; }\n"
        self.sources["src/fmi/own.hpp"] = "inline double f(double a) { return a * 2.0 + a; }\n"
        files = {m.file for kinds in mutants.all_sites(self.sources).values() for found in kinds.values() for m in found}
        self.assertNotIn("src/core/unit.hpp", files)
        self.assertIn("src/fmi/own.hpp", files)


class FakeTree:
    """Compiles and tests nothing: a test is red where the source says so."""

    def __init__(self, folder, red=None, compiles=True):
        self.source, self.red, self.compiles, self.ran = Path(folder), red, compiles, []

    def compile(self, targets):
        return self.compiles

    def test(self, target, limit_s):
        self.ran.append(target)
        return f"{target}: Law.Holds" if target == self.red else None

    def fingerprint(self, target):
        return target if target == "order_test" else target + (self.source / "law.cpp").read_text()


class Trials(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "law.cpp"
        self.file.write_text(SOURCE)
        self.mutant = mutants.sites("law.cpp", SOURCE)[0]
        self.stages = ["models_test", "order_test", "cli_test"]

    def outcome(self, tree):
        fingerprints = {target: tree.fingerprint(target) for target in self.stages}
        result = mutate.try_mutant(tree, self.mutant, self.stages, dict.fromkeys(self.stages, 1.0), fingerprints)
        self.assertEqual(self.file.read_text(), SOURCE, "the source is as it was")
        return result

    def test_the_first_red_test_kills(self):
        tree = FakeTree(self.folder.name, red="models_test")
        self.assertEqual(self.outcome(tree), ("killed", "models_test: Law.Holds"))
        self.assertEqual(tree.ran, ["models_test"])

    def test_what_all_pass_survives_and_what_has_nothing_of_it_is_not_run(self):
        tree = FakeTree(self.folder.name)
        self.assertEqual(self.outcome(tree), ("survived", ""))
        self.assertEqual(tree.ran, ["models_test", "cli_test"])

    def test_what_does_not_compile_is_no_mutant(self):
        self.assertEqual(self.outcome(FakeTree(self.folder.name, compiles=False))[0], "invalid")

    def test_the_same_program_is_equivalent(self):
        tree = FakeTree(self.folder.name)
        tree.fingerprint = lambda target: "same"
        self.assertEqual(self.outcome(tree)[0], "equivalent")

    def test_a_journal_goes_on_where_it_was_left(self):
        path = Path(self.folder.name) / "journal.jsonl"
        head = {"seed": "s", "commit": "c", "count": 2, "modules": []}
        journal = mutate.Journal(path, head)
        journal.add({"slot": 0, "outcome": "invalid", "by": ""})
        journal.add({"slot": 1, "outcome": "killed", "by": "t"})
        with path.open("a") as file:
            file.write('{"slot": 0, "outc')  # killed while it wrote
        again = mutate.Journal(path, head)
        self.assertEqual(again.tried(0), ([{"slot": 0, "outcome": "invalid", "by": ""}], False))
        self.assertTrue(again.tried(1)[1])
        again.add({"slot": 0, "outcome": "survived", "by": ""})
        self.assertEqual(len(mutate.Journal(path, head).entries), 3)
        with self.assertRaises(SystemExit):
            mutate.Journal(path, {**head, "commit": "other"})

    def test_a_worker_takes_the_next_candidate_until_one_counts(self):
        path = Path(self.folder.name) / "journal.jsonl"
        head = {"seed": "s", "commit": "c", "count": 1, "modules": []}
        candidates = mutants.sites("law.cpp", SOURCE)[:4]
        listed = {(candidates[0].file, candidates[0].text, candidates[0].change): "a reason"}
        tree = FakeTree(self.folder.name)
        outcomes = iter([False, True, True])
        tree.compile = lambda targets: next(outcomes)
        mutate.stages_of, kept = (lambda root, file, crossing: ["models_test"]), mutate.stages_of
        self.addCleanup(setattr, mutate, "stages_of", kept)
        todo = mutate.queue.Queue()
        todo.put(0)
        fingerprints = {"models_test": tree.fingerprint("models_test")}
        mutate.work(tree, [("models", candidates)], mutate.Journal(path, head), todo, {"models_test": 1.0}, fingerprints, listed)
        told = [json.loads(line)["outcome"] for line in path.read_text().splitlines()[1:]]
        self.assertEqual(told, ["equivalent", "invalid", "survived"])

    def test_scores_count_what_was_killed_and_what_survived(self):
        entry = {"module": "fmi", "file": "src/fmi/a.cpp", "line": 1, "kind": "index", "change": "0 → 1", "by": "x | y"}
        table = mutate.report([entry | {"outcome": o} for o in ("killed", "killed", "killed", "survived", "equivalent", "invalid")])
        self.assertIn("| fmi | 3 | 4 | 75 % |", table)
        self.assertIn("| all | 3 | 4 | 75 % |", table)
        self.assertIn("x \\| y", table)


class Project(unittest.TestCase):
    def test_unit_tests_are_those_of_the_module(self):
        self.assertEqual(mutate.unit_tests(mutate.ROOT, "src/core/unit.cpp"), ["core_test"])
        self.assertEqual(mutate.unit_tests(mutate.ROOT, "src/models/nonsmooth/collide.cpp"), ["nonsmooth_test", "models_test"])
        self.assertEqual(mutate.unit_tests(mutate.ROOT, "src/coupling/start/loops.cpp"), ["coupling_test"])
        stages = mutate.stages_of(mutate.ROOT, "src/core/unit.cpp")
        self.assertEqual(stages[0], "core_test")
        self.assertEqual(stages[-1], "cli_test")

    def test_equivalent_mutants_have_reasons(self):
        mutate.known_equivalents(mutate.ROOT / "tools/equivalent_mutants.toml")

    def test_every_file_of_the_project_is_read_without_losing_a_character(self):
        for path in sorted((mutate.ROOT / "src/core").glob("*.cpp")) + sorted((mutate.ROOT / "src/scenario/file").glob("*.cpp")):
            source = path.read_text()
            self.assertEqual(len(mutants.blanked(source)), len(source), path)
            for mutant in mutants.sites(str(path.relative_to(mutate.ROOT)), source):
                self.assertEqual(source[mutant.start : mutant.end], mutant.before)


if __name__ == "__main__":
    unittest.main()
