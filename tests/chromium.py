"""Headless Chromium, told what to do over a pipe (the DevTools protocol, without a library)."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]
# It reads from 3 and writes to 4.
START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
    "os.execvp(sys.argv[3], sys.argv[3:])"
)
PATIENCE = 60  # seconds


def found():
    return shutil.which("chromium")


class Browser:
    def __enter__(self):
        self._profile = tempfile.mkdtemp()
        (theirs_in, self._in), (self._out, theirs_out) = os.pipe(), os.pipe()
        theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (theirs_in, theirs_out)]
        command = [sys.executable, "-c", START, *map(str, theirs)]
        command += [found(), *FLAGS, f"--user-data-dir={self._profile}"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(
            command, pass_fds=theirs, stdin=subprocess.DEVNULL, start_new_session=True, **quiet
        )
        for fd in (theirs_in, theirs_out, *theirs):
            os.close(fd)
        self._number, self._rest, self.events = 0, b"", []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = None
        session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._session = session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(f"{domain}.enable")
        return self

    _session = None

    def __exit__(self, *error):
        os.close(self._in)  # at the end of its pipe it ends
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)

    def __call__(self, method, **params):
        """Do it: what comes back."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._in, data) :]
        while True:
            told = self._read()
            if told.get("id") == self._number:
                assert "error" not in told, (method, told["error"])
                return told["result"]

    def _read(self):
        """The next message; those that answer nothing are kept as events."""
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            left = end - time.monotonic()
            assert left > 0, "chromium does not answer"
            if select.select([self._out], [], [], left)[0]:
                more = os.read(self._out, 2**20)
                assert more, "chromium has ended"
                self._rest += more
        one, _, self._rest = self._rest.partition(b"\0")
        told = json.loads(one)
        if "id" not in told:
            self.events.append(told)
        return told

    def open(self, path, width, dark=False):
        """A page at this width; its events from the start."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", features=[scheme])
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self("Emulation.setDeviceMetricsOverride", **size)
        self.events.clear()
        self("Page.navigate", url=path.resolve().as_uri())
        while not self.named("Page.loadEventFired"):
            self._read()
        return self

    def named(self, method):
        return [event["params"] for event in self.events if event.get("method") == method]

    def evaluate(self, expression):
        told = self("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def screenshot(self, path):
        """The whole page."""
        height = self.evaluate("document.documentElement.scrollHeight")
        width = self.evaluate("innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))
