#!/usr/bin/env python3
"""Tests tools/check_public_headers.py on a small tree: what it must accept, and one mistake of every kind."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_public_headers  # noqa: E402

GOOD = {
    "cmake/public_headers.txt": "# words\nrun/run.hpp\n\n# included by these\ncore/port.hpp\n",
    "src/run/run.hpp": '#include <vector>\n\n#include "ergon/core/port.hpp"\n',
    "src/core/port.hpp": "#include <string>\n",
    "src/core/private.hpp": "#include <fmt/format.h>\n",
    "docs/library.md": "| `<ergon/run/run.hpp>` | a run |\n",
}


class PublicHeaders(unittest.TestCase):
    def problems(self, **changed):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **changed.get("files", {})}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_public_headers.check(Path(folder))

    def test_a_complete_list_is_accepted(self):
        self.assertEqual(self.problems(), [])

    def expect_one(self, files, words):
        problems = self.problems(files=files)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(words, problems[0])

    def test_a_header_that_an_installed_one_includes_is_missed(self):
        self.expect_one({"cmake/public_headers.txt": "run/run.hpp\n"}, "core/port.hpp is included by")

    def test_a_header_that_nobody_includes_is_reported(self):
        text = GOOD["cmake/public_headers.txt"] + "core/private.hpp\n"
        self.expect_one({"cmake/public_headers.txt": text}, "no installed header includes core/private.hpp")

    def test_headers_of_other_libraries_are_reported(self):
        self.expect_one({"src/core/port.hpp": "#include <Eigen/Core>\n"}, "includes <Eigen/Core>")

    def test_a_file_that_is_not_there_is_reported(self):
        text = GOOD["cmake/public_headers.txt"].replace("run/run.hpp\n", "run/run.hpp\nrun/gone.hpp\n")
        page = GOOD["docs/library.md"] + "| `<ergon/run/gone.hpp>` | gone |\n"
        self.expect_one({"cmake/public_headers.txt": text, "docs/library.md": page}, "no src/run/gone.hpp")

    def test_a_header_without_description_is_reported(self):
        self.expect_one({"docs/library.md": "nothing\n"}, "`<ergon/run/run.hpp>` is not described")

    def test_a_description_of_a_private_header_is_reported(self):
        page = GOOD["docs/library.md"] + "| `<ergon/core/private.hpp>` | not for programs |\n"
        self.expect_one({"docs/library.md": page}, "`<ergon/core/private.hpp>` is not in the first part")

    def test_a_header_that_is_listed_twice_is_reported(self):
        text = GOOD["cmake/public_headers.txt"] + "core/port.hpp\n"
        self.expect_one({"cmake/public_headers.txt": text}, "listed twice")


if __name__ == "__main__":
    unittest.main(verbosity=0)
