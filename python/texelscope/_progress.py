"""The bar of long calls, on standard error."""

import sys


class Bar:
    """Draws ``[####....]  40% stage`` in one line, over and over."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, stage: str, fraction: float) -> None:
        cells = 30
        full = int(min(max(fraction, 0.0), 1.0) * cells)
        self._draw(f"[{'#' * full}{'.' * (cells - full)}] {100 * fraction:3.0f}% {stage}")

    def close(self) -> None:
        self._draw("")
        sys.stderr.write("\r")
        sys.stderr.flush()

    def _draw(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)


def bar() -> "Bar | None":
    """A bar where somebody looks: at a terminal or in a notebook; else None."""
    return Bar() if sys.stderr.isatty() or "ipykernel" in sys.modules else None
