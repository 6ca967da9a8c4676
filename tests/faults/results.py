"""What commands leave in a folder, and how it is compared with what there was and what there should be."""

import re
import shutil
import sqlite3
import tempfile
from pathlib import Path


def files_of(folder):
    """Bytes of every file, by its name within the folder; folders have a name that ends in /."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        found[name + "/" if path.is_dir() else name] = b"" if path.is_dir() else path.read_bytes()
    return found


class StoreBroken(Exception):
    pass


# What differs from run to run.
NOT_COMPARED = {"timestamp", "compile_ns", "benchmark_ns", "verification_ns", "strategy_ns", "framework_ns", "total_ns"}


def rows_of_store(files, name, scratch):
    """The rows of a store whose files were taken by files_of(): a copy is opened, for opening changes it."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        for end in ("", "-wal", "-journal"):
            if name + end in files:
                (folder / ("store" + end)).write_bytes(files[name + end])
        connection = sqlite3.connect(folder / "store")
        try:
            checked = connection.execute("PRAGMA integrity_check").fetchall()
            if checked != [("ok",)]:
                raise StoreBroken(f"integrity_check: {checked[0][0]}")
            if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'results'").fetchall():
                return []  # a new store may have no rows yet
            cursor = connection.execute("SELECT * FROM results")
            kept = [i for i, column in enumerate(cursor.description) if column[0] not in NOT_COMPARED]
            return sorted(repr([row[i] for i in kept]) for row in cursor)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StoreBroken(str(error)) from error
    finally:
        shutil.rmtree(folder)


def steps_of_checkpoint(content):
    """Steps that a checkpoint has come to."""
    found = re.search(rb"\nlosses (\d+)\n", content)
    if found is None or not content.startswith(b"texelscope-training") or not re.search(rb"\nend [0-9a-f]{16}\n\Z", content):
        return None
    return int(found[1]) // 8


def of_output(files, name):
    """The files that belong to an output, which may be a folder."""
    return {file: content for file, content in files.items() if file == name or file.startswith(name + "/")}


def finished(files):
    """Without what a killed program may have left; whether anything else has is seen by left_behind()."""
    return {file: content for file, content in files.items() if not is_temporary(file)}


class Comparison:
    """What is left, next to what there was before and what a good run leaves."""

    def __init__(self, command, before, good, scratch):
        self.command, self.before, self.good, self.scratch = command, before, good, scratch
        self.rows_before, self.rows_good = {}, {}
        for name, how in command.outputs.items():
            if how == "store":
                self.rows_before[name] = rows_of_store(before, name, scratch) if name in before else []
                self.rows_good[name] = rows_of_store(good, name, scratch)

    def _store(self, files, name, whole):
        try:
            rows = rows_of_store(files, name, self.scratch) if name in files else []
        except StoreBroken as error:
            return [f"{name} is broken: {error}"]
        if whole:
            return [] if rows == self.rows_good[name] else [f"{name} has {len(rows)} rows, not those of a good run"]
        wrong = []
        if not set(self.rows_before[name]) <= set(rows):
            wrong.append(f"{name} has lost rows")
        if not set(rows) <= set(self.rows_good[name]) | set(self.rows_before[name]) or len(set(rows)) != len(rows):
            wrong.append(f"{name} has rows that no good run has")
        return wrong

    def complete(self, files):
        """What is wrong with outputs that are said to be done."""
        wrong = []
        for name, how in self.command.outputs.items():
            if how == "store":
                wrong += self._store(files, name, True)
            elif how == "present":
                if not files.get(name):
                    wrong.append(f"{name} is not there")
            elif not all_same(finished(of_output(files, name)), of_output(self.good, name), how):
                wrong.append(f"{name} is not what a good run writes")
        return wrong

    def kept(self, files):
        """What is wrong with outputs of a run that failed: each file is the one before, or a whole new one."""
        wrong = []
        for name, how in self.command.outputs.items():
            if how == "store":
                wrong += self._store(files, name, False)
                continue
            for file, content in of_output(files, name).items():
                if file.endswith("/"):
                    continue
                if how == "checkpoint":
                    steps, least = steps_of_checkpoint(content), steps_of_checkpoint(self.before.get(file, b"")) or 0
                    if steps is None or steps < least:
                        wrong.append(f"{file} is half written, or has lost steps")
                elif not same(content, self.before.get(file), how) and not same(content, self.good.get(file), how) and \
                        not (how in ("present", "trace") and whole(file, content)) and not is_temporary(file):
                    wrong.append(f"{file} is half written")
            for file in of_output(self.before, name):
                if file not in files:
                    wrong.append(f"{file} is lost")
        for file, content in self.before.items():
            if not any(file == name or file.startswith(name + "/") or file.startswith(name + "-")
                       for name in self.command.outputs) and files.get(file) != content:
                wrong.append(f"{file}, which it only reads, was changed")
        return wrong

    def left_behind(self, files, logs):
        """Names that neither were there nor should be. `logs`: a store's may stay, which have rows."""
        allowed = set(self.before) | set(self.good)
        if logs:
            allowed |= {name + end for name in allowed if name.endswith(".sqlite") for end in ("-wal", "-shm", "-journal")}
        for name in self.command.outputs:
            # folders on the way to a file that was to be written
            allowed |= {name + "/"} if any(file.startswith(name + "/") for file in self.good) else set()
        return sorted(set(files) - allowed)


def same(content, other, how):
    """Whether two contents are equal, but for how long it took ("timed")."""
    if content is None or other is None or how != "timed":
        return content == other
    seconds = rb'"seconds": [^,\n]*'
    return re.sub(seconds, b"", content) == re.sub(seconds, b"", other)


def all_same(files, others, how):
    return files.keys() == others.keys() and all(same(files[name], others[name], how) for name in files)


def whole(name, content):
    """Whether a file whose bytes differ from run to run, or a trace of a program that was killed, ends as it should."""
    if name.endswith(".tst"):
        return content.endswith(b"TXND")
    if name.endswith(".png"):
        return content.endswith(b"IEND\xaeB`\x82")
    return content.rstrip().endswith(b"}")


def is_temporary(name):
    """What a program that is killed may leave: see AtomicFile, SpoolFolder and others."""
    return ".texelscope-" in name or ".capture-" in name or name.startswith("tmp/")
