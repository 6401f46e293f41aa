"""What a case works with: a folder of its own, the program, and servers that are ended with it."""

import os
import re
import select
import signal
import subprocess
import time

from case import Failure, expect, expect_equal
from wire import Api, Wire

# For a sanitizer's build on a busy machine.
START_SECONDS = 60
STOP_SECONDS = 5


def clean_environment(extra=()):
    """This process's environment without what would configure the program, and with `extra`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TURNOUT_")}
    environment.update(extra)
    return environment


def channel_text(name, *providers, **settings):
    """The lines of a configuration for one channel. Settings are numbers, or strings of TOML."""
    lines = [f"[channels.{name}]", *(f"{key} = {value}" for key, value in settings.items())]
    for provider in providers:
        lines += [f"[[channels.{name}.providers]]", f'id = "{provider}"']
    return "\n".join(lines) + "\n"


class Server:
    """A running `turnout serve`."""

    def __init__(self, command, environment, log_path, **options):
        self.log_path = log_path
        with open(log_path, "ab") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": log}
            self.process = subprocess.Popen(command, env=environment, **(streams | options))
        self.pid = self.process.pid
        self.ended = False
        line = self._first_line()
        listening = re.fullmatch(r"listening on (https?)://([0-9.]+):(\d+)\n", line)
        if not listening:
            self.process.kill()
            self.process.wait()
            raise Failure(f"the server does not listen: {line!r}, log: {self.log()}")
        self.scheme, self.address, self.port = listening.group(1), listening.group(2), int(listening.group(3))
        self.url = line.split()[-1]

    def _first_line(self):
        readable, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        return self.process.stdout.readline().decode() if readable else ""

    def api(self, token=None, tls=None):
        return Api(self.port, token, tls)

    def wire(self, tls=None):
        return Wire(self.port, tls, self.address)

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_for_log(self, text, count=1):
        """Waits until the log holds the text so many times."""
        wait_until(lambda: self.log().count(text) >= count, f"{text!r} in the log", lambda: self.log()[-2000:])

    def send(self, number):
        self.process.send_signal(number)

    def terminate(self, number=signal.SIGTERM, status=0):
        """Stops it, which must work within the promised time; the seconds it took."""
        begin = time.monotonic()
        self.send(number)
        return self.wait_for_end(begin, status)

    def wait_for_end(self, begin, status=0):
        """Waits for the end, with this exit status, of a server that was told to stop at `begin`."""
        limit = STOP_SECONDS
        try:
            ended_with = self.process.wait(timeout=max(0.0, begin + limit - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.kill()
            expect(False, f"the server did not stop within {limit} s")
        self.ended = True
        expect_equal(ended_with, status, f"exit status after a signal to stop; log: {self.log()[-2000:]}")
        expect_equal(self.process.stdout.read(), b"", "what standard output holds beyond the first line")
        self.process.stdout.close()
        return time.monotonic() - begin

    def kill(self):
        """kill -9."""
        crash = self.process.poll()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.ended = True
        expect(crash is None, f"the server had ended by itself, status {crash}: {self.log()[-2000:]}")


class Site:
    """One case's folder and servers."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.servers = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def serve(self, *arguments, config=None, environment=(), listen="127.0.0.1:0", **options):
        """Starts a server. `config` is the text of its file; with `listen` None the other sources say the address."""
        if config is not None:
            arguments = ("--config", self.write("turnout.toml", config), *arguments)
        if listen:
            arguments = ("--listen", listen, *arguments)
        server = Server(
            [self.binary, "serve", *arguments],
            clean_environment(environment),
            self.path(f"server-{len(self.servers)}.log"),
            cwd=self.folder,
            **options,
        )
        self.servers.append(server)
        return server

    def turnout(self, *arguments, environment=()):
        """Runs the program to its end: exit status, standard output, standard error."""
        finished = subprocess.run(
            [self.binary, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=clean_environment(environment),
            cwd=self.folder,
            timeout=START_SECONDS,
        )
        expect("Sanitizer" not in finished.stderr, finished.stderr)
        return finished.returncode, finished.stdout, finished.stderr

    def finish(self):
        """Stops what still runs. No server may have left a sanitizer's or an assertion's report."""
        for server in self.servers:
            if not server.ended:
                server.terminate()
        for server in self.servers:
            for word in ("Sanitizer", "assertion failed", "runtime error"):
                expect(word not in server.log(), f"{word!r} in the log: {server.log()[-4000:]}")

    def describe(self):
        """The ends of the servers' logs, to go with a failure."""
        return "".join(
            f"\n--- log of server {number}\n{server.log()[-3000:]}" for number, server in enumerate(self.servers)
        )

    def abandon(self):
        """Ends what still runs, however."""
        for server in self.servers:
            if not server.ended:
                server.process.kill()
                server.process.wait()


def wait_until(condition, what, detail=lambda: ""):
    """Waits until the condition holds, up to 15 s."""
    deadline = time.monotonic() + 15
    while not condition():
        expect(time.monotonic() < deadline, f"waited in vain for {what}: {detail()}")
        time.sleep(0.02)
