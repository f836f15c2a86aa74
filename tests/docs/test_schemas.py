# SPDX-License-Identifier: BSD-3-Clause
"""Files for other programs have the form that these programs ask for."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from pages import ROOT


def check(schema, path):
    """Exit code and output of check-jsonschema."""
    done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Schemas(unittest.TestCase):
    def check(self, schema, path, word):
        """The file has the form of the schema, and would not have it with another word in place of `word`."""
        code, report = check(schema, path)
        self.assertEqual(code, 0, report)
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder, path.name)
            text = path.read_text()
            self.assertIn(word, text)
            broken.write_text(text.replace(word, "another-word:"))
            self.assertEqual(check(schema, broken)[0], 1)

    def test_the_workflow_of_the_forge(self):
        path = ROOT / ".github" / "workflows" / "ci.yml"
        self.check("vendor.github-workflows", path, "runs-on:")
        self.assertIn("          .ci/run\n", path.read_text())

    def test_citation(self):
        self.check("vendor.citation-file-format", ROOT / "CITATION.cff", "cff-version:")


if __name__ == "__main__":
    unittest.main()
