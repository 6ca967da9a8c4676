"""The bar of long calls, on standard error."""

import sys


class Bar:
    """Draws ``[####....]  40% stage`` in one line, over and over; a stream that fails ends the bar, not the work."""

    def __init__(self) -> None:
        self._width = 0
        self._draws = True

    def __call__(self, stage: str, fraction: float) -> None:
        cells = 30
        full = int(min(max(fraction, 0.0), 1.0) * cells)
        self._draw(f"[{'#' * full}{'.' * (cells - full)}] {100 * fraction:3.0f}% {stage}")

    def close(self) -> None:
        self._draw("")
        self._write("\r")

    def _draw(self, line: str) -> None:
        self._write("\r" + line.ljust(self._width))
        self._width = len(line)

    def _write(self, text: str) -> None:
        try:
            if self._draws:
                sys.stderr.write(text)
                sys.stderr.flush()
        except (AttributeError, OSError, ValueError):  # there is none, or it is closed
            self._draws = False


def bar() -> "Bar | None":
    """A bar where somebody looks: at a terminal or in a notebook; else None."""
    try:
        looked_at = sys.stderr.isatty() or "ipykernel" in sys.modules
    except (AttributeError, ValueError):
        looked_at = False
    return Bar() if looked_at else None
