"""Where things are run: the programs, the shim, and folders that are fresh for each run."""

import os
import shutil
import signal
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Place:
    programs: Path
    shim: Path
    scratch: Path  # everything is below it

    @staticmethod
    def made(programs, shim):
        """In memory where there is such a folder: a disk would take most of the time."""
        memory = Path("/dev/shm")
        base = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
        place = Place(Path(programs).resolve(), Path(shim).resolve(), Path(tempfile.mkdtemp(prefix="texelscope-faults-", dir=base)))
        for name in ("home", "pocl"):
            (place.scratch / name).mkdir()
        return place

    def removed(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def environment(self, folder):
        """`folder` has the temporary files, too: so that faults befall them, and what is left behind is seen."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("TEXELSCOPE_FAULT")}
        own.update(HOME=str(self.scratch / "home"), XDG_CONFIG_HOME=str(self.scratch / "home"),
                   XDG_RUNTIME_DIR=str(self.scratch / "home"), POCL_CACHE_DIR=str(self.scratch / "pocl"),
                   TMPDIR=str(folder / "tmp"), QT_QPA_PLATFORM="offscreen", QT_LOGGING_RULES="*=false",
                   ASAN_OPTIONS="detect_leaks=0:use_sigaltstack=0:verify_asan_link_order=0")
        return own


# In the order of the shim.
KINDS = ("enospc", "full", "edquot", "eio", "broken", "erofs", "eintr", "short", "fsync", "close", "mmap", "read", "kill", "tear",
         "none")


@dataclass
class Fault:
    kind: str
    number: int  # of the call that it befalls, from 1; 0: of none
    unnamed: bool = True  # the file system has files without a name

    def __str__(self):
        return f"{self.kind}:{self.number}" + ("" if self.unnamed else ":named")

    @staticmethod
    def read(text):
        kind, number, *rest = text.split(":")
        return Fault(kind, int(number), rest != ["named"])


@dataclass
class Outcome:
    code: int  # negative: the signal that ended it
    output: str
    errors: str
    calls: dict = field(default_factory=dict)  # that each kind of fault can befall
    befallen: int = 0
    late: bool = False


def limited(words, kilobytes):
    """The same words under a limit of address space."""
    return ["/bin/sh", "-c", f'ulimit -v {kilobytes}; exec "$@"', "sh", *words]


def run(place, folder, words, fault=None, timeout=120, log=None, variables=None):
    """Runs a program in `folder`. With a fault, under the shim."""
    environment = place.environment(folder)
    environment.update(variables or {})
    state = None
    if fault is not None:
        state = Path(str(folder) + ".state")
        state.write_bytes(bytes(8 * (1 + len(KINDS))))
        environment.update(LD_PRELOAD=str(place.shim), TEXELSCOPE_FAULT=f"{fault.kind}:{fault.number}",
                           TEXELSCOPE_FAULT_FOLDER=str(folder), TEXELSCOPE_FAULT_STATE=str(state),
                           TEXELSCOPE_FAULT_UNNAMED="1" if fault.unnamed else "0")
        if log is not None:
            environment["TEXELSCOPE_FAULT_LOG"] = str(log)
    with tempfile.TemporaryFile(dir=place.scratch) as output, tempfile.TemporaryFile(dir=place.scratch) as errors:
        process = subprocess.Popen([str(word) for word in words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=errors, start_new_session=True)
        late = False
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    befallen, *calls = struct.unpack(f"{1 + len(KINDS)}Q", state.read_bytes()) if state else (0,)
    if state:
        state.unlink()
    return Outcome(code, texts[0], texts[1], dict(zip(KINDS, calls)), befallen, late)
