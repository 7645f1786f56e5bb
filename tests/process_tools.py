"""Commands at the prompt, in processes of their own, that stop at a moment no clock decides."""

import subprocess
import sys

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


def stopped(line, number, saves, seconds=1e-4):
    """By that signal, so much work after it has written its checkpoint, `c`, so many times."""
    told = [str(int(number)), str(saves), str(seconds), *line.split()]
    return subprocess.run(
        [sys.executable, "-c", STOPPED, *told],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def started(line, **more):
    return subprocess.Popen([sys.executable, "-m", "okpca", *line.split()], **more)
