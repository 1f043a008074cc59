#!/usr/bin/env python3
"""Tests tools/check_docs.py on a small tree: what it must accept, and one mistake of every kind."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_docs  # noqa: E402

GOOD_DECISION = "# 1. T\n\n**Status:** accepted\n\n## Context\n\nc\n\n## Decision\n\nd\n"


class Documents(unittest.TestCase):
    def problems(self, page, decision=GOOD_DECISION, tests="`PortSuite`\n"):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {
                "README.md": page,
                "docs/page.md": "# A page\n\n## Two words, `code`\n\n```\n## no heading\n```\n",
                "docs/reliability.md": tests,
                "docs/adr/0001-t.md": decision,
                "src/core/port.hpp": "// GoneType\nstruct PortKind { int width(); };\n",
                "src/core/port_test.cpp": "TEST(PortSuite, GoneType) {}\n",
            }.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return list(check_docs.check(root))

    def test_accepts_what_exists(self):
        page = "[p](docs/page.md#two-words-code) `PortKind` `PortKind::width` `width()` `src/core/port.hpp` `src/core/port`\n"
        page += "[w](https://example.org/x) `src/<module>/x.cpp` `tests/*`\n```\n[not](a-link)\n```\n"
        self.assertEqual(self.problems(page), [])

    def architecture(self, row, rooms="| `plan/` | p |", evidence="`good_evidence.cpp`"):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "src/coupling/plan").mkdir(parents=True)
            (root / "src/core").mkdir()
            (root / "src/verdict").mkdir()
            (root / "docs").mkdir()
            (root / "src/verdict/good_evidence.cpp").write_text("")
            (root / "CMakeLists.txt").write_text(
                "ergon_module(core FOLDER src/core)\nergon_module(coupling_plan FOLDER src/coupling/plan USES core LINK fmt)\n"
                "ergon_module(coupling FOLDER src/coupling USES core\n  coupling_plan LINK fmt)\n"
                "ergon_module(verdict FOLDER src/verdict USES core coupling_plan)\n")
            table = f"| `src/core` | c | – |\n| `src/coupling` | c | core |\n{row}\n\n{rooms}\n\n{evidence}\n"
            (root / "docs/architecture.md").write_text(table)
            return list(check_docs.check(root))

    def test_compares_the_table_of_folders_with_what_is_built(self):
        self.assertEqual(self.architecture("| `src/verdict` | v | core, coupling (plan) |"), [])
        self.assertEqual(self.architecture("| `src/verdict` | v | core |"),
                         ["docs/architecture.md:3: 'src/verdict' may include from core, coupling (CMakeLists.txt)"])
        self.assertIn("no row for 'src/verdict'", self.architecture("")[0])

    def test_compares_rooms_and_evidence_with_the_tree(self):
        row = "| `src/verdict` | v | core, coupling |"
        self.assertIn("'gone' is in 'src/coupling'", self.architecture(row, rooms="| `plan/` | p |\n| `gone/` | g |")[0])
        self.assertIn("'plan'", self.architecture(row, rooms="")[0])
        self.assertIn("'good_evidence.cpp'", self.architecture(row, evidence="")[0])

    def test_rejects_a_link_to_nothing(self):
        self.assertEqual(self.problems("\n[p](docs/other.md)"), ["README.md:2: the link 'docs/other.md' leads nowhere"])

    def test_rejects_a_missing_heading(self):
        self.assertIn("no heading '#three'", self.problems("[p](docs/page.md#three)")[0])
        self.assertEqual(len(self.problems("[p](docs/page.md#no-heading)")), 1)

    def test_rejects_a_type_that_only_comments_and_test_names_know(self):
        self.assertEqual(self.problems("`GoneType`"), ["README.md:1: no source names the type 'GoneType'"])

    def test_suites_are_named_on_the_pages_about_tests_alone(self):
        self.assertEqual(len(self.problems("`PortSuite`")), 1)

    def test_rejects_a_test_that_is_gone(self):
        self.assertEqual(self.problems("", tests="`PortSuite.GoneType` `PortSuite.Go…` `PortSuite.*` `other.file_test`\n"), [])
        for name in ("PortSuite.Gone", "PortSuite.Other…", "OtherSuite.*"):
            self.assertEqual(self.problems("", tests=f"\n`{name}`"), [f"docs/reliability.md:2: there is no test '{name}'"])

    def test_rejects_a_missing_path(self):
        self.assertEqual(self.problems("`src/core/gone.hpp`"), ["README.md:1: there is no 'src/core/gone.hpp'"])

    def test_rejects_a_missing_function_or_member(self):
        self.assertEqual(len(self.problems("`height()` and `PortKind::height`")), 2)

    def test_rejects_private_words_outside_of_code(self):
        self.assertEqual(self.problems("There is no port. It is no longer used. `giver` [x](docs/page.md)\n```\nbooks\n```\n"), [])
        for line in ("This is no number.", "It tells the time.", "The books close.", "The giver steps.", "A companion runs.",
                     "The mover steps.", "It has half the steps.", "It is computed anew.", "It is led.", "As nobody knows."):
            self.assertEqual(len(self.problems("\n" + line)), 1, line)
            self.assertTrue(self.problems("\n" + line)[0].startswith("README.md:2: "), line)

    def test_rejects_private_words_in_messages_only(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "src/core/port.cpp"
            source.parent.mkdir(parents=True)
            source.write_text('// The giver is no port.\nrefuse("it is no port");\nkey("giver");\n')
            self.assertEqual(list(check_docs.check_messages(Path(folder))), ["src/core/port.cpp:2: 'is no': write 'is not a …'"])

    def test_a_decision_has_a_status_a_context_and_a_decision(self):
        self.assertEqual(len(self.problems("", "# 1. T\n")), 3)
        self.assertEqual(self.problems("", GOOD_DECISION.replace("accepted", "superseded by [ADR 1](0001-t.md)")), [])


if __name__ == "__main__":
    unittest.main(verbosity=0)
