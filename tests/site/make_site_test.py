"""make_site_test.py TOOL: makes the site and reads it back as a browser would; then makes it from documents with planted mistakes."""

import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

tool = pathlib.Path(sys.argv.pop(1)).resolve()
root = tool.parents[1]


def make(out, *options):
    return subprocess.run([sys.executable, "-B", tool, "--out", out, *options], capture_output=True, text=True)


class Page(html.parser.HTMLParser):
    """What a page links to, what it loads, and where in it one can link to."""

    def __init__(self, file):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], []
        self.text, self.inside = "", False  # of the document itself, texts of its pictures among it
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("main", "footer"):
            self.inside = tag == "main"
        if self.inside:
            self.text += f" {values.get('alt', '')} "
        if "id" in values:
            self.anchors.append(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        elif tag == "form":
            self.links.append(values["action"])
        elif "href" in values or "src" in values:
            self.loads.append(values.get("href", values.get("src")))

    def handle_data(self, data):
        if self.inside:
            self.text += data


class TheSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.site = pathlib.Path(cls.folder.name).resolve() / "site"
        made = make(cls.site)
        assert made.returncode == 0, made.stderr
        cls.pages = {file: Page(file) for file in cls.site.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_links(self):
        self.assertGreater(len(self.pages), 25)
        for file, page in self.pages.items():
            for link in page.links:
                if re.match(r"https?://", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (file.parent / path).resolve() if path else file
                with self.subTest(page=str(file), link=link):
                    self.assertTrue(target.is_file() and self.site in target.parents)
                    if anchor:
                        self.assertIn(anchor, self.pages[target].anchors)

    def test_what_is_loaded_is_on_the_site(self):
        for file, page in self.pages.items():
            for load in page.loads:
                with self.subTest(page=str(file), load=load):
                    self.assertTrue((file.parent / load).resolve().is_file())
        for file in [*self.site.glob("*.css"), tool.parent / "site/search.js"]:
            self.assertNotRegex(file.read_text(), r"https?:|@import|url\(|fetch\(|import ")

    def test_anchors_are_unique(self):
        for file, page in self.pages.items():
            with self.subTest(page=str(file)):
                self.assertEqual(sorted(page.anchors), sorted(set(page.anchors)))

    def test_every_document_is_there_with_its_text(self):
        for document in [root / "README.md", *(root / "docs").rglob("*.md")]:
            file = self.site / document.relative_to(root)
            file = file.with_name("index.html") if file.name == "README.md" else file.with_suffix(".html")
            written = re.sub(r"\]\([^)]*\)|<!--.*?-->|```[a-z]+", "", document.read_text(encoding="utf-8"))
            self.assertIn(file, self.pages)
            with self.subTest(document=str(document)):
                self.assertEqual(re.findall("[A-Za-z]{2,}", written), re.findall("[A-Za-z]{2,}", self.pages[file].text))

    def test_search_has_every_document(self):
        index = (self.site / "search-index.js").read_text(encoding="utf-8")
        for file in self.pages:
            if file.name != "search.html":
                self.assertIn(f'"{file.relative_to(self.site)}#', index)


class Mistakes(unittest.TestCase):
    """The documents with one mistake: a line says where, and the site that was there stays."""

    def refused(self, document, text, *lines):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "documents"
            copy.mkdir()
            for entry in root.iterdir():
                if entry.name != "docs":
                    (copy / entry.name).symlink_to(entry)
            shutil.copytree(root / "docs", copy / "docs")
            site = pathlib.Path(folder) / "site"
            self.assertEqual(make(site, "--root", copy).returncode, 0)
            with open(copy / document, "a", encoding="utf-8") as file:
                file.write(text)
            made = make(site, "--root", copy)
            self.assertEqual(made.returncode, 1)
            self.assertEqual(made.stderr.splitlines(), [f"make_site: {line}" for line in lines])
            self.assertEqual(made.stdout, "")
            self.assertTrue((site / "index.html").is_file())
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir() if "unfinished" in path.name], [])

    def test_links(self):
        self.refused("docs/tour.md", "\n[a](nothing.md) [b](workbench.md#nothing) [c](#a-tour-in-five-minutes) ![d](no.png)\n",
                     "docs/tour.md: nothing.md: there is no such file",
                     "docs/tour.md: workbench.md#nothing: docs/workbench.md has no such heading",
                     "docs/tour.md: no.png: there is no such file")

    def test_a_document_that_is_not_on_the_site(self):
        self.refused("docs/tour.md", "\n[a](../tests/data/layouts/README.md)\n",
                     "docs/tour.md: ../tests/data/layouts/README.md: not on the site; add it to the navigation of tools/make_site")
        self.refused("docs/new.md", "# New\n", "docs/new.md: not in the navigation of tools/make_site")

    def test_a_folder_that_is_no_site_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = pathlib.Path(folder) / "mine"
            mine.write_text("text")
            made = make(folder)
            self.assertEqual(made.returncode, 1)
            self.assertIn("is no site", made.stderr)
            self.assertEqual(mine.read_text(), "text")


unittest.main()
