"""Commands at the prompt, in processes of their own, that stop at a moment no clock decides."""

import atexit
import json
import os
import select
import socket
import subprocess
import sys
from functools import cache

# A signal after so many checkpoints and so much work of the processor: the same moment on a machine
# that is idle and on one that is not.
STOPPED = """
import os, signal, sys

number, saves, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
sys.argv[1:] = sys.argv[4:]
signal.signal(signal.SIGVTALRM, lambda *_: os.kill(os.getpid(), number))

def heard(event, arguments):
    global saves
    if event == "os.rename" and os.path.basename(arguments[1]) == "c":
        saves -= 1
        if saves == 0:
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)

sys.addaudithook(heard)
from okpca.cli import main

main()
"""
STARTED = """
from okpca.cli import main

main()
"""
# A process that has imported what commands import, which takes seconds, and forks: its children are
# the commands. Between them and it is one that waits for the command and tells how it ended.
PARENT = """
import json, os, signal, socket, sys
import numpy as np
import okpca
import okpca.cli.app
import okpca.cli.commands.fit_update, okpca.cli.commands.monitor

okpca.KernelNoveltyDetector(2, gamma=0.5, max_atoms=9).fit(np.eye(40, 3)).partial_fit(np.eye(1, 3))
asked = socket.socket(fileno=int(sys.argv[1]))
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    told, handles, _, _ = socket.recv_fds(asked, 2**20, 4)
    if not told:
        sys.exit()
    if os.fork():
        for handle in handles:
            os.close(handle)
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asked.close()
    answer = socket.socket(fileno=handles.pop())
    command = os.fork()
    if command:
        for handle in [*handles, 0, 1, 2]:
            os.close(handle)
        answer.sendall(b"%d " % command)
        answer.sendall(b"%d." % os.waitstatus_to_exitcode(os.waitpid(command, 0)[1]))
        os._exit(0)
    answer.close()
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
        os.close(handle)
    break
given = json.loads(told)
os.chdir(given["folder"])
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["okpca", *given["words"]]
exec(compile(given["code"], "<command>", "exec"), {"__name__": "__main__"})
"""


@cache
def parent():
    """The way to ask it for a command; it ends with this process."""
    ours, its = socket.socketpair()
    handle = its.fileno()
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(handle)], stdin=subprocess.DEVNULL, pass_fds=[handle]
    )
    its.close()

    def ended():
        ours.close()
        process.wait()

    atexit.register(ended)
    return ours


class Forked:
    """What `subprocess.Popen` gives, of a command that the parent forks."""

    def __init__(self, code, words, *, text=False, **pipes):
        self.args, self.returncode, self._said = words, None, b""
        self._answer, its = socket.socketpair()
        handles, shut = [], [its.fileno()]
        self.stdin = self.stdout = self.stderr = None
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            how = pipes.get(name)
            if how is None or hasattr(how, "fileno"):
                handles.append(number if how is None else how.fileno())
                continue
            if how == subprocess.DEVNULL:
                handles.append(os.open(os.devnull, os.O_RDWR))
            else:
                reading, writing = os.pipe()
                mine, other = (writing, reading) if name == "stdin" else (reading, writing)
                mode = ("w" if name == "stdin" else "r") + ("" if text else "b")
                setattr(self, name, os.fdopen(mine, mode, encoding="utf-8" if text else None))
                handles.append(other)
            shut.append(handles[-1])
        told = json.dumps({"code": code, "words": words, "folder": os.getcwd()}).encode()
        socket.send_fds(parent(), [told], [*handles, its.fileno()])
        its.detach()
        for handle in shut:
            os.close(handle)
        self.pid = int(self._until(b" ", None))

    def _until(self, sign, seconds):
        while sign not in self._said:
            if not select.select([self._answer], [], [], seconds)[0]:
                return None
            more = self._answer.recv(100)
            assert more, "the parent of the commands has ended"
            self._said += more
        found, _, self._said = self._said.partition(sign)
        return found

    def wait(self, timeout=None):
        if self.returncode is None:
            code = self._until(b".", timeout)
            if code is None:
                raise subprocess.TimeoutExpired("okpca", timeout)
            self.returncode = int(code)
            self._answer.close()
        return self.returncode

    def poll(self):
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                pipe.close()
        self.wait()


def stopped(line, number, saves, seconds=1e-4):
    """By that signal, so much work after it has written its checkpoint, `c`, so many times."""
    told = [str(int(number)), str(saves), str(seconds), *line.split()]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with Forked(STOPPED, told, text=True, **pipes) as process:
        said = process.stderr.read()
        return subprocess.CompletedProcess(line, process.wait(300), None, said)


def started(line, **more):
    return Forked(STARTED, line.split(), **more)
