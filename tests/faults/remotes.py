"""Workers and machines whose connection drops at a chosen message."""

import itertools
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from places import run

COUNTED = itertools.count()


@dataclass
class Cut:
    number: int  # of the message or the call, from 1; 0: none
    how: str

    def variables(self):
        return {"TEXELSCOPE_CUT": f"{self.number}:{self.how}"}


# Stands where the agent is looked for, and passes on what the real one tells: whole messages (a byte, eight of length, the
# text) up to the chosen one, of which it passes on nothing, the head or half; or it stays silent from there on.
PROXY = '''#!{python}
import os, socket, subprocess, sys, threading
number, how = os.environ["TEXELSCOPE_CUT"].split(":")
ours = socket.socket(fileno=0)
here, there = socket.socketpair()
agent = subprocess.Popen([{agent!r}, *sys.argv[1:]], stdin=there.fileno())
there.close()
def pass_on():
    while data := ours.recv(65536):
        here.sendall(data)
    agent.kill()
    os._exit(0)
threading.Thread(target=pass_on, daemon=True).start()
def receive(count):
    data = b""
    while len(data) < count and (more := here.recv(count - len(data))):
        data += more
    return data
passed = 0
while head := receive(9):
    message = head + receive(int.from_bytes(head[1:9], "little"))
    passed += 1
    if passed == int(number):
        if how != "silent":
            ours.sendall(message[:{{"nothing": 0, "head": 9, "half": (9 + len(message)) // 2}}[how]])
            agent.kill()
            os._exit(0)
        threading.Event().wait()
    if counted := os.environ.get("TEXELSCOPE_CUT_COUNT"):  # first: who has the last message may end this process
        with open(counted, "w") as out:
            out.write(str(passed))
    ours.sendall(message)
os._exit(agent.wait())
'''


def executable(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def proxied(place):
    """A folder with the program, beside which the proxy stands as its agent."""
    import sys
    folder = place.scratch / "proxied"
    folder.mkdir()
    shutil.copy(place.programs / "texelscope", folder / "texelscope")
    executable(folder / "texelscope-agent",
               PROXY.format(python=sys.executable, agent=str(place.programs / "texelscope-agent")))
    return folder


def cuts_of_worker(place, programs, words, silent):
    """One for each message of a run, and each way."""
    folder = place.scratch / f"device-{next(COUNTED)}"
    (folder / "tmp").mkdir(parents=True)
    counted = folder / "messages"
    outcome = run(place, folder, [programs / "texelscope", *words],
                  variables={"TEXELSCOPE_CUT": "0:nothing", "TEXELSCOPE_CUT_COUNT": str(counted)})
    if outcome.code != 0:
        raise RuntimeError(f"through a proxy that drops nothing: {outcome.errors}")
    hows = ("nothing", "head", "half") + (("silent",) if silent else ())
    return [Cut(number, how) for number in range(1, int(counted.read_text()) + 1) for how in hows]


# ssh and scp to a "machine" that is a folder here. Calls are counted; the chosen one is dropped before or after its work, or in
# the middle of what comes back, or it and all after it.
REMOTE = '''#!/bin/sh
cd "{there}" || exit 255
n=$(($(cat "{calls}" 2>/dev/null || echo 0) + 1))
echo $n > "{calls}"
lost() {{ echo "connection reset by peer" >&2; exit 255; }}
[ "{how}" = "for good" ] && [ {number} -gt 0 ] && [ $n -ge {number} ] && lost
[ "{how}" = before ] && [ $n -eq {number} ] && lost
{work}
[ "{how}" = after ] && [ $n -eq {number} ] && lost
exit $status
'''

SSH = '''for last; do :; done
if [ "{how}" = half ] && [ $n -eq {number} ]; then
    sh -c "$last" > "{calls}.out" 2>&1; size=$(wc -c < "{calls}.out"); head -c $((size / 2)) "{calls}.out"; lost
fi
sh -c "$last"; status=$?'''

SCP = '''for to; do :; done
for word; do [ "$word" = "$to" ] || from=$word; done
from=${{from#board:}} to=${{to#board:}}
if [ "{how}" = half ] && [ $n -eq {number} ]; then
    size=$(wc -c < "$from"); head -c $((size / 2)) "$from" > "$to"; lost
fi
cp "$from" "$to"; status=$?'''


def fake_remote(place, folder, cut):
    """Variables that make ssh and scp the ones of this machine."""
    tools, there = folder / "tools", folder / "there"
    tools.mkdir()
    there.mkdir()
    for name, work in (("ssh", SSH), ("scp", SCP)):
        values = {"there": there, "calls": folder / "calls", "how": cut.how, "number": cut.number}
        executable(tools / name, REMOTE.format(work=work.format(**values), **values))
    return {"PATH": f"{tools}:{os.environ['PATH']}"}
