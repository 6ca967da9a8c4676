"""One moment: a command from a fresh folder, with a fault; what it did is checked, and it is run again without one."""

import itertools
import shutil
import signal
from pathlib import Path

from places import Fault, limited, run
from results import Comparison, files_of, is_temporary

KILLS = ("kill", "tear")
FAULTS = ("enospc", "full", "edquot", "eio", "broken", "erofs", "eintr", "short", "fsync", "close", "mmap", "read")

numbers = itertools.count()


def reported(text):
    """The lines of the program's own on standard error."""
    return [line for line in text.splitlines() if line.startswith(("texelscope: ", "texelscope-gui: "))]


class Reference:
    """What there is before a command, and what it does when nothing goes wrong."""

    def __init__(self, place, command):
        self.place, self.command = place, command
        self.words = [place.programs / command.program, *command.line(command.words)]
        self.template = place.scratch / f"before-{next(numbers)}"
        (self.template / "tmp").mkdir(parents=True)
        for words in command.before:
            self._well(self.template, [place.programs / (command.program if command.program == "save_study" or
                                       command.program == "texelscope-gui" else "texelscope"), *command.line(words)])
        good = self.fresh()
        self.outcome = self._well(good, self.words)
        self.comparison = Comparison(command, files_of(self.template), files_of(good), place.scratch)
        shutil.rmtree(good)
        if left := self.comparison.left_behind(self.comparison.good, False):
            raise RuntimeError(f"{command.name} leaves {left}")

    def fresh(self):
        folder = self.place.scratch / f"moment-{next(numbers)}"
        shutil.copytree(self.template, folder)
        return folder

    def _well(self, folder, words):
        outcome = run(self.place, folder, words)
        if outcome.code != 0:
            raise RuntimeError(f"{self.command.name}: {' '.join(map(str, words))} fails without a fault: "
                               f"{outcome.code}, {outcome.errors.strip()}")
        return outcome

    def calls(self, unnamed):
        """How many calls of a good run each kind of fault can befall."""
        folder = self.fresh()
        outcome = run(self.place, folder, self.words, Fault("none", 0, unnamed))
        shutil.rmtree(folder)
        return outcome.calls


def said_wrong(reference, outcome, folder, codes):
    """What is wrong with the exit code and the line of a run that failed."""
    command = reference.command
    if outcome.code < 0:
        return [f"ended by {signal.Signals(-outcome.code).name}"]
    wrong = [] if outcome.code in codes else [f"exit code {outcome.code}"]
    lines = reported(outcome.errors)
    # Drivers and the programs that are captured have lines of their own.
    if len(lines) != 1 or (command.quiet and not command.needs and len(outcome.errors.splitlines()) != 1):
        wrong.append(f"{len(outcome.errors.splitlines())} lines on standard error")
    elif "internal error" in lines[0] or "; " not in lines[0]:
        wrong.append("its line does not say what to do")
    return wrong


def again_wrong(reference, folder, before_again):
    """What is wrong with the same command, run again without a fault."""
    outcome = run(reference.place, folder, reference.words)
    done = reference.command.once and not reference.comparison.complete(files_of(folder))
    wrong = [] if outcome.code == 0 or done else [f"again: exit code {outcome.code}: {outcome.errors.strip()}"]
    files = files_of(folder)
    wrong += ["again: " + line for line in reference.comparison.complete(files)]
    left = [name for name in reference.comparison.left_behind(files, False) if name not in before_again]
    return wrong + [f"again: left behind: {', '.join(left)}"] if left else wrong


def survived_wrong(reference, outcome, files, codes, folder):
    """What is wrong after a run that was not killed."""
    comparison = reference.comparison
    wrong = []
    if outcome.code == 0:
        wrong += ["said to be done: " + line for line in comparison.complete(files)]
        if reference.command.prints == "same" and outcome.output != reference.outcome.output:
            wrong.append("said to be done, and printed something else")
    else:
        wrong += said_wrong(reference, outcome, folder, codes)
        wrong += comparison.kept(files)
    return wrong


def fault_moment(reference, fault):
    """What is wrong; nothing where all promises are kept. And whether the fault befell a call."""
    folder = reference.fresh()
    command = reference.command
    try:
        outcome = run(reference.place, folder, reference.words, fault)
        files = files_of(folder)
        if outcome.late:
            return ["hangs"], True
        if fault.kind in KILLS:
            wrong = reference.comparison.kept(files)
            if outcome.befallen and outcome.code != -signal.SIGKILL and not command.needs:
                wrong.append(f"killed, and ended with {outcome.code}")
            left = [name for name in reference.comparison.left_behind(files, True) if not is_temporary(name)]
        else:
            wrong = survived_wrong(reference, outcome, files, command.codes, folder)
            # What a disk does not let go of, stays.
            stuck = fault.kind in ("broken", "erofs", "eio")
            left = [] if stuck else reference.comparison.left_behind(files, True)
        if left:
            wrong.append(f"left behind: {', '.join(left)}")
        if outcome.code == 0 and not outcome.befallen and fault.number > 0:
            return wrong, False
        wrong += again_wrong(reference, folder, set(files))
        if wrong and outcome.errors.strip():
            wrong.append("it said: " + outcome.errors.strip())
        return wrong, outcome.befallen > 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def starts(outcome):
    """False where the loader itself has failed, or the shell that sets the limit."""
    return not (outcome.code == 127 or "error while loading shared libraries" in outcome.errors or
                outcome.errors.startswith("sh: "))


def memory_moment(reference, kilobytes):
    folder = reference.fresh()
    try:
        outcome = run(reference.place, folder, limited(reference.words, kilobytes))
        files = files_of(folder)
        if outcome.late:
            return ["hangs"], True
        if not starts(outcome) or (outcome.code < 0 and not loads(reference, kilobytes)):
            return [], False  # it has not come to its first line
        codes = (1, 2, 3) + tuple(range(129, 160)) if reference.command.needs else (2,)
        if reference.command.needs == "oclgrind":
            codes += (9,)  # of the program that it records, where OpenCL fails
        wrong = survived_wrong(reference, outcome, files, codes, folder)
        if left := reference.comparison.left_behind(files, True):
            wrong.append(f"left behind: {', '.join(left)}")
        wrong += again_wrong(reference, folder, set(files))
        if wrong and outcome.errors.strip():
            wrong.append("it said: " + outcome.errors.strip())
        return wrong, outcome.code != 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def suffices(reference, kilobytes):
    folder = reference.fresh()
    outcome = run(reference.place, folder, limited(reference.words, kilobytes))
    shutil.rmtree(folder, ignore_errors=True)
    return outcome.code == 0


def loads(reference, kilobytes):
    folder = reference.fresh()
    outcome = run(reference.place, folder, limited([reference.words[0], "--version"], kilobytes))
    shutil.rmtree(folder, ignore_errors=True)
    return outcome.code == (2 if reference.command.program == "save_study" else 0)


def least(holds, low, high):
    """The least number for which it holds, to some hundredths."""
    while high - low > max(256, low // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
