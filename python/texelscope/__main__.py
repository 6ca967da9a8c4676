"""The command line, ``texelscope`` or ``python -m texelscope``: runs the program that came with the package."""

import os
import sys

from ._texelscope import program_folder


def main() -> None:
    program = os.path.join(program_folder(), "texelscope")
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"texelscope: {program}: {error.strerror}; install the package again")


if __name__ == "__main__":
    main()
