#!/usr/bin/env python3
"""compile_bare.py --row ROW --root DIR --opencl DIR --scratch DIR --compiler CLANG [--cxx DIR] SOURCE...

Compiles all sources of texelscope-agent as one, without making code, where there is nothing but a C++ library, one C library and the
OpenCL headers, as with Android's NDK. The C++ library is LLVM's, which the NDK has, too. Then it compiles lines that include what an
agent may not have, each of which has to fail. Exits 77 and says "skipped: why" where the headers of the row are not installed."""

import argparse
import os
import pathlib
import subprocess
import sys

# Name: target, its C library's headers, the package that has them, and what LLVM's library has to be told of it.
ROWS = {
    "glibc-64": ("aarch64-linux-gnu", "/usr/aarch64-linux-gnu/include", "libc6-dev-arm64-cross", []),
    "glibc-32": ("arm-linux-gnueabihf", "/usr/arm-linux-gnueabihf/include", "libc6-dev-armhf-cross", []),
    "musl-64": ("x86_64-linux-musl", "/usr/include/x86_64-linux-musl", "musl-dev", ["-D_LIBCPP_HAS_MUSL_LIBC"]),
}
# What the rest of Texelscope has, one line for each place where such headers lie.
FORBIDDEN = ["nlohmann/json.hpp", "fmt/format.h", "boost/version.hpp", "zlib.h", "Eigen/Core", "CLI/CLI.hpp"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--row", choices=ROWS, required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--opencl", required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("sources", nargs="+")
    given = parser.parse_args()
    target, libc, package, more = ROWS[given.row]
    if given.compiler.endswith("-NOTFOUND"):
        skip("there is no clang++ (package clang)")
    if given.cxx.endswith("-NOTFOUND"):
        skip("the headers of LLVM's C++ library are missing (package libc++-14-dev)")
    if not os.path.exists(f"{libc}/stdio.h"):
        skip(f"there is no {libc}/stdio.h (package {package})")

    own = subprocess.run([given.compiler, "-print-resource-dir"], check=True, capture_output=True, text=True).stdout.strip()
    command = [given.compiler, f"--target={target}", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *more,
               "-nostdinc", "-nostdinc++", "-DTEXELSCOPE_VERSION=\"0\"", "-I", given.root]
    # In the order in which clang itself has them: the C++ library's headers include the C library's of the same name.
    for folder in (given.cxx, f"{own}/include", libc, given.opencl):
        command += ["-isystem", folder]

    def complaint(source):
        done = subprocess.run([*command, source], capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    given.scratch.mkdir(parents=True, exist_ok=True)
    # As one: most of the work is headers, which all have in common.
    together = given.scratch / "together.cpp"
    together.write_text("".join(f'#include "{source}"\n' for source in given.sources))
    complaints = [said] if (said := complaint(str(together))) else []
    for text in complaints:
        print(text)

    for header in FORBIDDEN:
        planted = given.scratch / "planted.cpp"
        planted.write_text(f"#include <{header}>\n")
        said = complaint(str(planted))
        if "file not found" not in said:
            complaints.append(header)
            print(f"<{header}> is found, or fails for another reason, so that this test proves nothing: {said}")
    if complaints:
        sys.exit(1)
    print(f"{len(given.sources)} sources compile with {target}'s headers and OpenCL's alone")


main()
