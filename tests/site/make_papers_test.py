"""make_papers_test.py TOOL PROGRAM: the pages of the papers are as the tool writes them, and planted mistakes are told."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, PROGRAM = sys.argv[1:3]
DOCS = pathlib.Path(TOOL).resolve().parents[1] / "docs/papers"


class Papers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.docs = pathlib.Path(self.folder.name) / "papers"
        shutil.copytree(DOCS, self.docs)

    def tearDown(self):
        self.folder.cleanup()

    def make(self, *words):
        return subprocess.run([TOOL, "--program", PROGRAM, "--docs", self.docs, *words], capture_output=True, text=True, check=False)

    def changed(self, name, change):
        path = self.docs / name
        before = path.read_text(encoding="utf-8")
        after = change(before)
        self.assertNotEqual(before, after)
        path.write_text(after, encoding="utf-8")

    def test_the_pages_are_as_they_were_kept_and_quick_experiments_as_they_are_now(self):
        done = self.make("--check")
        self.assertEqual((done.stderr, done.returncode), ("", 0))

    def test_a_page_that_was_written_by_hand_is_told_and_written_anew(self):
        self.changed("tmmodel.md", lambda text: text.replace("| yes | the larger the reuse", "| no | the larger the reuse"))
        done = self.make("--check", "--again")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "make_papers: docs/papers/tmmodel.md is not what was kept; write it anew: tools/make_papers\n")
        self.assertEqual(self.make().returncode, 0)
        self.assertEqual((self.docs / "tmmodel.md").read_text(encoding="utf-8"), (DOCS / "tmmodel.md").read_text(encoding="utf-8"))

    def test_an_experiment_that_finds_something_else_is_told(self):
        def other(text):
            kept = json.loads(text)
            kept["romou-fig6"]["findings"][0]["ours"] = "something else"
            return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
        self.changed("findings.json", other)
        self.assertEqual(self.make().returncode, 0)  # the page follows
        done = self.make("--check", "--again", "romou-fig5", "romou-fig6")
        self.assertEqual(done.stderr, "make_papers: experiment romou-fig6 finds something else than docs/papers say; run it anew: "
                                      "tools/make_papers --run romou-fig6\n")
        self.assertEqual(self.make("--run", "romou-fig6").returncode, 0)
        self.assertEqual(self.make("--check", "--again", "romou-fig6").returncode, 0)

    def test_counts_follow_the_findings(self):
        def other(text):
            kept = json.loads(text)
            for finding in kept["fig9"]["findings"]:
                finding["verdict"] = "not tested"
            return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
        counts = lambda: [line for line in (self.docs / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| [TMModel](")]
        before = counts()
        untested = len(json.loads((self.docs / "findings.json").read_text(encoding="utf-8"))["fig9"]["findings"])
        self.changed("findings.json", other)
        self.make()
        self.assertEqual(int(counts()[-1].split("|")[-2]), int(before[-1].split("|")[-2]) + untested)

    def test_a_run_that_is_missing_is_a_line(self):
        self.changed("findings.json", lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != "fig5"}) + "\n")
        done = self.make("--check", "--again")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no run of fig5; make it: tools/make_papers --run fig5", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
