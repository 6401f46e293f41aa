"""The two servers that are compared, each a child process on one core with a port of its own."""

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import time

PROVIDERS = 20


def on_core(core, command):
    """The command, held to one core."""
    return ["taskset", "-c", str(core), *command]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def post(port, path, body):
    """The body of the answer to one POST."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"POST {path} was answered {answer.status}: {text}")
    return text


class Process:
    """A child process, and what the kernel says about the one that does the work, `pid`."""

    def __init__(self, command, **options):
        self.child = subprocess.Popen(command, **options)
        self.pid = self.child.pid

    def cpu_seconds(self):
        """Processor time of all its threads, to the nanosecond."""
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/schedstat") as file:
                total += int(file.read().split()[0])
        return total / 1e9

    def resident_mb(self):
        with open(f"/proc/{self.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) / 1024

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(timeout=10)


class Turnout(Process):
    """`turnout serve` with one thread and twenty providers. `store` is ["--memory"] or ["--data", FOLDER]."""

    name = "turnout"

    def __init__(self, binary, folder, core, store):
        config = os.path.join(folder, "turnout.toml")
        with open(config, "w") as file:
            file.write('[server]\nlisten = "127.0.0.1:0"\nthreads = 1\n\n[channels.payments]\n')
            for number in range(1, PROVIDERS + 1):
                file.write(f'[[channels.payments.providers]]\nid = "provider-{number:02d}"\n')
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TURNOUT_")}
        with open(os.path.join(folder, "turnout.log"), "a") as log:
            super().__init__(
                on_core(core, [binary, "serve", "--config", config, *store]),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment,
            )
        line = self.child.stdout.readline()
        listening = re.match(r"listening on http://127\.0\.0\.1:(\d+)$", line)
        if not listening:
            raise SystemExit(f"{binary} does not listen; see {log.name}")
        self.port = int(listening.group(1))

    def typical_answers(self):
        """What it says to a route call and to a report, as those of the load."""
        route = post(self.port, "/v1/route", '{"channel":"payments","transaction_id":"first"}')
        report = post(
            self.port,
            "/v1/report",
            '{"channel":"payments","transaction_id":"first","provider":"provider-01",'
            '"status":"success","latency_ms":412}',
        )
        return {"/v1/route": route, "/v1/report": report}


class Nginx(Process):
    """nginx with one worker that answers each path with a fixed body."""

    name = "nginx"

    def __init__(self, folder, core, answers):
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if not program:
            raise SystemExit("nginx is missing: apt-get install nginx-light")
        self.port = free_port()
        config = os.path.join(folder, "nginx.conf")
        with open(config, "w") as file:
            file.write(self._config(folder, answers))
        super().__init__(on_core(core, [program, "-p", folder, "-c", config, "-e", os.path.join(folder, "nginx.log")]))
        self.pid = self._worker()

    def _config(self, folder, answers):
        locations = "".join(
            f"    location = {path} {{ default_type application/json; return 200 '{body}'; }}\n"
            for path, body in answers.items()
        )
        user = "user root;\n" if os.geteuid() == 0 else ""
        return (
            f"{user}daemon off;\nworker_processes 1;\npid {folder}/nginx.pid;\n"
            "events { worker_connections 1024; }\n"
            "http {\n"
            f"  client_body_temp_path {folder}/body;\n  proxy_temp_path {folder}/proxy;\n"
            f"  fastcgi_temp_path {folder}/fastcgi;\n"
            f"  uwsgi_temp_path {folder}/uwsgi;\n  scgi_temp_path {folder}/scgi;\n"
            "  access_log off;\n  keepalive_timeout 60s;\n  keepalive_requests 1000000000;\n"
            f"  server {{\n    listen 127.0.0.1:{self.port};\n{locations}  }}\n"
            "}\n"
        )

    def _worker(self):
        """The worker's process id, once it is there and the port answers."""
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            with open(f"/proc/{self.child.pid}/task/{self.child.pid}/children") as file:
                children = file.read().split()
            with socket.socket() as probe:
                if children and probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return int(children[0])
            time.sleep(0.01)
        raise SystemExit("nginx does not start")
