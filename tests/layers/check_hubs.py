#!/usr/bin/env python3
"""check_hubs.py ROOT BUDGETS: how many source files a change of a header rebuilds.

A private header is one that only its own folder includes. What it reaches - the .cpp files that
include it, over any number of steps - is to stay small, or a detail rebuilds the project. BUDGETS
has a line for each header that may reach more than the LIMIT, `header budget`; a public header may
have one, too. Fails where a header is above its budget or above the limit without one, where a
budget is for nothing (no such header), and where it is a tenth more than what is reached.
"""

import collections
import os
import re
import sys

LIMIT = 120
FOLDERS = (
    "base traces sim model codegen devices networks agent workbench experiments cli gui python tests"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def includers_of(root):
    """Of each header, the files that include it."""
    includers = collections.defaultdict(set)
    for folder in FOLDERS.split():
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith((".cpp", ".hpp", ".h", ".inc")):
                    path = os.path.join(where, name)
                    with open(path, encoding="utf-8", errors="replace") as text:
                        for header in INCLUDE.findall(text.read()):
                            includers[header].add(os.path.relpath(path, root))
    return includers


def reached(header, includers):
    """The .cpp files that include it, over any number of steps."""
    seen, waiting = {header}, [header]
    while waiting:
        fresh = includers[waiting.pop()] - seen
        seen |= fresh
        waiting += fresh
    return sum(path.endswith(".cpp") for path in seen)


def is_private(header, includers):
    folder = os.path.dirname(header)
    return all(
        os.path.dirname(path) == folder for path in includers[header] if path[:6] != "tests/"
    )


def main():
    root, budgets_file = sys.argv[1:]
    with open(budgets_file, encoding="utf-8") as text:
        rows = [line.split() for line in text if line.strip() and not line.startswith("#")]
    budgets = {header: int(budget) for header, budget in rows}
    includers = includers_of(root)
    headers = sorted(h for h in includers if h.endswith(".hpp") and h[:6] != "tests/")
    if not headers:
        sys.exit(f"no #include was found below {root}")
    wrong = []
    for header in budgets.keys() - set(headers):
        wrong.append(f"{header}: has a budget, but nobody includes it; delete its line")
    for header in headers:
        budget = budgets.get(header)
        if budget is None and not is_private(header, includers):
            continue
        reach = reached(header, includers)
        if reach > (budget or LIMIT):
            wrong.append(
                f"{header}: a change of it compiles {reach} files, {budget or LIMIT} are allowed; "
                "declare in headers what it has, or include it in fewer of them"
            )
        elif budget and budget > LIMIT and budget > 1.1 * reach:
            wrong.append(f"{header}: compiles {reach} files; lower its budget of {budget}")
    for line in sorted(wrong):
        print(line)
    if wrong:
        sys.exit(f"{len(wrong)} headers are not within their budgets ({budgets_file})")
    print(f"{len(headers)} headers keep within their budgets")


main()
