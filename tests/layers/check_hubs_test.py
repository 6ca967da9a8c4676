"""Plants small trees and looks at what check_hubs.py says about them."""

import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check_hubs.py")


def said(files, budgets=""):
    """Exit status and output for a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        (root / "hubs.txt").write_text(budgets)
        run = subprocess.run(
            [sys.executable, CHECK, root, root / "hubs.txt"], capture_output=True, text=True
        )
        return run.returncode, run.stdout + run.stderr


def tree(readers):
    """sim/detail.hpp is private, sim/open.hpp includes it, and so many files include that."""
    files = {
        "sim/detail.hpp": "#pragma once\n",
        "sim/open.hpp": '#pragma once\n#include "sim/detail.hpp"\n',
    }
    for i in range(readers):
        files[f"cli/reader_{i}.cpp"] = '#include "sim/open.hpp"\n'
    return files


def expect(name, status, text, files, budgets=""):
    got, output = said(files, budgets)
    if got != status or text not in output:
        sys.exit(f"{name}: status {got}, and it says:\n{output}")


expect("few", 0, "2 headers keep within", tree(120))
expect("many", 1, "sim/detail.hpp: a change of it compiles 121 files, 120 are allowed", tree(121))
expect("allowed", 0, "keep within", tree(130), "# why\nsim/detail.hpp 135\n")
expect("above", 1, "compiles 140 files, 135 are allowed", tree(140), "sim/detail.hpp 135\n")
expect("loose", 1, "compiles 130 files; lower its budget of 200", tree(130), "sim/detail.hpp 200\n")
expect("gone", 1, "sim/old.hpp: has a budget, but nobody", tree(2), "sim/old.hpp 135\n")
expect("public", 1, "sim/open.hpp: a change of it compiles 130", tree(130),
       "sim/detail.hpp 135\nsim/open.hpp 125\n")
direct = tree(121)
direct["cli/other.cpp"] = '#include "sim/detail.hpp"\n'
expect("not private", 0, "keep within", direct)
expect("nothing", 1, "no #include was found", {"sim/a.hpp": ""})
print("check_hubs.py tells good trees from bad ones")
